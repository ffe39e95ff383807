import { monotonicMs } from '../kit/clock.ts';

/** What a call leaves in its key's bucket. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until the bucket is full again. */
  resetSeconds: number;
  /** Whole seconds until the next call may be made. */
  retryAfterSeconds: number;
}

export type RateLimit = (key: string) => Allowance;

const SWEEP_AT = 10_000;

/**
 * A token bucket a key: `burst` calls at once, `perSecond` sustained. It protects this process and is kept in its
 * memory; what it counts is worth nothing to another node. Buckets that have filled up again are forgotten.
 */
export function createRateLimit(
  { perSecond, burst }: { perSecond: number; burst: number },
  now = monotonicMs,
): RateLimit | null {
  if (perSecond === 0) return null;
  const limit = Math.max(burst, 1);
  const buckets = new Map<string, { tokens: number; at: number }>();

  const sweep = (at: number) => {
    for (const [key, bucket] of buckets) {
      if (bucket.tokens + ((at - bucket.at) / 1000) * perSecond >= limit) buckets.delete(key);
    }
  };

  return (key) => {
    const at = now();
    if (buckets.size >= SWEEP_AT) sweep(at);
    const before = buckets.get(key) ?? { tokens: limit, at };
    const filled = Math.min(limit, before.tokens + ((at - before.at) / 1000) * perSecond);
    const allowed = filled >= 1;
    const tokens = allowed ? filled - 1 : filled;
    buckets.set(key, { tokens, at });
    return {
      allowed,
      limit,
      remaining: Math.floor(tokens),
      resetSeconds: Math.ceil((limit - tokens) / perSecond),
      retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / perSecond)),
    };
  };
}
