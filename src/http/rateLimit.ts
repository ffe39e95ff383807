import { monotonicMs } from '../kit/clock.ts';

/** What a call leaves in the tightest of its buckets. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until the bucket is full again. */
  resetSeconds: number;
  /** Whole seconds until the next call may be made. */
  retryAfterSeconds: number;
}

/** Counts one call in each of these buckets, or in none of them where one is empty. */
export type RateLimit = (...names: readonly string[]) => Allowance;

interface Bucket {
  tokens: number;
  at: number;
}

const SWEEP_AT = 10_000;

/**
 * A token bucket per name (a key, a business): `burst` calls at once, `perSecond` sustained. It protects this process and is
 * kept in its memory; what it counts is worth nothing to another node. Buckets that have filled up again are forgotten.
 */
export function createRateLimit(
  { perSecond, burst }: { perSecond: number; burst: number },
  now = monotonicMs,
): RateLimit | null {
  if (perSecond === 0) return null;
  const limit = Math.max(burst, 1);
  const buckets = new Map<string, Bucket>();

  const filled = ({ tokens, at }: Bucket, now: number): number =>
    Math.min(limit, tokens + ((now - at) / 1000) * perSecond);

  const sweep = (at: number) => {
    for (const [name, bucket] of buckets) if (filled(bucket, at) >= limit) buckets.delete(name);
  };

  return (...names) => {
    const at = now();
    if (buckets.size >= SWEEP_AT) sweep(at);
    let fewest = limit;
    for (const name of names) {
      const bucket = buckets.get(name);
      if (bucket) fewest = Math.min(fewest, filled(bucket, at));
    }
    const allowed = fewest >= 1;
    if (allowed) {
      for (const name of names) {
        const bucket = buckets.get(name);
        if (bucket) {
          bucket.tokens = filled(bucket, at) - 1;
          bucket.at = at;
        } else buckets.set(name, { tokens: limit - 1, at });
      }
    }
    const tokens = allowed ? fewest - 1 : fewest;
    return {
      allowed,
      limit,
      remaining: Math.floor(tokens),
      resetSeconds: Math.ceil((limit - tokens) / perSecond),
      retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / perSecond)),
    };
  };
}
