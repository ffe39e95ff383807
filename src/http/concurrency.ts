import { monotonicMs } from '../kit/clock.ts';
import { createPace } from './readBody.ts';

/** Runs work for tenants, so much at once for each; the rest waits for its own tenant's work to end. */
export interface Concurrency {
  run<T>(tenant: string, work: () => Promise<T>): Promise<T>;
}

/** What waits holds no database connection and no processor. It is bounded by the requests that a tenant may have in progress. */
export function limitConcurrency(limitOf: (tenant: string) => number): Concurrency {
  /** Tenants without work are forgotten. */
  const tenants = new Map<string, { running: number; waiting: (() => void)[] }>();

  const begin = (tenant: string): Promise<void> | null => {
    const known = tenants.get(tenant);
    if (known === undefined) {
      tenants.set(tenant, { running: 1, waiting: [] });
      return null;
    }
    if (known.running < limitOf(tenant)) {
      known.running += 1;
      return null;
    }
    return new Promise((resolve) => known.waiting.push(resolve));
  };

  const end = (tenant: string): void => {
    const known = tenants.get(tenant);
    if (known === undefined) return;
    known.running -= 1;
    if (known.waiting.length > 0) {
      // The limit may have changed since they came.
      for (
        const limit = limitOf(tenant);
        known.waiting.length > 0 && known.running < limit;
        known.running += 1
      )
        known.waiting.shift()?.();
    }
    if (known.running === 0) tenants.delete(tenant);
  };

  return {
    async run(tenant, work) {
      const place = begin(tenant);
      if (place !== null) await place;
      try {
        return await work();
      } finally {
        end(tenant);
      }
    },
  };
}

/** Which tenants have called lately. */
export interface Activity {
  note(tenant: string): void;
  /** Whether any other has. */
  isBeside(tenant: string): boolean;
}

const LATELY_MS = 2_000;

/** The last two that called are enough to answer for any of them. */
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
    isBeside: (tenant) => now() - (last.tenant === tenant ? other : last).at < LATELY_MS,
  };
}

/** The part of a second's calls that may begin at once. */
const UNSPREAD_SECONDS = 0.05;

/** How long a call of a tenant waits, in milliseconds, so that its burst is not felt by the others. Alone it never waits. */
export function spreadBursts(
  perSecond = Number.POSITIVE_INFINITY,
  { isBeside }: Pick<Activity, 'isBeside'>,
  now = monotonicMs,
): (tenant: string) => number {
  if (!Number.isFinite(perSecond)) return () => 0;
  const pace = createPace({ perSecond, burst: perSecond * UNSPREAD_SECONDS }, now);
  return (tenant) => (isBeside(tenant) ? pace(tenant, 1) : 0);
}
