import { dueCalls } from '../connections/workerSql.ts';
import type { Pool } from '../db/pool.ts';
import { type Clock, monotonicMs, SECOND } from '../kit/clock.ts';
import { dueSends } from '../outbox/claimSql.ts';
import { dueDeliveries } from '../webhooks/claimSql.ts';
import type { Foundation } from './foundation.ts';

/** A supervisor leaves out a process that takes two seconds to tell its metrics. */
const ANSWER_WITHIN_MS = 1 * SECOND;
/** The gauges of one scrape share their queries, and so do scrapes that come together. */
const KEPT_MS = 2 * SECOND;

/** Gauges that say how late the work is, whether the database answers, and how full the connection pools are. */
export function watchHealth({ pool, clock, metrics }: Foundation) {
  const lags = kept(() => within(ANSWER_WITHIN_MS, readLags(pool, clock)).catch(() => null));
  const pools = new Map([['main', pool]]);
  const ofEachPool = (read: (one: Pool) => number): Record<string, number> =>
    Object.fromEntries(Array.from(pools, ([name, one]) => [name, read(one)]));

  metrics.gauge(
    'waypost_outbox_lag_seconds',
    'How late the oldest due send is.',
    async () => (await lags())?.outboxSeconds ?? null,
    'max',
  );
  metrics.gauge(
    'waypost_webhook_lag_seconds',
    'How late the oldest due delivery to an endpoint is that answered last time.',
    async () => (await lags())?.webhookSeconds ?? null,
    'max',
  );
  metrics.gauge(
    'waypost_connection_lag_seconds',
    'How late the oldest due call of a connected store or tracking service is.',
    async () => (await lags())?.connectionSeconds ?? null,
    'max',
  );
  metrics.gauge(
    'waypost_database_answers',
    'Whether the database answered a short question within a second.',
    async () => ((await lags()) === null ? 0 : 1),
    'min',
  );
  metrics.gaugeBy(
    'waypost_database_pool_used_ratio',
    'Database connections in use, of those that the process may open.',
    'pool',
    () => ofEachPool(({ totalCount, idleCount, options }) => (totalCount - idleCount) / options.max),
  );
  metrics.gaugeBy('waypost_database_pool_waiting', 'Work that waits for a database connection.', 'pool', () =>
    ofEachPool(({ waitingCount }) => waitingCount),
  );
  return { watchPool: (name: string, one: Pool): void => void pools.set(name, one) };
}

async function readLags(pool: Pool, clock: Clock) {
  const now = clock.now();
  const [send, delivery, call] = await Promise.all([
    dueSends.oldest(pool, now),
    dueDeliveries.oldest(pool, now),
    dueCalls.oldest(pool, now),
  ]);
  return {
    outboxSeconds: secondsSince(send, now),
    webhookSeconds: secondsSince(delivery, now),
    connectionSeconds: secondsSince(call, now),
  };
}

export const secondsSince = (due: Date | null, now: Date): number =>
  due === null ? 0 : (now.getTime() - due.getTime()) / SECOND;

/** Rejects if the work takes longer; the work itself continues until its own timeout. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('database probe timed out')), milliseconds);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

function kept<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { at: number; result: Promise<T> } | null = null;
  return () => {
    if (last === null || monotonicMs() - last.at > KEPT_MS) last = { at: monotonicMs(), result: read() };
    return last.result;
  };
}
