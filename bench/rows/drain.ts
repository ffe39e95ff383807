import { Client } from 'pg';
import { type Child, startChild } from '../children.ts';
import { usageOf } from '../cost.ts';
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
      graphile,
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

/** Our outbox in its own process. */
async function startDraining(world: BenchEnvironment, database: BenchDatabase) {
  const outbox = await startChild('outboxProcess.ts', { url: database.url }, nodeFlags());
  let queued = 0;
  return {
    async drain(count: number): Promise<Measured> {
      await addBacklog(database, queued, count);
      queued += count;
      return costOf(world, outbox, async () => {
        const { sent, seconds } = await outbox.call<{ sent: number; seconds: number }>('drain');
        if (sent > count) throw new Error('the outbox sent more than there was');
        return count / seconds;
      });
    },
    async stop(): Promise<void> {
      await outbox.call('stop');
      await outbox.stop();
    },
  };
}

async function costOf(world: BenchEnvironment, child: Child, work: () => Promise<number>): Promise<Measured> {
  const cpu = usageOf(child.pid).cpuSeconds;
  const postgres = world.postgresCpuSeconds();
  const began = performance.now();
  const perSecond = await work();
  const seconds = (performance.now() - began) / 1_000;
  const after = usageOf(child.pid);
  return {
    perSecond,
    cpu: {
      process: (after.cpuSeconds - cpu) / seconds,
      postgres: (world.postgresCpuSeconds() - postgres) / seconds,
    },
    rssMegabytes: after.rssMegabytes,
  };
}
