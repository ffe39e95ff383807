import { monotonicMs } from '../kit/clock.ts';
import { createPace } from './readBody.ts';

export type Concurrency = ReturnType<typeof limitConcurrency>;

/**
 * Runs work with a concurrency limit per tenant; the rest waits for its own tenant's work to end. Waiting work uses no
 * database connection and no CPU. A tenant's share of requests bounds it.
 */
export function limitConcurrency(limitOf: (tenant: string) => number) {
  /** Tenants without work are removed. */
  const tenants = new Map<string, { running: number; waiting: (() => void)[] }>();

  const begin = (tenant: string): Promise<void> | null => {
    const state = tenants.get(tenant);
    if (state === undefined) {
      tenants.set(tenant, { running: 1, waiting: [] });
      return null;
    }
    if (state.running < limitOf(tenant)) {
      state.running += 1;
      return null;
    }
    return new Promise((resolve) => state.waiting.push(resolve));
  };

  const end = (tenant: string): void => {
    const state = tenants.get(tenant);
    if (state === undefined) return;
    state.running -= 1;
    // The limit may have changed meanwhile.
    while (state.waiting.length > 0 && state.running < limitOf(tenant)) {
      state.waiting.shift()?.();
      state.running += 1;
    }
    if (state.running === 0) tenants.delete(tenant);
  };

  return {
    async run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
      const slot = begin(tenant);
      if (slot !== null) await slot;
      try {
        return await work();
      } finally {
        end(tenant);
      }
    },
  };
}

export type Activity = ReturnType<typeof trackActivity>;

const RECENT_MS = 2_000;

/** Which tenants have called recently. The last two are enough to answer for any tenant. */
export function trackActivity(now = monotonicMs) {
  let last = { tenant: '', at: Number.NEGATIVE_INFINITY };
  let other = last;
  return {
    note(tenant: string): void {
      if (tenant !== last.tenant) {
        other = last;
        last = { tenant, at: 0 };
      }
      last.at = now();
    },
    /** Whether any other tenant has called recently. */
    othersActive: (tenant: string) => now() - (last.tenant === tenant ? other : last).at < RECENT_MS,
  };
}

/** The part of a second's calls that can start at once. */
const UNSPREAD_SECONDS = 0.05;

/**
 * How long a tenant's call waits, in milliseconds, so that its burst does not slow the others. A tenant alone
 * never waits.
 */
export function spreadBursts(
  perSecond = Number.POSITIVE_INFINITY,
  { othersActive }: Pick<Activity, 'othersActive'>,
  now = monotonicMs,
): (tenant: string) => number {
  if (!Number.isFinite(perSecond)) return () => 0;
  const pace = createPace({ perSecond, burst: perSecond * UNSPREAD_SECONDS }, now);
  return (tenant) => (othersActive(tenant) ? pace(tenant, 1) : 0);
}
