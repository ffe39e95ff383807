import { monotonicMs } from '../kit/clock.ts';

export type RateLimit = NonNullable<ReturnType<typeof createRateLimit>>;

interface Bucket {
  tokens: number;
  at: number;
}

/** A business's burst, in bursts of a key: one busy key leaves calls to the others, and more keys do not add up. */
const BURSTS_OF_A_BUSINESS = 2;

const SWEEP_AT = 10_000;

/**
 * A token bucket per key: `burst` calls at once, `perSecond` sustained; and one per business with a larger burst
 * and the same rate. It protects this process, so it is kept in memory and not shared with other nodes.
 */
export function createRateLimit(
  { perSecond, burst }: { perSecond: number; burst: number },
  now = monotonicMs,
) {
  if (perSecond === 0) return null;
  const limit = Math.max(burst, 1);
  const keys = createBuckets({ policy: 'key', limit, perSecond });
  const businesses = createBuckets({ policy: 'business', limit: limit * BURSTS_OF_A_BUSINESS, perSecond });
  const policies = `${keys.described}, ${businesses.described}`;
  /** Counts one call of a key and, if named, of its business; it counts in neither if one of them has no call left. */
  return (key: string, business?: string) => {
    const at = now();
    const tokens = keys.tokens(key, at);
    const businessTokens =
      business === undefined ? Number.POSITIVE_INFINITY : businesses.tokens(business, at);
    const tightest = tokens <= businessTokens ? keys : businesses;
    if (Math.min(tokens, businessTokens) < 1)
      return { policies, ...tightest.allowance(Math.min(tokens, businessTokens), false) };
    keys.take(key, tokens, at);
    if (business !== undefined) businesses.take(business, businessTokens, at);
    return { policies, ...tightest.allowance(Math.min(tokens, businessTokens) - 1, true) };
  };
}

/** Buckets of one size. Full buckets are removed. */
function createBuckets({ policy, limit, perSecond }: { policy: string; limit: number; perSecond: number }) {
  const buckets = new Map<string, Bucket>();
  const filled = ({ tokens, at }: Bucket, now: number): number =>
    Math.min(limit, tokens + ((now - at) / 1000) * perSecond);
  return {
    /** Its calls and the seconds that fill it, as a header says them. */
    described: `"${policy}";q=${limit};w=${Math.ceil(limit / perSecond)}`,
    tokens(name: string, now: number): number {
      const bucket = buckets.get(name);
      return bucket ? filled(bucket, now) : limit;
    },
    take(name: string, tokens: number, now: number): void {
      if (buckets.size >= SWEEP_AT)
        for (const [other, bucket] of buckets) if (filled(bucket, now) >= limit) buckets.delete(other);
      buckets.set(name, { tokens: tokens - 1, at: now });
    },
    /** The state of this bucket after a call, in whole calls and seconds. */
    allowance: (tokens: number, allowed: boolean) => ({
      allowed,
      policy,
      limit,
      remaining: Math.floor(tokens),
      /** Until the bucket is full again. */
      resetSeconds: Math.ceil((limit - tokens) / perSecond),
      /** Until the next call is allowed. */
      retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / perSecond)),
    }),
  };
}
