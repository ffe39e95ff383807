import { hash, randomBytes, randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const TIME_CHARACTERS = 8;
const ORDINAL_CHARACTERS = 2;
const RANDOM_CHARACTERS = 14;

/**
 * A public id: 8 characters of time and 2 of the place within one list, so that ids sort in the order things were
 * accepted and neighbours in time are neighbours in the index; then 14 random ones (72 bits), so that nobody can
 * guess another's.
 */
export function newId(at: Date, ordinal = 0): string {
  return (
    base36(at.getTime(), TIME_CHARACTERS) +
    base36(ordinal, ORDINAL_CHARACTERS) +
    randomText(RANDOM_CHARACTERS)
  );
}

const base36 = (value: number, width: number): string =>
  Math.floor(value).toString(36).padStart(width, '0').slice(-width);

/** A secret of `length` characters of 0-9a-z, each drawn evenly. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    // 252 is the largest multiple of 36 in a byte: bytes above it would favour the first letters.
    if (byte < 252) text += ALPHABET[byte % 36];
  }
  return text;
}

const DRAWN_AT_ONCE = 4_096;
const drawn = Buffer.alloc(DRAWN_AT_ONCE);
let used = DRAWN_AT_ONCE;

/** The system is asked for many at once, since the asking is the cost. Each is given out once and then forgotten. */
function randomByte(): number {
  if (used === DRAWN_AT_ONCE) {
    randomFillSync(drawn);
    used = 0;
  }
  const byte = drawn[used] ?? 0;
  drawn[used] = 0;
  used += 1;
  return byte;
}

/** 128 random bits for a link or a session, in the URL-safe alphabet. Only its hash is ever stored. */
export const randomToken = (): string => randomBytes(16).toString('base64url');

export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/** A 64-bit advisory lock number for what the parts name together; a collision only makes two strangers wait. */
export function lockNumber(...parts: string[]): bigint {
  const hex = hash('sha256', parts.join('\u0000'), 'hex');
  return BigInt.asIntN(64, BigInt(`0x${hex.slice(0, 16)}`));
}
