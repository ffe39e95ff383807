import { type Caller, findCallers, keyHash } from '../businesses/keys.ts';
import { SilentShard } from '../db/errors.ts';
import type { Pool } from '../db/pool.ts';
import { monotonicMs } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import { ApiError } from '../kit/errors.ts';
import { constantTimeEqual } from '../kit/seal.ts';

/** Identifies the caller by the Authorization header. */
export interface Authentication {
  /** Looks the key up; throws if it is not valid. */
  authenticate(header: string | undefined): Promise<Caller>;
  /**
   * The owner of the key at its last lookup, if cached. A key's owner never changes, but the key may be revoked:
   * the code that uses this must check that.
   */
  recognise(header: string | undefined): Caller | null;
  /** The key turned out to be invalid: the next call looks it up again. */
  forget(header: string | undefined): void;
}

const LOOKUPS_AT_ONCE = 2;
const LIST_MAX = 500;
const WAITING_MAX = 20_000;
/** More keys than a process sees in a while; beyond this the cache starts over. */
const CACHED_MAX = 10_000;
/** The age at which a cached key is looked up again in the background. */
const CHECKED_EVERY_MS = 10_000;

interface CachedCaller {
  caller: Caller;
  checkedAt: number;
}

/**
 * Every call checks in the database that its key is valid, so that a revoked key is refused on the very next call
 * on every node. Concurrent lookups share one query, which makes that cheap; operations whose first statement
 * checks the key spend no extra round trip. `onUse` is called at a lookup: for a key in use, every 10 seconds at least.
 */
export function createAuthentication(
  pool: Pool,
  now = monotonicMs,
  onUse: (caller: Caller) => void = () => {},
): Authentication {
  const lookups = coalesce<Buffer, { caller: Caller | null | undefined }>({
    run: async (hashes) => (await findCallers(pool, hashes)).map((caller) => ({ caller })),
    concurrency: LOOKUPS_AT_ONCE,
    maxItems: LIST_MAX,
    maxWaiting: WAITING_MAX,
  });
  const cache = new Map<string, CachedCaller>();
  const hashOf = cacheLastHash();

  const lookUp = async (hash: Buffer): Promise<Caller> => {
    const { caller } = await lookups.add(hash);
    if (caller === undefined) throw new SilentShard();
    if (caller === null) throw new ApiError('business.invalid_api_key');
    if (!caller.active) throw new ApiError('business.inactive');
    if (cache.size >= CACHED_MAX) cache.clear();
    cache.set(cacheKey(hash), { caller, checkedAt: now() });
    onUse(caller);
    return caller;
  };

  /**
   * A request that is never completed never checks its key, and meanwhile it uses the share of the key's owner: a
   * revoked key must not do so for long.
   */
  const recheck = (hash: Buffer, cached: CachedCaller): void => {
    cached.checkedAt = now();
    lookUp(hash).catch((error: unknown) => {
      if (error instanceof ApiError && error.code !== 'common.unavailable') cache.delete(cacheKey(hash));
    });
  };

  return {
    async authenticate(header) {
      const hash = hashOf(header);
      if (hash === null) throw new ApiError('business.invalid_api_key');
      return lookUp(hash);
    },
    recognise(header) {
      const hash = hashOf(header);
      const cached = hash === null ? undefined : cache.get(cacheKey(hash));
      if (hash === null || cached === undefined) return null;
      if (now() - cached.checkedAt > CHECKED_EVERY_MS) recheck(hash, cached);
      return cached.caller;
    },
    forget(header) {
      const hash = hashOf(header);
      if (hash !== null) cache.delete(cacheKey(hash));
    },
  };
}

/** A request needs the hash of its header two or three times in a row, so the last one is cached. */
function cacheLastHash(): (header: string | undefined) => Buffer | null {
  let last: { header: string | undefined; hash: Buffer | null } = { header: undefined, hash: null };
  return (header) => {
    if (header !== last.header) {
      const key = bearerToken(header);
      last = { header, hash: key === null ? null : keyHash(key) };
    }
    return last.hash;
  };
}

const cacheKey = (hash: Buffer): string => hash.toString('latin1');

const BEARER = /^Bearer +([\x21-\x7e]{1,200})$/i;

/** The token of an Authorization header; null if there is none. */
const bearerToken = (header: string | undefined): string | null =>
  header === undefined ? null : (BEARER.exec(header)?.[1] ?? null);

export function bearsToken(header: string | undefined, token: string): boolean {
  const given = bearerToken(header);
  return given !== null && constantTimeEqual(given, token);
}
