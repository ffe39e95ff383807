import { type Caller, findCallers, keyHash } from '../businesses/keys.ts';
import type { Pool } from '../db/pool.ts';
import { monotonicMs } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import { ApiError } from '../kit/errors.ts';
import { constantTimeEqual } from '../kit/seal.ts';

/** Who is calling, by the Authorization header. */
export interface Authentication {
  /** Looks the key up; throws where it does not count. */
  authenticate(header: string | undefined): Promise<Caller>;
  /**
   * Whose key it was when it was last looked up, where that is remembered. Whose it is cannot change; whether it still
   * counts must be asked, by whoever goes on with this.
   */
  recognise(header: string | undefined): Caller | null;
  /** It turned out not to count any more: the next call with it is looked up. */
  forget(header: string | undefined): void;
}

const LANES = 2;
const LIST_MAX = 500;
const WAITING_MAX = 20_000;
/** More keys than a process meets in a while; then it begins anew. */
const REMEMBERED_MAX = 10_000;
/** How long a key is remembered before it is looked up again in the background. */
const CHECKED_EVERY_MS = 10_000;

interface Remembered {
  caller: Caller;
  checkedAt: number;
}

/**
 * Every call asks the database afresh whether its key counts, so that a revoked one is refused on the very next call on every
 * node. Lookups that arrive while one is under way share the next, which makes that cheap; operations that can ask it with
 * their own first statement spend no round trip on it.
 */
export function createAuthentication(pool: Pool, now = monotonicMs): Authentication {
  const lookups = coalesce<Buffer, { caller: Caller | null }>({
    run: async (hashes) => (await findCallers(pool, hashes)).map((caller) => ({ caller })),
    concurrency: LANES,
    maxItems: LIST_MAX,
    maxWaiting: WAITING_MAX,
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    sizeOf: () => 0,
  });
  const remembered = new Map<string, Remembered>();
  const hashOf = rememberHash();

  const look = async (hash: Buffer): Promise<Caller> => {
    const { caller } = await lookups.add(hash);
    if (caller === null) throw new ApiError('business.invalid_api_key');
    if (!caller.active) throw new ApiError('business.inactive');
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(nameOf(hash), { caller, checkedAt: now() });
    return caller;
  };

  /**
   * Requests that are never completed never ask whether their key counts, and until then they take from the share of the business
   * whose key it was: a revoked one must not do so for long.
   */
  const checkAgain = (hash: Buffer, known: Remembered): void => {
    known.checkedAt = now();
    look(hash).catch((error: unknown) => {
      if (error instanceof ApiError && error.code !== 'common.unavailable') remembered.delete(nameOf(hash));
    });
  };

  return {
    async authenticate(header) {
      const hash = hashOf(header);
      if (hash === null) throw new ApiError('business.invalid_api_key');
      return look(hash);
    },
    recognise(header) {
      const hash = hashOf(header);
      const known = hash === null ? undefined : remembered.get(nameOf(hash));
      if (hash === null || known === undefined) return null;
      if (now() - known.checkedAt > CHECKED_EVERY_MS) checkAgain(hash, known);
      return known.caller;
    },
    forget(header) {
      const hash = hashOf(header);
      if (hash !== null) remembered.delete(nameOf(hash));
    },
  };
}

/** A request asks for the hash of its header two or three times in a row: the last one is kept. */
function rememberHash(): (header: string | undefined) => Buffer | null {
  let last: { header: string | undefined; hash: Buffer | null } = { header: undefined, hash: null };
  return (header) => {
    if (header !== last.header) {
      const key = bearerToken(header);
      last = { header, hash: key === null ? null : keyHash(key) };
    }
    return last.hash;
  };
}

const nameOf = (hash: Buffer): string => hash.toString('latin1');

const BEARER = /^Bearer +([\x21-\x7e]{1,200})$/i;

/** The token of an Authorization header; null where there is none. */
export const bearerToken = (header: string | undefined): string | null =>
  header === undefined ? null : (BEARER.exec(header)?.[1] ?? null);

/** Whether the header carries this very token. */
export function bearsToken(header: string | undefined, token: string): boolean {
  const given = bearerToken(header);
  return given !== null && constantTimeEqual(given, token);
}
