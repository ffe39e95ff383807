import { hash, randomBytes, randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const TIME_CHARACTERS = 8;
const ORDINAL_CHARACTERS = 2;
const RANDOM_CHARACTERS = 14;

/**
 * A public id: 8 characters of time and 2 of the position within one list, so that ids sort in the order of
 * acceptance and recent ids are neighbours in the index; then 14 random characters (72 bits), so that nobody can
 * guess an id.
 */
export function newId(at: Date, ordinal = 0): string {
  return (
    base36(at.getTime(), TIME_CHARACTERS) +
    base36(ordinal, ORDINAL_CHARACTERS) +
    randomText(RANDOM_CHARACTERS)
  );
}

const LAST_TIME = 36 ** TIME_CHARACTERS - 1;

/** Sorts before every id of this moment or later, and after every id of an earlier one. */
export function idBoundAt(at: Date): string {
  const time = at.getTime();
  if (time > LAST_TIME) return AFTER_EVERY_ID;
  return base36(Math.max(0, time), TIME_CHARACTERS);
}

export const AFTER_EVERY_ID = '~';

/** Sorts after every other character: what begins with a text is before the text with this behind it. */
export const LAST_CHARACTER = '\u{10FFFF}';

const base36 = (value: number, width: number): string =>
  Math.floor(value).toString(36).padStart(width, '0').slice(-width);

/** A secret of `length` random characters of 0-9a-z, uniformly distributed. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    // 252 is the largest multiple of 36 in a byte: larger bytes would favour the first characters.
    if (byte < 252) text += ALPHABET[byte % 36];
  }
  return text;
}

const BUFFER_BYTES = 4_096;
const buffer = Buffer.alloc(BUFFER_BYTES);
let used = BUFFER_BYTES;

/**
 * Requests random bytes in bulk, because the system call dominates the cost. Each byte is used once and then
 * erased.
 */
function randomByte(): number {
  if (used === BUFFER_BYTES) {
    randomFillSync(buffer);
    used = 0;
  }
  const byte = buffer[used] ?? 0;
  buffer[used] = 0;
  used += 1;
  return byte;
}

/** 128 random bits for a link or a session, URL-safe. Only its hash is stored. */
export const randomToken = (): string => randomBytes(16).toString('base64url');

/** 256 random bits for a session of the dashboard. */
export const longRandomToken = (): string => randomBytes(32).toString('base64url');

export const sha256 = (content: string | Buffer): Buffer => hash('sha256', content, 'buffer');

/** A 64-bit advisory lock number for the parts; a collision only makes two unrelated transactions wait. */
export function lockNumber(...parts: string[]): bigint {
  const hex = hash('sha256', parts.join('\u0000'), 'hex');
  return BigInt.asIntN(64, BigInt(`0x${hex.slice(0, 16)}`));
}
