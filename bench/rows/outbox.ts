import { Client } from 'pg';
import { startChild } from '../children.ts';
import { atEnd, thenClose } from '../cleanup.ts';
import { costOf } from '../cost.ts';
import type { BenchEnvironment } from '../environment.ts';
import { alternate, type Compared, type Measured } from '../measure.ts';
import { FEWER_RECIPIENTS } from '../plan.ts';
import { nodeFlags } from '../program.ts';
import { atLeast, atMostTime, type Reporter } from '../report/row.ts';
import { addBacklog } from '../seed.ts';

type Drain = (sends: number) => Promise<Measured>;

const ROUNDS = 3;

export async function measureOutbox(world: BenchEnvironment, report: Reporter): Promise<void> {
  const sends = 20_000;
  const fewer = 5_000;
  const besideGraphile = await thenClose(async () =>
    drainInTurn(await startOutboxes(world, 'outbox'), await startGraphile(world), sends / 10, sends),
  );
  const graphile = 'graphile-worker, local queue, empty task';
  report.compared('outbox drain, 20,000 nudges', graphile, atLeast(0.5), besideGraphile);

  const besideTransaction = await thenClose(async () => {
    const held = await startOutboxes(world, 'held');
    await holdTransaction(held.administratorUrl);
    return drainInTurn(held, await startOutboxes(world, 'free'), fewer, fewer);
  });
  const work = 'outbox drain beside a transaction left open';
  report.compared(work, 'the same without it', atMostTime(1.5), besideTransaction);

  // The sends of one shop must not make its workers take turns.
  const byTwo = await thenClose(async () =>
    drainInTurn(
      await startOutboxes(world, 'shared', 2),
      await startOutboxes(world, 'single'),
      fewer / 2,
      fewer,
    ),
  );
  report.compared('outbox drain of one shop by two workers', 'the same by one', null, byTwo);
}

async function drainInTurn(
  ours: { drain: Drain },
  baseline: { drain: Drain },
  warmUp: number,
  sends: number,
): Promise<Compared> {
  await ours.drain(warmUp);
  await baseline.drain(warmUp);
  return alternate(
    ROUNDS,
    () => ours.drain(sends),
    () => baseline.drain(sends),
  );
}

/** An old transaction keeps vacuum from removing dead rows of sent nudges: they must not slow down the next claims. */
async function holdTransaction(connectionString: string): Promise<void> {
  const old = new Client({ connectionString });
  await old.connect();
  atEnd(() => old.end());
  await old.query('begin isolation level repeatable read');
  await old.query('select count(*) from businesses');
}

/** Our outbox on a database of its own, each worker in its own process. */
async function startOutboxes(world: BenchEnvironment, name: string, workers = 1) {
  const database = await world.database(name, FEWER_RECIPIENTS);
  const start = () => startChild('outboxProcess.ts', { url: database.url }, nodeFlags());
  const outboxes = await Promise.all(Array.from({ length: workers }, start));
  let queued = 0;
  const drain: Drain = async (count) => {
    await addBacklog(database, queued, count);
    queued += count;
    const pids = outboxes.map(({ pid }) => pid);
    return costOf(world, pids, async () => {
      const drained = await Promise.all(
        outboxes.map((outbox) => outbox.call<{ sent: number; seconds: number }>('drain')),
      );
      const sent = drained.reduce((sum, one) => sum + one.sent, 0);
      if (sent > count) throw new Error('the outbox sent more than there was');
      return count / Math.max(...drained.map(({ seconds }) => seconds));
    });
  };
  return { drain, administratorUrl: database.administratorUrl };
}

/** graphile-worker, with as many empty jobs. */
async function startGraphile(world: BenchEnvironment): Promise<{ drain: Drain }> {
  const { url } = await world.database('graphile', 0);
  const child = await startChild('limits/graphile.ts', { url });
  return { drain: (jobs) => costOf(world, [child.pid], () => child.call<number>('drain', { jobs })) };
}
