import { Client } from 'pg';
import { startChild } from '../children.ts';
import { costOf } from '../cost.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import { alternate, type Compared, type Measured } from '../measure.ts';
import { nodeFlags } from '../program.ts';
import { addBacklog } from '../seed.ts';

/** Our outbox draining email nudges, against graphile-worker draining as many empty jobs. */
export async function compareDrain(
  world: BenchEnvironment,
  mine: BenchDatabase,
  theirs: BenchDatabase,
  { sends, rounds, batchDelay }: { sends: number; rounds: number; batchDelay: number },
): Promise<Compared> {
  const ours = await startDraining(world, mine);
  const graphile = await startChild('limits/graphile.ts', { url: theirs.url, batchDelay });
  const drainTheirs = (count: number): Promise<Measured> =>
    costOf(
      world,
      [graphile.pid],
      async () => (await graphile.call<{ perSecond: number }>('drain', { jobs: count })).perSecond,
    );
  try {
    await ours.drain(sends / 10);
    await drainTheirs(sends / 10);
    return await alternate(
      rounds,
      () => ours.drain(sends),
      () => drainTheirs(sends),
    );
  } finally {
    await ours.stop();
    await graphile.stop();
  }
}

/**
 * The same queue beside an old open transaction, which keeps vacuum from removing dead rows of sent nudges: they must not slow
 * down the next claims.
 */
export async function compareBesideOpenTransaction(
  world: BenchEnvironment,
  held: BenchDatabase,
  free: BenchDatabase,
  { sends, rounds }: { sends: number; rounds: number },
): Promise<Compared> {
  const old = new Client({ connectionString: held.administratorUrl });
  const [beside, alone] = [await startDraining(world, held), await startDraining(world, free)];
  try {
    await old.connect();
    await old.query('begin isolation level repeatable read');
    await old.query('select count(*) from businesses');
    await beside.drain(sends);
    await alone.drain(sends);
    return await alternate(
      rounds,
      () => beside.drain(sends),
      () => alone.drain(sends),
    );
  } finally {
    await old.end();
    await beside.stop();
    await alone.stop();
  }
}

/** One shop's queue drained by two workers, against one: its sends must not make the workers take turns. */
export async function compareWorkers(
  world: BenchEnvironment,
  shared: BenchDatabase,
  single: BenchDatabase,
  { sends, rounds }: { sends: number; rounds: number },
): Promise<Compared> {
  const [two, one] = [await startDraining(world, shared, 2), await startDraining(world, single)];
  try {
    await two.drain(sends / 2);
    await one.drain(sends / 2);
    return await alternate(
      rounds,
      () => two.drain(sends),
      () => one.drain(sends),
    );
  } finally {
    await two.stop();
    await one.stop();
  }
}

/** Our outbox, each worker in its own process. */
async function startDraining(world: BenchEnvironment, database: BenchDatabase, workers = 1) {
  const outboxes = await Promise.all(
    Array.from({ length: workers }, () => startChild('outboxProcess.ts', { url: database.url }, nodeFlags())),
  );
  const pids = outboxes.map(({ pid }) => pid);
  let queued = 0;
  return {
    async drain(count: number): Promise<Measured> {
      await addBacklog(database, queued, count);
      queued += count;
      return costOf(world, pids, async () => {
        const drained = await Promise.all(
          outboxes.map((outbox) => outbox.call<{ sent: number; seconds: number }>('drain')),
        );
        if (drained.reduce((sum, { sent }) => sum + sent, 0) > count)
          throw new Error('the outbox sent more than there was');
        return count / Math.max(...drained.map(({ seconds }) => seconds));
      });
    },
    async stop(): Promise<void> {
      await Promise.all(outboxes.map((outbox) => outbox.call('stop')));
      await Promise.all(outboxes.map((outbox) => outbox.stop()));
    },
  };
}
