import { SECOND } from '../../src/kit/clock.ts';
import { startChild } from '../children.ts';
import { thenClose } from '../cleanup.ts';
import { costOf } from '../cost.ts';
import type { BenchEnvironment } from '../environment.ts';
import { alternate, type Compared, type Measured, timeOf } from '../measure.ts';
import { PEER_TABLES } from '../peers/peer.ts';
import { hasRedis, startRedis } from '../peers/redis.ts';
import { MORE_ROUNDS, RECIPIENTS } from '../plan.ts';
import { API_ONLY, type BenchServer, nodeFlags, startBareServer, startBenchServer } from '../program.ts';
import type { Reporter } from '../report/row.ts';
import { addBacklog } from '../seed.ts';
import { pushLoad, warmUp } from './loads.ts';

/** Ours or a peer's: an API and a worker, each in its own process, on a database of their own. */
interface Side {
  server: BenchServer;
  path?: string;
  /** Has the state of each nudge. */
  table: 'sends' | 'peer_messages';
  startWorker(): Promise<SideWorker>;
}

interface SideWorker {
  /** With all that the nudges need but Postgres. */
  pids: readonly number[];
  addBacklog(count: number): Promise<unknown>;
  /** Waits until the outcome of each nudge is recorded. */
  drain(): Promise<unknown>;
}

const CLIENTS = 16;
const BACKLOG = 5_000;
const PUSH_SECONDS = 3;
const DRAINS = 3;

/** Waypost beside what a team would build instead: each stores, submits and records with commits that wait for the disk. */
export async function measurePeers(world: BenchEnvironment, report: Reporter): Promise<void> {
  const compareWith = (name: string, openPeer: () => Promise<Side>): Promise<void> =>
    thenClose(async () => comparePeer(world, report, name, [await openOurs(world), await openPeer()]));
  await compareWith('Fastify and pg-boss', () => openPeer(world, 'pgBoss'));
  await compareWith('Fastify and graphile-worker', () => openPeer(world, 'graphileWorker'));
  if (!hasRedis()) return console.error('BullMQ is not measured: there is no redis-server.');
  await compareWith('Fastify and BullMQ', async () => openPeer(world, 'bullMq', await startRedis()));
}

async function comparePeer(
  world: BenchEnvironment,
  report: Reporter,
  name: string,
  sides: [ours: Side, peer: Side],
): Promise<void> {
  const [ours, peer] = sides;
  const row = (what: string, compared: Compared) => report.compared(what, name, null, compared);
  for (const { server, path } of sides) await warmUp(server, path);
  const { rounds, seconds } = MORE_ROUNDS;
  const accept =
    ({ server, path }: Side) =>
    () =>
      server.measure(pushLoad(server.database, CLIENTS, path), seconds);
  row(`single pushes, ${CLIENTS} clients`, await alternate(rounds, accept(ours), accept(peer)));

  const ourWork = await startWork(world, ours);
  const peerWork = await startWork(world, peer);
  const drained = await alternate(DRAINS, ourWork.drainBacklog, peerWork.drainBacklog);
  row(`outbox drain, ${BACKLOG} nudges`, drained);
  const pushed = await alternate(DRAINS, ourWork.pushAndDrain, peerWork.pushAndDrain);
  row(`pushes of ${CLIENTS} clients until each nudge is recorded`, pushed);
}

/** Starts the worker, and sends what the pushes so far left: a warm-up. */
async function startWork(world: BenchEnvironment, { server, path, table, startWorker }: Side) {
  const { database, port, pid } = server;
  const worker = await startWorker();
  await worker.drain();
  await database.pool.query('vacuum analyze');
  const count = async (): Promise<{ stored: number; sent: number }> => {
    const counts = `count(*)::int as stored, (count(*) filter (where state = 'accepted'))::int as sent`;
    return (await database.pool.query(`select ${counts} from ${table}`)).rows[0];
  };
  /** The nudges whose outcome the work records, per second. */
  const measure = (work: () => Promise<unknown>): Promise<Measured> =>
    costOf(world, [pid, ...worker.pids], async () => {
      const before = await count();
      const milliseconds = await timeOf(work);
      const { stored, sent } = await count();
      if (sent !== stored)
        throw new Error(`${stored} messages are in ${table}, and ${sent} nudges are recorded`);
      return { perSecond: ((sent - before.sent) * SECOND) / milliseconds };
    });
  return {
    drainBacklog: async () => {
      await worker.addBacklog(BACKLOG);
      return measure(worker.drain);
    },
    pushAndDrain: () =>
      measure(async () => {
        await world.load({ ...pushLoad(database, CLIENTS, path), port, seconds: PUSH_SECONDS });
        await worker.drain();
      }),
  };
}

async function openOurs(world: BenchEnvironment): Promise<Side> {
  const database = await world.database('beside_peer', RECIPIENTS);
  const startWorker = async (): Promise<SideWorker> => {
    const outbox = await startChild('outboxProcess.ts', { url: database.url }, nodeFlags());
    let queued = 0;
    return {
      pids: [outbox.pid],
      addBacklog: async (count) => {
        await addBacklog(database, queued, count);
        queued += count;
      },
      drain: () => outbox.call('drain'),
    };
  };
  return { server: await startBenchServer(world, database, API_ONLY), table: 'sends', startWorker };
}

async function openPeer(
  world: BenchEnvironment,
  name: string,
  redis?: { pid: number; socket: string },
): Promise<Side> {
  const file = `peers/${name}.ts`;
  const options = redis === undefined ? {} : { redis: redis.socket };
  const database = { ...(await world.database('peer', 0)), recipients: RECIPIENTS };
  await database.pool.query(PEER_TABLES);
  const startWorker = async (): Promise<SideWorker> => {
    const child = await startChild(file, { url: database.url, ...options });
    await child.call('work');
    return {
      pids: [child.pid, ...(redis === undefined ? [] : [redis.pid])],
      addBacklog: (count) => child.call('addBacklog', { count }),
      drain: () => child.call('drain'),
    };
  };
  const server = await startBareServer(world, database, file, options);
  return { server, path: '/push', table: 'peer_messages', startWorker };
}
