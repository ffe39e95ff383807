import { startChild } from './children.ts';
import type { BenchEnvironment } from './environment.ts';
import { RECIPIENTS } from './plan.ts';
import { nodeFlags, startBenchServer } from './program.ts';
import { startBareServer } from './rows/pushes.ts';
import { measureSized, SIZED_WORK } from './rows/size.ts';
import { seedHistory } from './seed.ts';
import { underLoad } from './underLoad.ts';

export interface Curve {
  name: string;
  title: string;
  x: string;
  y: string;
  logarithmic: boolean;
  series: { name: string; points: { x: number; y: number }[] }[];
}

const SECONDS = 1.5;
const CLIENTS = [1, 2, 4, 8, 16, 32, 64, 128];
const LENGTHS = [1, 10, 25, 50, 75, 100];
const SIZES = [1_000, 10_000, 100_000, 1_000_000];

/** For the plots, which are not part of the table and its time limit of five minutes. */
export async function measureCurves(world: BenchEnvironment, say: (text: string) => void): Promise<Curve[]> {
  say('throughput by clients, time by length of a list');
  const curves = await againstClientsAndLength(world);
  say('time by size of the tables');
  curves.push(await againstSize(world));
  say('outbox drain by backlog');
  curves.push(await againstBacklog(world));
  return curves;
}

async function againstClientsAndLength(world: BenchEnvironment): Promise<Curve[]> {
  const mine = await world.database('curve', RECIPIENTS);
  const theirs = await world.database('curve_bare', RECIPIENTS);
  const program = await startBenchServer(mine.url, { ROLES: 'api' });
  const bare = await startBareServer(theirs);
  const { apiKey, recipients } = mine;
  const push = async (server: { pid: number; port: number }, path: string, clients: number) => ({
    x: clients,
    y: (
      await underLoad(world, server, {
        clients,
        seconds: SECONDS,
        requests: { kind: 'push', path, apiKey, recipients },
      })
    ).perSecond,
  });
  const list = async (limit: number) => {
    const paths = [`/api/v1/messages?limit=${limit}`];
    const { perSecond } = await underLoad(world, program, {
      clients: 1,
      seconds: SECONDS,
      requests: { kind: 'get', apiKey, paths },
    });
    return { x: limit, y: 1_000 / perSecond };
  };
  try {
    await push(program, '/api/v1/messages', 16);
    await push(bare, '/push', 16);
    const ours = await sequentially(CLIENTS, (clients) => push(program, '/api/v1/messages', clients));
    const limit = await sequentially(CLIENTS, (clients) => push(bare, '/push', clients));
    const lengths = await sequentially(LENGTHS, list);
    return [
      {
        name: 'clients',
        title: 'Single pushes a second, by clients',
        x: 'clients',
        y: 'pushes a second',
        logarithmic: true,
        series: [
          { name: 'Waypost', points: ours },
          { name: 'bare Fastify, one SQL call', points: limit },
        ],
      },
      {
        name: 'list-length',
        title: 'Time of one list, by its length',
        x: 'messages a page',
        y: 'milliseconds',
        logarithmic: false,
        series: [{ name: 'GET /api/v1/messages', points: lengths }],
      },
    ];
  } finally {
    await program.stop();
    await bare.stop();
    await mine.drop();
    await theirs.drop();
  }
}

async function againstSize(world: BenchEnvironment): Promise<Curve> {
  const times = new Map<string, { x: number; y: number }[]>(SIZED_WORK.map((work) => [work, []]));
  for (const messages of SIZES) {
    const database = await world.database(`size_${messages}`, messages / 10);
    await seedHistory(database, { messages, nudges: 'delivered' });
    const program = await startBenchServer(database.url, { ROLES: 'api' });
    try {
      for (const work of SIZED_WORK) {
        await measureSized(world, work, { program, database }, SECONDS / 2);
        const { perSecond } = await measureSized(world, work, { program, database }, SECONDS);
        times.get(work)?.push({ x: messages, y: 1_000 / perSecond });
      }
    } finally {
      await program.stop();
      await database.drop();
    }
  }
  return {
    name: 'table-size',
    title: 'Time of one call, by messages in the table',
    x: 'messages',
    y: 'milliseconds',
    logarithmic: true,
    series: [...times].map(([name, points]) => ({ name, points })),
  };
}

async function againstBacklog(world: BenchEnvironment): Promise<Curve> {
  const points = await sequentially(SIZES, async (messages) => {
    const database = await world.database(`backlog_${messages}`, Math.max(1_000, messages / 10));
    await seedHistory(database, { messages, nudges: 'queued' }, false);
    const outbox = await startChild('outboxProcess.ts', { url: database.url }, nodeFlags());
    try {
      const { sent, seconds } = await outbox.call<{ sent: number; seconds: number }>('work', {
        seconds: 4,
        most: messages,
      });
      return { x: messages, y: sent / seconds };
    } finally {
      await outbox.call('stop');
      await outbox.stop();
      await database.drop();
    }
  });
  return {
    name: 'backlog',
    title: 'Nudges sent a second, by the backlog at the start',
    x: 'due nudges',
    y: 'nudges a second',
    logarithmic: true,
    series: [{ name: 'outbox, a provider that answers at once', points }],
  };
}

async function sequentially<In, Out>(
  inputs: readonly In[],
  measure: (input: In) => Promise<Out>,
): Promise<Out[]> {
  const outputs: Out[] = [];
  for (const input of inputs) outputs.push(await measure(input));
  return outputs;
}
