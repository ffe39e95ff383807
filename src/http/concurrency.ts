import { monotonicMs } from '../kit/clock.ts';
import { createPace } from './pace.ts';

/** Runs work for tenants, so much at once for each; the rest waits for its own tenant's work to end. */
export interface Concurrency {
  run<T>(tenant: string, work: () => Promise<T>): Promise<T>;
}

/** What waits holds no database connection and no processor. It is bounded by the requests that a tenant may have in progress. */
export function limitConcurrency(limitOf: (tenant: string) => number): Concurrency {
  const running = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  const end = (tenant: string): void => {
    let count = (running.get(tenant) ?? 1) - 1;
    const queue = waiting.get(tenant);
    // The limit may have changed since they came.
    for (const limit = limitOf(tenant); queue && queue.length > 0 && count < limit; count += 1)
      queue.shift()?.();
    if (queue?.length === 0) waiting.delete(tenant);
    if (count === 0) running.delete(tenant);
    else running.set(tenant, count);
  };

  const begin = (tenant: string): Promise<void> | null => {
    const count = running.get(tenant) ?? 0;
    if (count < limitOf(tenant)) {
      running.set(tenant, count + 1);
      return null;
    }
    return new Promise((resolve) => {
      const queue = waiting.get(tenant);
      if (queue) queue.push(resolve);
      else waiting.set(tenant, [resolve]);
    });
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
