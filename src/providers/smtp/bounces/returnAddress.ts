import { createHmac, hkdfSync } from 'node:crypto';
import { constantTimeEqual } from '../../../kit/seal.ts';

export type ReturnAddresses = ReturnType<typeof returnAddresses>;

/**
 * The envelope sender of a mail names its send, so that a bounce needs no other proof: `b+TOKEN@domain`, where the token is the two ids of
 * our reference and a MAC under a key derived from SECRET_KEY for this purpose alone. Older keys still verify. All of it is base 36, which
 * the ids are written in and which survives servers that change the case: in base 32 it would exceed the 64 characters of a local part.
 */
export function returnAddresses(domain: string, [secretKey = '', ...olderKeys]: readonly string[]) {
  const key = deriveKey(secretKey);
  const keys = [key, ...olderKeys.map(deriveKey)];
  return {
    /** Null: the reference names no send, as that of a sign-in mail. */
    make(reference: string): string | null {
      const [, business, send] = REFERENCE.exec(reference) ?? [];
      return business && send ? `b+${business}${send}${macOf(key, reference)}@${domain}` : null;
    },
    /** The reference in the first genuine return address that the mail contains, wherever that is. */
    find(mail: Buffer): string | null {
      let looked = 0;
      for (const [, business = '', send = '', mac = ''] of mail.toString('latin1').matchAll(RETURN_ADDRESS)) {
        looked += 1;
        if (looked > LOOKED_AT_MAX) return null;
        const reference = `${business}-${send}`.toLowerCase();
        if (keys.some((one) => constantTimeEqual(macOf(one, reference), mac.toLowerCase()))) return reference;
      }
      return null;
    },
  };
}

const REFERENCE = /^([0-9a-z]{24})-([0-9a-z]{24})$/;
const RETURN_ADDRESS = /\bb\+([0-9a-z]{24})([0-9a-z]{24})([0-9a-z]{14})@/gi;
/** A report quotes ours a few times; each costs a MAC. */
const LOOKED_AT_MAX = 50;

/** 72 bits, which are 14 characters. */
const MAC_BYTES = 9;
const MAC_CHARACTERS = 14;

function macOf(key: Buffer, reference: string): string {
  const mac = createHmac('sha256', key)
    .update(reference)
    .digest('hex')
    .slice(0, 2 * MAC_BYTES);
  return BigInt(`0x${mac}`).toString(36).padStart(MAC_CHARACTERS, '0');
}

const deriveKey = (secretKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'waypost return address v1', 32));
