import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** What a token lets its bearer do: end one person's updates, or read one reply. Nothing else, and not each other's. */
export type TokenPurpose = 'unsubscribe' | 'reply';

export interface IdTokens {
  make(businessId: string, id: string): string;
  /** What the token is about, or null when it is not one of ours. */
  read(token: string): { businessId: string; id: string } | null;
}

/** Ids and a MAC over them. */
export function idTokens(purpose: TokenPurpose, secretKey: string, ...olderKeys: string[]): IdTokens {
  const signature = signing(purpose, secretKey, olderKeys);
  return {
    make: (businessId, id) => signature.sign(ids(businessId, id)),
    read(token) {
      const [, businessId, id] = TWO_IDS.exec(signature.verified(token) ?? '') ?? [];
      return businessId === undefined || id === undefined ? null : { businessId, id };
    },
  };
}

export interface UnsubscribeTokens {
  make(businessId: string, recipientId: string, emailHash: Buffer): string;
  read(token: string): Unsubscribing | null;
}

/** Whose updates end. */
export interface Unsubscribing {
  businessId: string;
  recipientId: string;
  /** The keyed hash of the address; null in a token from before it was part of them. */
  emailHash: Buffer | null;
}

/** They mean an address rather than a row, so that a mail can be unsubscribed from after its recipient was erased. */
export function unsubscribeTokens(secretKey: string, ...olderKeys: string[]): UnsubscribeTokens {
  const withoutHash = idTokens('unsubscribe', secretKey, ...olderKeys);
  const signature = signing('unsubscribe', secretKey, olderKeys);
  return {
    make: (businessId, recipientId, emailHash) =>
      signature.sign(`${ids(businessId, recipientId)}.${emailHash.toString('base64url')}`),
    read(token) {
      const [, businessId, recipientId, hash] = TWO_IDS_AND_HASH.exec(signature.verified(token) ?? '') ?? [];
      if (businessId !== undefined && recipientId !== undefined && hash !== undefined)
        return { businessId, recipientId, emailHash: Buffer.from(hash, 'base64url') };
      const older = withoutHash.read(token);
      return older && { businessId: older.businessId, recipientId: older.id, emailHash: null };
    },
  };
}

const ID = /^[0-9a-z]{1,64}$/;
const TWO_IDS = /^([0-9a-z]{1,64})\.([0-9a-z]{1,64})$/;
/** The hash has 32 bytes. */
const TWO_IDS_AND_HASH = /^([0-9a-z]{1,64})\.([0-9a-z]{1,64})\.([A-Za-z0-9_-]{43})$/;
const SIGNED = /^([A-Za-z0-9_.-]{1,200})\.([A-Za-z0-9_-]{22})$/;
const MAC_BYTES = 16;

function ids(businessId: string, id: string): string {
  if (!ID.test(businessId) || !ID.test(id)) throw new RangeError('an id holds what a token cannot');
  return `${businessId}.${id}`;
}

/**
 * Tokens that need no row and never expire: a mail's links must work for as long as someone keeps it and what they
 * lead to is there. A token is a text and a MAC over it, under a key derived from SECRET_KEY for this purpose alone.
 * Older keys, if given, still read.
 */
function signing(purpose: TokenPurpose, secretKey: string, olderKeys: readonly string[]) {
  const key = deriveKey(purpose, secretKey);
  const keys = [key, ...olderKeys.map((older) => deriveKey(purpose, older))];
  return {
    sign: (text: string): string => `${text}.${mac(key, text).toString('base64url')}`,
    /** The text of a token that is ours. */
    verified(token: string): string | null {
      const [, text, given] = SIGNED.exec(token) ?? [];
      if (text === undefined || given === undefined) return null;
      const bytes = Buffer.from(given, 'base64url');
      // As text too: several spellings in base64 are the same bytes, and a token has one.
      const ours = keys.some((known) => {
        const expected = mac(known, text);
        return timingSafeEqual(bytes, expected) && given === expected.toString('base64url');
      });
      return ours ? text : null;
    },
  };
}

const deriveKey = (purpose: TokenPurpose, secretKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `waypost ${purpose} v1`, 32));

const mac = (key: Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES);
