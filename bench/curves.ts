import { startChild } from './children.ts';
import { thenClose } from './cleanup.ts';
import type { BenchEnvironment } from './environment.ts';
import type { Sent } from './outboxProcess.ts';
import { RECIPIENTS } from './plan.ts';
import { API_ONLY, type BenchServer, nodeFlags, startBareServer, startBenchServer } from './program.ts';
import { getLoad, pushLoad } from './rows/loads.ts';
import { measureSized, openSized, SIZED_WORK } from './rows/size.ts';
import { seedHistory } from './seed.ts';

/** How a cost or a rate grows: a table of its own. */
export interface Curve {
  title: string;
  /** What the first column has, and what the others have for each of its values. */
  x: string;
  series: string[];
  points: { x: number; values: number[] }[];
}

const SECONDS = 1.5;
const BACKLOG_SECONDS = 4;
const CLIENTS = [1, 2, 4, 8, 16, 32, 64, 128];
const LENGTHS = [1, 10, 25, 50, 75, 100];
const SIZES = [1_000, 10_000, 100_000, 1_000_000];

/** They are not part of the results and their time limit of five minutes. */
export async function measureCurves(world: BenchEnvironment, say: (text: string) => void): Promise<Curve[]> {
  const curves: Curve[] = [];
  for (const [title, x, series, xs, open] of [
    ['Single pushes a second', 'clients', ['Waypost', 'bare Fastify, one SQL call'], CLIENTS, openPushes],
    ['Milliseconds of one list', 'messages a page', ['GET /api/v1/messages'], LENGTHS, openLists],
    ['Milliseconds of one call', 'messages in the table', [...SIZED_WORK], SIZES, openWorkBySize],
    ['Nudges sent a second', 'due nudges at the start', ['outbox'], SIZES, openBacklogs],
  ] as const) {
    say(`${title}, by ${x}`);
    const points = await thenClose(async () => {
      const measure = await open(world);
      const measured: Curve['points'] = [];
      for (const each of xs) measured.push({ x: each, values: await measure(each) });
      return measured;
    });
    curves.push({ title, x, series: [...series], points });
  }
  return curves;
}

/** Measures each series at one x. */
type Measure = (x: number) => Promise<number[]>;

async function openPushes(world: BenchEnvironment): Promise<Measure> {
  const program = await startBenchServer(world, await world.database('curve', RECIPIENTS), API_ONLY);
  const bare = await startBareServer(world, await world.database('curve_bare', RECIPIENTS));
  const push = async (server: BenchServer, clients: number, path?: string): Promise<number> =>
    (await server.measure(pushLoad(server.database, clients, path), SECONDS)).perSecond;
  const both: Measure = async (clients) => [await push(program, clients), await push(bare, clients, '/push')];
  await both(16);
  return both;
}

async function openLists(world: BenchEnvironment): Promise<Measure> {
  const program = await openSized(world, 'lists', 1_000);
  return async (limit) => {
    const load = getLoad(program.database, [`/api/v1/messages?limit=${limit}`], 1);
    return [1_000 / (await program.measure(load, SECONDS)).perSecond];
  };
}

const openWorkBySize =
  async (world: BenchEnvironment): Promise<Measure> =>
  (messages) =>
    thenClose(async () => {
      const server = await openSized(world, `size_${messages}`, messages);
      const times: number[] = [];
      for (const work of SIZED_WORK) {
        await measureSized(work, server, SECONDS / 2);
        times.push(1_000 / (await measureSized(work, server, SECONDS)).perSecond);
      }
      return times;
    });

const openBacklogs =
  async (world: BenchEnvironment): Promise<Measure> =>
  (messages) =>
    thenClose(async () => {
      const database = await world.database(`backlog_${messages}`, Math.max(1_000, messages / 10));
      await seedHistory(database, messages, 'queued');
      const outbox = await startChild('outboxProcess.ts', { url: database.url }, nodeFlags());
      const work = { seconds: BACKLOG_SECONDS, most: messages };
      const { sent, seconds } = await outbox.call<Sent>('work', work);
      return [sent / seconds];
    });
