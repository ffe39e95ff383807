import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { OperatorError } from './errors.ts';
import { sha256 } from './ids.ts';

/** Encrypts secrets at rest. A value opens only with its context, such as `webhook_endpoint:ID`. */
export type Sealer = ReturnType<typeof createSealer>;

/**
 * AES-256-GCM under keys derived from SECRET_KEY. The first key seals and every key opens, so rotating means
 * putting a new key in front. A sealed value is: version, key id, nonce, tag, ciphertext. Version, key id and
 * context are authenticated, so a value that was moved to another row or relabelled does not open.
 */
export function createSealer(secretKeys: readonly string[]) {
  const ring = secretKeys.map(deriveKey);
  const [sealing] = ring;
  if (!sealing) throw new OperatorError('SECRET_KEY is empty: there is no key to seal secrets with.');

  return {
    seal(text: string, context: string): Buffer {
      const header = Buffer.concat([Buffer.of(VERSION), sealing.id]);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, sealing.key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.concat([header, Buffer.from(context)]));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([header, nonce, cipher.getAuthTag(), ciphertext]);
    },

    open(sealed: Uint8Array, context: string): string {
      const { header, keyId, nonce, tag, ciphertext } = split(Buffer.from(sealed), context);
      const match = ring.find((candidate) => candidate.id.equals(keyId));
      if (!match) {
        throw new OperatorError(
          `The secret of ${context} was sealed with a key that SECRET_KEY does not list.`,
        );
      }
      const decipher = createDecipheriv(CIPHER, match.key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.concat([header, Buffer.from(context)]));
      decipher.setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
      } catch {
        throw new Error(`the sealed secret of ${context} was altered, or belongs to another row`);
      }
    },
  };
}

/**
 * The kind is part of the hash, so equal texts of two kinds have different hashes. A source is the network of a
 * request.
 */
type HashedKind = 'email' | 'phone' | 'request' | 'source' | 'sign_in_code';

export interface Hasher {
  (kind: HashedKind, text: string): Buffer;
  /** The same in hexadecimal, for lists that are written as JSON. */
  hex(kind: HashedKind, text: string): string;
}

/**
 * A keyed hash for values that are only compared, such as a suppressed address that must outlive an erasure.
 * Without the pepper a copy of the database is useless: addresses and numbers are few enough to try them all.
 * Callers normalise the text.
 */
export function createHasher(pepper: Uint8Array): Hasher {
  if (pepper.length < MIN_PEPPER_BYTES)
    throw new RangeError(`a pepper needs at least ${MIN_PEPPER_BYTES} bytes`);
  const hmacOf = (kind: string, text: string) => createHmac('sha256', pepper).update(`${kind}\u0000${text}`);
  return Object.assign((kind: string, text: string) => hmacOf(kind, text).digest(), {
    hex: (kind: string, text: string) => hmacOf(kind, text).digest('hex'),
  });
}

const VERSION = 1;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const OVERHEAD_BYTES = HEADER_BYTES + NONCE_BYTES + TAG_BYTES;
const MIN_PEPPER_BYTES = 16;

interface SealingKey {
  id: Buffer;
  key: Buffer;
}

function deriveKey(secretKey: string): SealingKey {
  if (secretKey === '') throw new OperatorError('SECRET_KEY holds an empty key.');
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, '', `waypost seal v${VERSION} ${purpose}`, bytes));
  return { id: derive('key id', KEY_ID_BYTES), key: derive('key', KEY_BYTES) };
}

function split(sealed: Buffer, context: string) {
  if (sealed.length < OVERHEAD_BYTES) throw new Error(`the sealed secret of ${context} is truncated`);
  if (sealed[0] !== VERSION) throw new Error(`the sealed secret of ${context} has an unknown version`);
  return {
    header: sealed.subarray(0, HEADER_BYTES),
    keyId: sealed.subarray(1, HEADER_BYTES),
    nonce: sealed.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES),
    tag: sealed.subarray(HEADER_BYTES + NONCE_BYTES, OVERHEAD_BYTES),
    ciphertext: sealed.subarray(OVERHEAD_BYTES),
  };
}

/** Equality of secrets: the time reveals neither where the texts differ nor their lengths. */
export const constantTimeEqual = (one: string, other: string): boolean =>
  timingSafeEqual(sha256(one), sha256(other));
