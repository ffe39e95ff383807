import { createBusiness } from '../src/businesses/create.ts';
import type { Pool } from '../src/db/pool.ts';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import { startRetention } from '../src/retention/retention.ts';
import { after, type Latency, latency, pushSteadily } from './erasure.ts';
import { createPushOne, type PushDeps } from './pushInProcess.ts';
import {
  type AgedTable,
  agedTables,
  analyzeAll,
  seedAgedAnswers,
  seedAgedAttempts,
  seedAgedDeliveries,
  seedAgedEvents,
  seedEndpoint,
} from './retentionSql.ts';

/** Whether deletion row by row keeps up in big tables: how fast it is, what it costs pushes, and what it leaves behind. */
export interface RetentionBench {
  rows: number;
  /** Rows deleted per second by one process, by table. */
  deletedPerSecond: Record<string, number>;
  alone: Latency;
  beside: Latency;
  before: AgedTable[];
  after: AgedTable[];
}

export interface RetentionBenchOptions {
  rows?: number;
  seconds?: number;
  pushesPerSecond?: number;
}

/** Of all rows, as a shop with one endpoint has them: most are stored answers. */
const PARTS = { answers: 0.4, events: 0.2, deliveries: 0.2, attempts: 0.2 };
const CHUNK = 200_000;
const ENDPOINT = 'bench-endpoint';
const ALONE_SECONDS = 10;

export async function benchRetention(
  deps: PushDeps,
  { rows = 10_000_000, seconds = 60, pushesPerSecond = 100 }: RetentionBenchOptions = {},
): Promise<RetentionBench> {
  const { pool, clock } = deps;
  const { businessId, keyId } = await createBusiness(pool, clock, { name: 'Bench', credits: 1_000_000 });
  await seed(pool, businessId, rows);
  const push = createPushOne(deps);
  const steady = (until: () => boolean, into: number[]) =>
    pushSteadily(() => push({ businessId, keyId }), pushesPerSecond, until, into);
  const alone: number[] = [];
  await steady(after(ALONE_SECONDS / 2), []);
  await steady(after(ALONE_SECONDS), alone);

  const before = await agedTables(pool);
  const deleted: Record<string, number> = {};
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error };
  const began = monotonicMs();
  const retention = startRetention({
    pool,
    clock,
    log,
    onDeleted: (table, count) => {
      deleted[table] = (deleted[table] ?? 0) + count;
    },
  });
  const beside: number[] = [];
  await steady(after(seconds), beside);
  const elapsed = (monotonicMs() - began) / SECOND;
  await retention.stop();
  return {
    rows,
    deletedPerSecond: Object.fromEntries(
      Object.entries(deleted).map(([table, count]) => [table, Math.round(count / elapsed)]),
    ),
    alone: latency(alone),
    beside: latency(beside),
    before,
    after: await agedTables(pool),
  };
}

async function seed(pool: Pool, businessId: string, rows: number): Promise<void> {
  await seedEndpoint(pool, businessId, ENDPOINT);
  const inChunks = async (part: number, insert: (first: number, count: number) => Promise<unknown>) => {
    const count = Math.round(rows * part);
    for (let first = 0; first < count; first += CHUNK) await insert(first, Math.min(CHUNK, count - first));
  };
  await inChunks(PARTS.answers, (first, count) => seedAgedAnswers(pool, businessId, first, count));
  await inChunks(PARTS.events, (first, count) => seedAgedEvents(pool, businessId, first, count));
  await inChunks(PARTS.deliveries, (first, count) =>
    seedAgedDeliveries(pool, businessId, first, count, ENDPOINT),
  );
  await inChunks(PARTS.attempts, (first, count) =>
    seedAgedAttempts(pool, businessId, first, count, ENDPOINT),
  );
  await analyzeAll(pool);
}
