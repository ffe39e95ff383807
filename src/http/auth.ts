import { type Caller, findCallers, keyHash } from '../businesses/keys.ts';
import type { Pool } from '../db/pool.ts';
import { coalesce } from '../kit/coalesce.ts';
import { ApiError } from '../kit/errors.ts';
import { bearerToken } from './bearer.ts';

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

/**
 * Every call asks the database afresh whether its key counts, so that a revoked one is refused on the very next call on every
 * node. Lookups that arrive while one is under way share the next, which makes that cheap; operations that can ask it with
 * their own first statement spend no round trip on it.
 */
export function createAuthentication(pool: Pool): Authentication {
  const lookups = coalesce<Buffer, { caller: Caller | null }>({
    run: async (hashes) => (await findCallers(pool, hashes)).map((caller) => ({ caller })),
    lanes: LANES,
    maxItems: LIST_MAX,
    maxWaiting: WAITING_MAX,
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    sizeOf: () => 0,
  });
  const remembered = new Map<string, Caller>();

  return {
    async authenticate(header) {
      const hash = hashOf(header);
      if (hash === null) throw new ApiError('business.invalid_api_key');
      const { caller } = await lookups.add(hash);
      if (caller === null) throw new ApiError('business.invalid_api_key');
      if (!caller.active) throw new ApiError('business.inactive');
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      remembered.set(nameOf(hash), caller);
      return caller;
    },
    recognise(header) {
      const hash = hashOf(header);
      return hash === null ? null : (remembered.get(nameOf(hash)) ?? null);
    },
    forget(header) {
      const hash = hashOf(header);
      if (hash !== null) remembered.delete(nameOf(hash));
    },
  };
}

function hashOf(header: string | undefined): Buffer | null {
  const key = bearerToken(header);
  return key === null ? null : keyHash(key);
}

const nameOf = (hash: Buffer): string => hash.toString('latin1');
