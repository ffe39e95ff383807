import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * The one thing that a token permits: unsubscribing one person, or reading one reply. A token of one purpose is
 * invalid for the other.
 */
type TokenPurpose = 'unsubscribe' | 'reply';

export interface IdTokens {
  make(businessId: string, id: string): string;
  /** The ids in a genuine token, else null. */
  read(token: string): { businessId: string; id: string } | null;
}

/** A token holds two ids and a MAC over them. */
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

export interface Unsubscribing {
  businessId: string;
  recipientId: string;
  /** The keyed hash of the address; null in an old token, from before tokens held it. */
  emailHash: Buffer | null;
}

/** A token holds a hash of the address, so that a person can unsubscribe from a mail after the recipient was erased. */
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
  if (!ID.test(businessId) || !ID.test(id))
    throw new RangeError('an id has characters that a token cannot hold');
  return `${businessId}.${id}`;
}

/**
 * These tokens need no row and never expire: a mail's links must work for as long as someone keeps the mail and
 * the target exists. A token is a text and a MAC, under a key derived from SECRET_KEY for one purpose. Older keys
 * still verify.
 */
function signing(purpose: TokenPurpose, secretKey: string, olderKeys: readonly string[]) {
  const key = deriveKey(purpose, secretKey);
  const keys = [key, ...olderKeys.map((older) => deriveKey(purpose, older))];
  return {
    sign: (text: string): string => `${text}.${mac(key, text).toString('base64url')}`,
    /** The text of a genuine token, else null. */
    verified(token: string): string | null {
      const [, text, macText] = SIGNED.exec(token) ?? [];
      if (text === undefined || macText === undefined) return null;
      const bytes = Buffer.from(macText, 'base64url');
      // Compares the text too: several base64 spellings decode to the same bytes, and only one is valid.
      const ours = keys.some((candidate) => {
        const expected = mac(candidate, text);
        return timingSafeEqual(bytes, expected) && macText === expected.toString('base64url');
      });
      return ours ? text : null;
    },
  };
}

const deriveKey = (purpose: TokenPurpose, secretKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `waypost ${purpose} v1`, 32));

const mac = (key: Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES);
