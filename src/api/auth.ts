import { type Caller, findCallers, keyHash } from '../businesses/keys.ts';
import { SilentShard } from '../db/errors.ts';
import type { Pool } from '../db/pool.ts';
import { monotonicMs } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import { ApiError } from '../kit/errors.ts';
import { constantTimeEqual } from '../kit/seal.ts';

export type Authentication = ReturnType<typeof createAuthentication>;

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
 * Identifies the caller by the Authorization header. Every call checks in the database that its key is valid, so that a
 * revoked key is refused on the very next call on every node; operations whose first statement checks the key spend no
 * extra round trip. `onUse` is called at a lookup: for a key in use, every 10 seconds at least.
 */
export function createAuthentication(
  pool: Pool,
  now = monotonicMs,
  onUse: (caller: Caller) => void = () => {},
) {
  const findActive = createLookups(pool);
  const cache = new Map<string, CachedCaller>();
  const hashOf = cacheLastHash();

  const lookUp = async (hash: string | null): Promise<Caller> => {
    if (hash === null) throw new ApiError('business.invalid_api_key');
    const caller = await findActive(hash);
    if (cache.size >= CACHED_MAX) cache.clear();
    cache.set(hash, { caller, checkedAt: now() });
    onUse(caller);
    return caller;
  };

  /**
   * A request that is never completed never checks its key, and meanwhile it uses the share of the key's owner: a
   * revoked key must not do so for long.
   */
  const recheck = (hash: string, cached: CachedCaller): void => {
    cached.checkedAt = now();
    lookUp(hash).catch((error: unknown) => {
      if (error instanceof ApiError && error.code !== 'common.unavailable') cache.delete(hash);
    });
  };

  return {
    /** Looks the key up; throws if it is not valid. */
    authenticate: async (header: string | undefined): Promise<Caller> => lookUp(hashOf(header)),
    /**
     * The owner of the key at its last lookup, if cached. A key's owner never changes, but the key may be revoked:
     * the code that uses this must check that.
     */
    recognise(header: string | undefined): Caller | null {
      const hash = hashOf(header);
      const cached = hash === null ? undefined : cache.get(hash);
      if (hash === null || cached === undefined) return null;
      if (now() - cached.checkedAt > CHECKED_EVERY_MS) recheck(hash, cached);
      return cached.caller;
    },
    /** The key turned out to be invalid: the next call looks it up again. */
    forget(header: string | undefined): void {
      const hash = hashOf(header);
      if (hash !== null) cache.delete(hash);
    },
  };
}

/** Concurrent lookups share one query, which makes them cheap. */
function createLookups(pool: Pool): (hash: string) => Promise<Caller> {
  const lookups = coalesce<Buffer, { caller: Caller | null | undefined }>({
    run: async (hashes) => (await findCallers(pool, hashes)).map((caller) => ({ caller })),
    concurrency: LOOKUPS_AT_ONCE,
    maxItems: LIST_MAX,
    maxWaiting: WAITING_MAX,
  });
  return async (hash) => {
    const { caller } = await lookups.add(Buffer.from(hash, 'latin1'));
    if (caller === undefined) throw new SilentShard();
    if (caller === null) throw new ApiError('business.invalid_api_key');
    if (!caller.active) throw new ApiError('business.inactive');
    return caller;
  };
}

/** A request needs the hash of its header two or three times in a row, so the last one is cached. As text, for the key of a map. */
function cacheLastHash(): (header: string | undefined) => string | null {
  let last: { header: string | undefined; hash: string | null } = { header: undefined, hash: null };
  return (header) => {
    if (header !== last.header) {
      const key = bearerToken(header);
      last = { header, hash: key === null ? null : keyHash(key).toString('latin1') };
    }
    return last.hash;
  };
}

const BEARER = /^Bearer +([\x21-\x7e]{1,200})$/i;

/** The token of an Authorization header; null if there is none. */
const bearerToken = (header: string | undefined): string | null =>
  header === undefined ? null : (BEARER.exec(header)?.[1] ?? null);

export function bearsToken(header: string | undefined, token: string): boolean {
  const given = bearerToken(header);
  return given !== null && constantTimeEqual(given, token);
}
