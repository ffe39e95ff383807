import { monotonicMs } from '../kit/clock.ts';
import { createPace } from './readBody.ts';

/** Runs work with a concurrency limit per tenant; the rest waits for its own tenant's work to end. */
export interface Concurrency {
  run<T>(tenant: string, work: () => Promise<T>): Promise<T>;
}

/** Waiting work uses no database connection and no CPU. A tenant's share of requests bounds it. */
export function limitConcurrency(limitOf: (tenant: string) => number): Concurrency {
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
    if (state.waiting.length > 0) {
      // The limit may have changed meanwhile.
      for (
        const limit = limitOf(tenant);
        state.waiting.length > 0 && state.running < limit;
        state.running += 1
      )
        state.waiting.shift()?.();
    }
    if (state.running === 0) tenants.delete(tenant);
  };

  return {
    async run(tenant, work) {
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

/** Which tenants have called recently. */
export interface Activity {
  note(tenant: string): void;
  /** Whether any other tenant has called recently. */
  othersActive(tenant: string): boolean;
}

const RECENT_MS = 2_000;

/** The last two tenants are enough to answer for any tenant. */
export function trackActivity(now = monotonicMs): Activity {
  let last = { tenant: '', at: Number.NEGATIVE_INFINITY };
  let other = last;
  return {
    note(tenant) {
      if (tenant !== last.tenant) {
        other = last;
        last = { tenant, at: 0 };
      }
      last.at = now();
    },
    othersActive: (tenant) => now() - (last.tenant === tenant ? other : last).at < RECENT_MS,
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
