import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { OperatorError } from './errors.ts';

/** Keeps a secret unreadable at rest. The context, such as `webhook_endpoint:ID`, is where it may be opened. */
export interface Sealer {
  seal(text: string, context: string): Buffer;
  open(sealed: Uint8Array, context: string): string;
}

/**
 * AES-256-GCM under keys derived from SECRET_KEY. The first key seals, all of them open, so that a key can be
 * changed by putting the new one in front. A sealed value is: version, key id, nonce, tag, ciphertext. Version,
 * key id and context are authenticated, so a value moved to another row or relabelled does not open.
 */
export function createSealer(secretKeys: readonly string[]): Sealer {
  const ring = secretKeys.map(deriveKey);
  const [sealing] = ring;
  if (!sealing) throw new OperatorError('SECRET_KEY is empty: there is no key to seal secrets with.');

  return {
    seal(text, context) {
      const header = Buffer.concat([Buffer.of(VERSION), sealing.id]);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, sealing.key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.concat([header, Buffer.from(context)]));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([header, nonce, cipher.getAuthTag(), ciphertext]);
    },

    open(sealed, context) {
      const { header, keyId, nonce, tag, ciphertext } = split(Buffer.from(sealed), context);
      const known = ring.find((candidate) => candidate.id.equals(keyId));
      if (!known) {
        throw new OperatorError(
          `SECRET_KEY: the secret of ${context} was sealed with a key that is not given here.`,
        );
      }
      const decipher = createDecipheriv(CIPHER, known.key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.concat([header, Buffer.from(context)]));
      decipher.setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
      } catch {
        throw new Error(`the sealed secret of ${context} was altered, or belongs elsewhere`);
      }
    },
  };
}

/** The kind is hashed with the text: the same text of two kinds has two hashes. A source is the network that a request comes from. */
export type HashedKind = 'email' | 'phone' | 'request' | 'source';

export interface Hasher {
  (kind: HashedKind, text: string): Buffer;
  /** The same in hexadecimal, for lists that are written as JSON. */
  hex(kind: HashedKind, text: string): string;
}

/**
 * A keyed hash for what is only ever compared, such as a suppressed address that must outlive an erasure. The
 * pepper makes it useless to whoever has the database alone: addresses and numbers are few enough to try them all.
 * The text is hashed as it comes; normalise it before.
 */
export function createHasher(pepper: Uint8Array): Hasher {
  if (pepper.length < MIN_PEPPER_BYTES)
    throw new RangeError(`a pepper has at least ${MIN_PEPPER_BYTES} bytes`);
  const begun = (kind: string, text: string) => createHmac('sha256', pepper).update(`${kind}\u0000${text}`);
  return Object.assign((kind: string, text: string) => begun(kind, text).digest(), {
    hex: (kind: string, text: string) => begun(kind, text).digest('hex'),
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
  if (sealed.length < OVERHEAD_BYTES) throw new Error(`the sealed secret of ${context} is cut short`);
  if (sealed[0] !== VERSION) throw new Error(`the sealed secret of ${context} has an unknown version`);
  return {
    header: sealed.subarray(0, HEADER_BYTES),
    keyId: sealed.subarray(1, HEADER_BYTES),
    nonce: sealed.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES),
    tag: sealed.subarray(HEADER_BYTES + NONCE_BYTES, OVERHEAD_BYTES),
    ciphertext: sealed.subarray(OVERHEAD_BYTES),
  };
}

/** Whether two texts are equal, in a time that tells nothing about where, or in what length, they differ. */
export const constantTimeEqual = (one: string, other: string): boolean =>
  timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
