import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { at } from '../kit/json.ts';

/** A message of Amazon SNS, as it is signed. */
export interface SnsMessage {
  type: string;
  topic: string;
  id: string;
  message: string;
  subscribeUrl: string | null;
  fields: Readonly<Record<string, string>>;
}

/** Answers the certificate at an address, in PEM form. */
export type LoadCertificate = (url: string) => Promise<string>;

const CONFIRMATIONS: readonly string[] = ['SubscriptionConfirmation', 'UnsubscribeConfirmation'];

/** Whether `x-amz-sns-message-type` names a kind of message that SNS sends. */
export const isSnsType = (type: string | undefined): boolean =>
  type === 'Notification' || CONFIRMATIONS.includes(type ?? '');

const SIGNED_OF_NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const;
const SIGNED_OF_CONFIRMATION = [
  'Message',
  'MessageId',
  'SubscribeURL',
  'Timestamp',
  'Token',
  'TopicArn',
  'Type',
] as const;
const ALGORITHMS: Readonly<Record<string, string>> = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' };

/** Where SNS keeps its certificates, and nobody else's: the whole address, not only the host. */
const CERTIFICATE_URL =
  /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/SimpleNotificationService-[A-Za-z0-9]{32}\.pem$/;
const SNS_URL = /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/\?/;

/** Whether an address that a message tells us to call is SNS's own. */
export const isSnsUrl = (url: string): boolean => SNS_URL.test(url);

/** Reads a message of SNS; null for what is none. */
export function readSns(body: unknown): SnsMessage | null {
  const fields: Record<string, string> = {};
  for (const name of [...SIGNED_OF_NOTIFICATION, ...SIGNED_OF_CONFIRMATION, ...UNSIGNED]) {
    const value = at(body, name);
    if (typeof value === 'string') fields[name] = value;
  }
  const { Type: type, TopicArn: topic, MessageId: id, Message: message } = fields;
  if (type === undefined || topic === undefined || id === undefined || message === undefined) return null;
  return { type, topic, id, message, subscribeUrl: fields.SubscribeURL ?? null, fields };
}

const UNSIGNED = ['Signature', 'SignatureVersion', 'SigningCertURL'] as const;

/** Whether SNS signed this message: RSA over its fields, by the certificate that it names, which must be SNS's own. */
export async function isFromSns({ type, fields }: SnsMessage, load: LoadCertificate): Promise<boolean> {
  const { Signature: signature, SignatureVersion: version = '', SigningCertURL: url = '' } = fields;
  const algorithm = Object.hasOwn(ALGORITHMS, version) ? ALGORITHMS[version] : undefined;
  if (signature === undefined || algorithm === undefined || !CERTIFICATE_URL.test(url)) return false;
  const names = CONFIRMATIONS.includes(type) ? SIGNED_OF_CONFIRMATION : SIGNED_OF_NOTIFICATION;
  const signed = names
    .flatMap((name) => (fields[name] === undefined ? [] : `${name}\n${fields[name]}\n`))
    .join('');
  const key = publicKeyOf(await load(url));
  return key !== null && verify(algorithm, Buffer.from(signed), key, Buffer.from(signature, 'base64'));
}

function publicKeyOf(certificate: string): KeyObject | null {
  try {
    return createPublicKey(certificate);
  } catch {
    return null;
  }
}

const MOST_CERTIFICATES = 20;

/** Certificates never change under their address: each is loaded once. A failed load is tried again. */
export function cachedCertificates(load: LoadCertificate): LoadCertificate {
  const known = new Map<string, Promise<string>>();
  return (url) => {
    const before = known.get(url);
    if (before) return before;
    const loading = load(url);
    if (known.size >= MOST_CERTIFICATES) known.clear();
    known.set(url, loading);
    loading.catch(() => known.delete(url));
    return loading;
  };
}
