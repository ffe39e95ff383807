import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** What a token lets its bearer do: end one person's updates, or read one reply. Nothing else, and not each other's. */
export type TokenPurpose = 'unsubscribe' | 'reply';

export interface IdTokens {
  make(businessId: string, id: string): string;
  /** What the token is about, or null when it is not one of ours. */
  read(token: string): { businessId: string; id: string } | null;
}

/**
 * Tokens that need no row and never expire: a mail's links must work for as long as someone keeps it and what they
 * lead to is there. They are the ids and a MAC over them, under a key derived from SECRET_KEY for this purpose alone.
 * Older keys, if given, still read.
 */
export function idTokens(purpose: TokenPurpose, secretKey: string, ...olderKeys: string[]): IdTokens {
  const key = deriveKey(purpose, secretKey);
  const keys = [key, ...olderKeys.map((older) => deriveKey(purpose, older))];
  return {
    make(businessId, id) {
      if (!ID.test(businessId) || !ID.test(id)) throw new RangeError('an id holds what a token cannot');
      return [businessId, id, mac(key, businessId, id).toString('base64url')].join('.');
    },
    read(token) {
      const [, businessId, id, given] = TOKEN.exec(token) ?? [];
      if (businessId === undefined || id === undefined || given === undefined) return null;
      const bytes = Buffer.from(given, 'base64url');
      // As text too: several spellings in base64 are the same bytes, and a token has one.
      const ours = keys.some((known) => {
        const expected = mac(known, businessId, id);
        return timingSafeEqual(bytes, expected) && given === expected.toString('base64url');
      });
      return ours ? { businessId, id } : null;
    },
  };
}

const ID = /^[0-9a-z]{1,64}$/;
const TOKEN = /^([0-9a-z]{1,64})\.([0-9a-z]{1,64})\.([A-Za-z0-9_-]{22})$/;
const MAC_BYTES = 16;

const deriveKey = (purpose: TokenPurpose, secretKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `waypost ${purpose} v1`, 32));

const mac = (key: Buffer, businessId: string, id: string): Buffer =>
  createHmac('sha256', key).update(`${businessId}.${id}`).digest().subarray(0, MAC_BYTES);
