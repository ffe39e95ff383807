import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { at } from '../../kit/json.ts';

/** A message of Amazon SNS; `fields` has the signed fields and the signature. */
export interface SnsMessage {
  type: string;
  topic: string;
  id: string;
  message: string;
  subscribeUrl: string | null;
  fields: Readonly<Record<string, string>>;
}

/** Loads a certificate in PEM format. */
export type LoadCertificate = (url: string) => Promise<string>;

const CONFIRMATIONS: readonly string[] = ['SubscriptionConfirmation', 'UnsubscribeConfirmation'];

/** Whether `x-amz-sns-message-type` is a message type of SNS. */
export const isSnsType = (type: string | undefined): boolean =>
  type === 'Notification' || CONFIRMATIONS.includes(type ?? '');

const SIGNED = {
  notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  confirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};
const ALGORITHMS: Readonly<Record<string, string>> = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' };

/** Matches the complete address of an SNS certificate, not only its host. */
const CERTIFICATE_URL =
  /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/SimpleNotificationService-[A-Za-z0-9]{32}\.pem$/;
const SNS_URL = /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/\?/;

/** Whether an address in a message belongs to SNS, so that it is safe to call. */
export const isSnsUrl = (url: string): boolean => SNS_URL.test(url);

/** Reads an SNS message; null: the body is not one. */
export function readSns(body: unknown): SnsMessage | null {
  const fields: Record<string, string> = {};
  for (const name of [...SIGNED.notification, ...SIGNED.confirmation, ...UNSIGNED]) {
    const value = at(body, name);
    if (typeof value === 'string') fields[name] = value;
  }
  const { Type: type, TopicArn: topic, MessageId: id, Message: message } = fields;
  if (type === undefined || topic === undefined || id === undefined || message === undefined) return null;
  return { type, topic, id, message, subscribeUrl: fields.SubscribeURL ?? null, fields };
}

const UNSIGNED = ['Signature', 'SignatureVersion', 'SigningCertURL'] as const;

/** Whether SNS signed this message: RSA over its fields, with the certificate that it names, at an address of SNS. */
export async function isFromSns({ type, fields }: SnsMessage, load: LoadCertificate): Promise<boolean> {
  const { Signature: signature, SignatureVersion: version = '', SigningCertURL: url = '' } = fields;
  const algorithm = Object.hasOwn(ALGORITHMS, version) ? ALGORITHMS[version] : undefined;
  if (signature === undefined || algorithm === undefined || !CERTIFICATE_URL.test(url)) return false;
  const names = CONFIRMATIONS.includes(type) ? SIGNED.confirmation : SIGNED.notification;
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

const MAX_CERTIFICATES = 20;

/** The certificate at an address never changes, so each is loaded once. A failed load is not cached. */
export function cachedCertificates(load: LoadCertificate): LoadCertificate {
  const cache = new Map<string, Promise<string>>();
  return (url) => {
    const cached = cache.get(url);
    if (cached) return cached;
    const loading = load(url);
    if (cache.size >= MAX_CERTIFICATES) cache.clear();
    cache.set(url, loading);
    loading.catch(() => cache.delete(url));
    return loading;
  };
}
