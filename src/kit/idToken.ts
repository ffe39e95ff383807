import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export type UnsubscribeTokens = ReturnType<typeof unsubscribeTokens>;

export interface Unsubscribing {
  businessId: string;
  recipientId: string;
  /** The keyed hash of the address, so that a person can unsubscribe from a mail after the recipient was erased. */
  emailHash: Buffer;
}

/**
 * A token needs no row and never expires: a mail's link must work for as long as someone keeps the mail. It is two ids, a hash
 * and a MAC, under a key derived from SECRET_KEY for this purpose alone. Older keys still verify.
 */
export function unsubscribeTokens(secretKey: string, ...olderKeys: string[]) {
  const key = deriveKey(secretKey);
  const keys = [key, ...olderKeys.map(deriveKey)];
  return {
    make(businessId: string, recipientId: string, emailHash: Buffer): string {
      if (!ID.test(businessId) || !ID.test(recipientId))
        throw new RangeError('an id has characters that a token cannot hold');
      const text = `${businessId}.${recipientId}.${emailHash.toString('base64url')}`;
      return `${text}.${mac(key, text).toString('base64url')}`;
    },
    /** What a genuine token names, else null. */
    read(token: string): Unsubscribing | null {
      const [, text, businessId, recipientId, hash, macText] = TOKEN.exec(token) ?? [];
      if (!text || !businessId || !recipientId || !hash || !macText) return null;
      if (!keys.some((candidate) => isMacOf(candidate, text, macText))) return null;
      return { businessId, recipientId, emailHash: Buffer.from(hash, 'base64url') };
    },
  };
}

const ID = /^[0-9a-z]{1,64}$/;
/** The hash has 32 bytes. */
const TOKEN = /^(([0-9a-z]{1,64})\.([0-9a-z]{1,64})\.([A-Za-z0-9_-]{43}))\.([A-Za-z0-9_-]{22})$/;
const MAC_BYTES = 16;

/** Compares the text too: several base64 spellings decode to the same bytes, and only one is valid. */
function isMacOf(key: Buffer, text: string, macText: string): boolean {
  const expected = mac(key, text);
  return (
    timingSafeEqual(Buffer.from(macText, 'base64url'), expected) && macText === expected.toString('base64url')
  );
}

const deriveKey = (secretKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'waypost unsubscribe v1', 32));

const mac = (key: Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES);
