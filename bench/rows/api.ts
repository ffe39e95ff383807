import { startChild } from '../children.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import type { RowLoad } from '../load/generator.ts';
import { PUSH_PATH } from '../load/requests.ts';
import { alternate, type Measured } from '../measure.ts';
import { MORE_ROUNDS, RECIPIENTS, ROUNDS, type RoundPlan } from '../plan.ts';
import { API_ONLY, type BenchServer, startBareServer, startBenchServer } from '../program.ts';
import { atLeast, type Reporter, type Target } from '../report/row.ts';
import {
  batchLoad,
  getLoad,
  listLoad,
  manyShopsLoad,
  oneShopLoad,
  pushLoad,
  replayLoad,
  viewLoad,
  warmUp,
} from './loads.ts';

type LoadOf = (database: BenchDatabase) => RowLoad | Promise<RowLoad>;

/** `ours` has every rule and stores its answers; `bare` writes and reads the same rows in its own database. */
interface Sides {
  ours: BenchServer;
  bare: BenchServer;
}

/** A load, or SQL alone, that a row is compared with. */
type Baseline = [name: string, open: (sides: Sides) => Promise<(seconds: number) => Promise<Measured>>];

/** The load is made when the row begins: it may read what the rows before it wrote. */
type ApiRow = [name: string, load: LoadOf, baseline: Baseline, target: Target | null, plan?: RoundPlan];

const loadOn = (name: string, side: keyof Sides, load: LoadOf): Baseline => [
  name,
  async (sides) => {
    const server = sides[side];
    const made = await load(server.database);
    return (seconds) => server.measure(made, seconds);
  },
];

const pushBy =
  (clients: number, path?: string): LoadOf =>
  (database) =>
    pushLoad(database, clients, path);
const bareView: LoadOf = (database) => viewLoad(database, '/messages');
const bareList: LoadOf = (database) => getLoad(database, ['/messages']);

const barePush = (clients: number) => loadOn('bare Fastify, one SQL call', 'bare', pushBy(clients, '/push'));
const bareRead = (load: LoadOf) => loadOn('bare Fastify, the one query', 'bare', load);
const oneShop = loadOn('the same of one shop', 'ours', oneShopLoad);
const push = loadOn('a push', 'ours', pushBy(16));
const bareBatches: Baseline = [
  'the set-based SQL alone',
  async ({ bare: { database } }) => {
    const { url, businessId, recipients } = database;
    const child = await startChild('limits/bareBatches.ts', { url, businessId, recipients });
    return (seconds) => child.call('run', { seconds });
  },
];

/** `--beside` measures them as well. */
export const API_ROWS: readonly ApiRow[] = [
  ['single pushes, 16 clients', pushBy(16), barePush(16), atLeast(1), MORE_ROUNDS],
  ['single pushes, 64 clients', pushBy(64), barePush(64), atLeast(1)],
  ['single pushes, 64 clients of 64 shops', manyShopsLoad, oneShop, atLeast(0.9)],
  ['pushes in batches of 100, 2 clients', batchLoad, bareBatches, atLeast(0.5), MORE_ROUNDS],
  ['GET message', viewLoad, bareRead(bareView), atLeast(0.7)],
  ['list of 50', listLoad, bareRead(bareList), atLeast(0.7)],
  ['replay of a spent key', replayLoad, push, atLeast(2), MORE_ROUNDS],
  ['preview of a push', pushBy(16, `${PUSH_PATH}/preview`), push, null],
];

export async function measureApi(world: BenchEnvironment, report: Reporter): Promise<void> {
  const ours = await startBenchServer(world, await world.database('api', RECIPIENTS), API_ONLY);
  const bare = await startBareServer(world, await world.database('bare', RECIPIENTS));
  await warmUp(ours);
  await warmUp(bare, '/push');
  for (const [name, load, [baseline, open], target, { rounds, seconds } = ROUNDS] of API_ROWS) {
    const made = await load(ours.database);
    const measureBaseline = await open({ ours, bare });
    const compared = await alternate(
      rounds,
      () => ours.measure(made, seconds),
      () => measureBaseline(seconds),
    );
    report.compared(name, baseline, target, compared);
  }
  report.memory('api', ours);
  const nothing = await bare.measure(pushLoad(bare.database, 64, '/nothing'), ROUNDS.seconds);
  report.measured('the load generator itself: 64 clients, a handler that does nothing', null, nothing);
}
