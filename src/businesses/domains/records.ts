import { generateKeyPair } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { randomText } from '../../kit/ids.ts';

/** A TXT record as a DNS panel takes it. */
export interface DomainRecord {
  record: 'dkim' | 'dmarc' | 'spf';
  name: string;
  value: string;
  /** The same in parts, for panels that take no more than 255 characters at once. */
  strings: string[];
}

export interface DkimKey {
  selector: string;
  /** As the record holds it: DER in base64. */
  publicKey: string;
  /** PEM. */
  privateKey: string;
}

const KEY_BITS = 2_048;
const SELECTOR_LENGTH = 10;
/** The longest part of a TXT record (RFC 1035). */
const STRING_MAX = 255;

export async function newDkimKey(): Promise<DkimKey> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: KEY_BITS });
  return {
    selector: `wp-${randomText(SELECTOR_LENGTH)}`,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

export const dkimName = (domain: string, selector: string): string => `${selector}._domainkey.${domain}`;
export const dmarcName = (domain: string): string => `_dmarc.${domain}`;

/** Those that sign with a key of their own, and know by themselves which domains are verified: all that are called by an API. */
export const ownSigners = (providers: readonly string[]): string[] =>
  providers.filter((provider) => provider !== 'smtp' && provider !== 'sandbox');

/** Whether any mail is signed here. */
export const signsHere = (providers: readonly string[]): boolean =>
  ownSigners(providers).length < providers.length;

/**
 * The mail server that an SPF record of the shop's domain names; null: there is none, or mails come back to a domain of the operator's, on
 * which SPF is judged then.
 */
export function mailServerOf(
  settings: readonly { provider: string; host?: string; bounces?: object | null }[],
): string | null {
  const smtp = settings.find(({ provider }) => provider === 'smtp');
  return smtp?.bounces ? null : (smtp?.host ?? null);
}

interface SigningDomain {
  domain: string;
  selector: string;
  publicKey: string;
}

/**
 * What the owner of the domain sets. Without a mail server there is no SPF record to name it in.
 */
export function domainRecords(
  { domain, selector, publicKey }: SigningDomain,
  mailServer: string | null,
): DomainRecord[] {
  const spf = mailServer === null ? null : spfMechanism(mailServer);
  return [
    txt('dkim', dkimName(domain, selector), `v=DKIM1; k=rsa; p=${publicKey}`),
    txt('dmarc', dmarcName(domain), 'v=DMARC1; p=none'),
    ...(spf === null ? [] : [txt('spf', domain, `v=spf1 ${spf} ~all`)]),
  ];
}

const txt = (record: DomainRecord['record'], name: string, value: string): DomainRecord => ({
  record,
  name,
  value,
  strings: Array.from({ length: Math.ceil(value.length / STRING_MAX) }, (_, at) =>
    value.slice(at * STRING_MAX, (at + 1) * STRING_MAX),
  ),
});

/** Null: a name of this machine or network says nothing to others. */
function spfMechanism(mailServer: string): string | null {
  const version = isIP(mailServer);
  if (version !== 0) return `ip${version}:${mailServer}`;
  return mailServer.includes('.') ? `a:${mailServer}` : null;
}

/** The key's record always; another one only where there is none, or nobody has looked. */
export const recordsToSet = (
  records: readonly DomainRecord[],
  findings: readonly { record: DomainRecord['record']; state: string }[],
): DomainRecord[] =>
  records.filter(
    ({ record }) =>
      record === 'dkim' ||
      (findings.find((found) => found.record === record)?.state ?? 'missing') === 'missing',
  );

/** Without a mail server to name, an SPF record that is missing is missed by nobody. */
export const findingsToShow = <Found extends { record: DomainRecord['record']; state: string }>(
  findings: readonly Found[],
  mailServer: string | null,
): Found[] =>
  findings.filter(({ record, state }) => record !== 'spf' || state !== 'missing' || mailServer !== null);
