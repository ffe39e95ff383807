import { Client } from 'pg';
import { startChild } from '../children.ts';
import { atEnd, thenClose } from '../cleanup.ts';
import { costOf } from '../cost.ts';
import type { BenchEnvironment } from '../environment.ts';
import { alternate, type Compared, type Measured } from '../measure.ts';
import type { Sent } from '../outboxProcess.ts';
import { FEWER_RECIPIENTS } from '../plan.ts';
import { nodeFlags } from '../program.ts';
import { atLeast, atMostTime, type Reporter } from '../report/row.ts';
import { addBacklog } from '../seed.ts';

type Drain = (sends: number) => Promise<Measured>;

const ROUNDS = 3;
const SENDS = 20_000;
const FEWER = 5_000;

export async function measureOutbox(world: BenchEnvironment, report: Reporter): Promise<void> {
  const besideGraphile = await drainInTurn(SENDS / 10, SENDS, async () => [
    await startOutboxes(world, 'outbox'),
    await startGraphile(world),
  ]);
  const graphile = 'graphile-worker, local queue, empty task';
  report.compared('outbox drain, 20,000 nudges', graphile, atLeast(0.5), besideGraphile);

  const besideTransaction = await drainInTurn(FEWER, FEWER, async () => [
    await startOutboxes(world, 'held', 1, holdTransaction),
    await startOutboxes(world, 'free'),
  ]);
  const work = 'outbox drain beside a transaction left open';
  report.compared(work, 'the same without it', atMostTime(1.5), besideTransaction);

  // The sends of one shop must not make its workers take turns.
  const byTwo = await drainInTurn(FEWER / 2, FEWER, async () => [
    await startOutboxes(world, 'shared', 2),
    await startOutboxes(world, 'single'),
  ]);
  report.compared('outbox drain of one shop by two workers', 'the same by one', null, byTwo);
}

const drainInTurn = (
  warmUp: number,
  sends: number,
  open: () => Promise<[ours: Drain, baseline: Drain]>,
): Promise<Compared> =>
  thenClose(async () => {
    const sides = await open();
    for (const side of sides) await side(warmUp);
    const drain = (side: Drain) => () => side(sends);
    return alternate(ROUNDS, drain(sides[0]), drain(sides[1]));
  });

/** An old transaction keeps vacuum from removing dead rows of sent nudges: they must not slow down the next claims. */
async function holdTransaction(connectionString: string): Promise<void> {
  const old = new Client({ connectionString });
  await old.connect();
  atEnd(() => old.end());
  await old.query('begin isolation level repeatable read');
  await old.query('select count(*) from businesses');
}

/** Our outbox on a database of its own, each worker in its own process. */
async function startOutboxes(
  world: BenchEnvironment,
  name: string,
  workers = 1,
  prepare: (administratorUrl: string) => Promise<void> = async () => {},
): Promise<Drain> {
  const database = await world.database(name, FEWER_RECIPIENTS);
  const start = () => startChild('outboxProcess.ts', { url: database.url }, nodeFlags());
  const outboxes = await Promise.all(Array.from({ length: workers }, start));
  await prepare(database.administratorUrl);
  let queued = 0;
  return async (count) => {
    await addBacklog(database, queued, count);
    queued += count;
    const pids = outboxes.map(({ pid }) => pid);
    return costOf(world, pids, async () => {
      const drained = await Promise.all(outboxes.map((outbox) => outbox.call<Sent>('drain')));
      const sent = drained.reduce((sum, one) => sum + one.sent, 0);
      if (sent > count) throw new Error('the outbox sent more than there was');
      return { perSecond: count / Math.max(...drained.map(({ seconds }) => seconds)) };
    });
  };
}

/** graphile-worker, with as many empty jobs. */
async function startGraphile(world: BenchEnvironment): Promise<Drain> {
  const { url } = await world.database('graphile', 0);
  const child = await startChild('limits/graphile.ts', { url });
  return (jobs) => costOf(world, [child.pid], () => child.call('drain', { jobs }));
}
