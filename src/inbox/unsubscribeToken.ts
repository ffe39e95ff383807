import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export interface UnsubscribeTokens {
  /** For the List-Unsubscribe header and the mail's last line. It can end updates and nothing else. */
  make(businessId: string, recipientId: string): string;
  /** Whom the token is about, or null when it is not one of ours. */
  read(token: string): { businessId: string; recipientId: string } | null;
}

/**
 * Tokens that need no row and never expire: a mail must be unsubscribable for as long as someone keeps it. They are
 * the ids and a MAC over them, under a key derived from SECRET_KEY for this alone. Older keys, if given, still read.
 */
export function unsubscribeTokens(secretKey: string, ...olderKeys: string[]): UnsubscribeTokens {
  const key = deriveKey(secretKey);
  const keys = [key, ...olderKeys.map(deriveKey)];
  return {
    make(businessId, recipientId) {
      if (!ID.test(businessId) || !ID.test(recipientId))
        throw new RangeError('an id holds what a token cannot');
      return [businessId, recipientId, mac(key, businessId, recipientId).toString('base64url')].join('.');
    },
    read(token) {
      const [, businessId, recipientId, given] = TOKEN.exec(token) ?? [];
      if (businessId === undefined || recipientId === undefined || given === undefined) return null;
      const bytes = Buffer.from(given, 'base64url');
      // As text too: several spellings in base64 are the same bytes, and a token has one.
      const ours = keys.some((known) => {
        const expected = mac(known, businessId, recipientId);
        return timingSafeEqual(bytes, expected) && given === expected.toString('base64url');
      });
      return ours ? { businessId, recipientId } : null;
    },
  };
}

const ID = /^[0-9a-z]{1,64}$/;
const TOKEN = /^([0-9a-z]{1,64})\.([0-9a-z]{1,64})\.([A-Za-z0-9_-]{22})$/;
const MAC_BYTES = 16;

const deriveKey = (secretKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'waypost unsubscribe v1', 32));

const mac = (key: Buffer, businessId: string, recipientId: string): Buffer =>
  createHmac('sha256', key).update(`${businessId}.${recipientId}`).digest().subarray(0, MAC_BYTES);
