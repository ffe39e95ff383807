import { type Caller, findCallers, keyHash } from '../businesses/keys.ts';
import type { Pool } from '../db/pool.ts';
import { coalesce } from '../kit/coalesce.ts';
import { ApiError } from '../kit/errors.ts';

/** Who is calling, by the Authorization header. */
export type Authenticate = (header: string | undefined) => Promise<Caller>;

const BEARER = /^Bearer +([\x21-\x7e]{1,200})$/i;
const LANES = 2;
const LIST_MAX = 500;
const WAITING_MAX = 20_000;

/**
 * Keys are looked up afresh on every call, so that a revoked one is refused on the very next call on every node;
 * lookups that arrive while one is under way share the next, which makes that cheap.
 */
export function createAuthenticate(pool: Pool): Authenticate {
  const lookups = coalesce<Buffer, { caller: Caller | null }>({
    run: async (hashes) => (await findCallers(pool, hashes)).map((caller) => ({ caller })),
    lanes: LANES,
    maxItems: LIST_MAX,
    maxWaiting: WAITING_MAX,
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    sizeOf: () => 0,
  });

  return async (header) => {
    const key = header === undefined ? null : BEARER.exec(header)?.[1];
    if (!key) throw new ApiError('business.invalid_api_key');
    const { caller } = await lookups.add(keyHash(key));
    if (caller === null) throw new ApiError('business.invalid_api_key');
    if (!caller.active) throw new ApiError('business.inactive');
    return caller;
  };
}
