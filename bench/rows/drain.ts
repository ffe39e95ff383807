import { type Child, startChild } from '../children.ts';
import { usedBy } from '../cost.ts';
import { alternate, type Compared, type Measured } from '../measure.ts';
import { addBacklog } from '../seed.ts';
import type { Database, World } from '../world.ts';

/** A queue of email nudges, worked off by our outbox, against as many empty jobs by graphile-worker. */
export async function compareDrain(
  world: World,
  mine: Database,
  theirs: Database,
  { sends, rounds, batchDelay }: { sends: number; rounds: number; batchDelay: number },
): Promise<Compared> {
  const outbox = await startChild('outboxProcess.ts', { url: mine.url });
  const graphile = await startChild('limits/graphile.ts', { url: theirs.url, batchDelay });
  let queued = 0;
  const drainOurs = async (count: number): Promise<Measured> => {
    await addBacklog(mine, queued, count);
    queued += count;
    return costOf(world, outbox, async () => {
      const { sent, seconds } = await outbox.call<{ sent: number; seconds: number }>('drain');
      if (sent > count) throw new Error('the outbox sent more than there was');
      return count / seconds;
    });
  };
  const drainTheirs = (count: number): Promise<Measured> =>
    costOf(
      world,
      graphile,
      async () => (await graphile.call<{ perSecond: number }>('drain', { jobs: count })).perSecond,
    );
  try {
    await drainOurs(sends / 10);
    await drainTheirs(sends / 10);
    return await alternate(
      rounds,
      () => drainOurs(sends),
      () => drainTheirs(sends),
    );
  } finally {
    await outbox.call('stop');
    await outbox.stop();
    await graphile.stop();
  }
}

async function costOf(world: World, child: Child, work: () => Promise<number>): Promise<Measured> {
  const cpu = usedBy(child.pid).cpuSeconds;
  const postgres = world.postgresCpuSeconds();
  const began = performance.now();
  const perSecond = await work();
  const seconds = (performance.now() - began) / 1_000;
  const after = usedBy(child.pid);
  return {
    perSecond,
    cpu: {
      process: (after.cpuSeconds - cpu) / seconds,
      postgres: (world.postgresCpuSeconds() - postgres) / seconds,
    },
    rssMegabytes: after.rssMegabytes,
  };
}
