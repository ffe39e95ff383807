import { addConnection, addressOf, changeConnection } from '../../src/connections/connections.ts';
import { monotonicMs, SECOND, systemClock } from '../../src/kit/clock.ts';
import { createSealer } from '../../src/kit/seal.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import { type LoadConnection, openLoadConnection } from '../load/connection.ts';
import { type LoadRequest, PUSH_PATH, requestWriter } from '../load/requests.ts';
import { after, compare, type Measured, measuredTimes, openLoop } from '../measure.ts';
import { MORE_ROUNDS, RECIPIENTS } from '../plan.ts';
import { API_ONLY, type BenchServer, benchSettings, startBenchServer } from '../program.ts';
import { atLeast, atMostTime, p99Under, type Reporter } from '../report/row.ts';
import { compareLoads, pushLoad, warmUp } from './loads.ts';

const CLIENTS = 16;
const SECRET = '0123456789abcdefghijklmnopqrstuv';

/** What a received call costs beside a push, and what a store that sends much does to the pushes of its shop. */
export async function measureConnections(world: BenchEnvironment, report: Reporter): Promise<void> {
  const receiving = await startBenchServer(world, await world.database('receiving', RECIPIENTS), API_ONLY);
  await warmUp(receiving);
  const requests = await storeCalls(receiving.database);
  const calls = { clients: CLIENTS, requests };
  await receiving.measure(calls, MORE_ROUNDS.seconds);
  const compared = await compareLoads(
    MORE_ROUNDS,
    [receiving, calls],
    [receiving, pushLoad(receiving.database, CLIENTS)],
  );
  report.compared('received calls, 16 clients', 'a push', atLeast(0.8), compared);
  await measureStorm(world, report);
}

const STORM = { calls: 5_000, seconds: 60 };
const PUSHES_PER_SECOND = 200;
const ALONE_SECONDS = 15;

/** The whole program, which turns each call into a push of its own. Steady pushes alone come before and after. */
async function measureStorm(world: BenchEnvironment, report: Reporter): Promise<void> {
  const server = await startBenchServer(world, await world.database('storm', RECIPIENTS));
  await warmUp(server);
  const { apiKey, recipients } = server.database;
  const sender = createSender(server.port);
  const steady = (request: LoadRequest, perSecond: number) => {
    const next = requestWriter(request);
    return (seconds: number) => openLoop(SECOND / perSecond, after(seconds), () => sender.timeOf(next()));
  };
  const push = steady({ kind: 'push', path: PUSH_PATH, apiKeys: [apiKey], recipients }, PUSHES_PER_SECOND);
  const call = steady(await storeCalls(server.database), STORM.calls / STORM.seconds);
  await push(ALONE_SECONDS);
  const before = await push(ALONE_SECONDS);
  const [calls, beside] = await Promise.all([call(STORM.seconds), push(STORM.seconds)]);
  await untilHandled(server);
  const alone = [...before, ...(await push(ALONE_SECONDS))];
  sender.close();
  report.measured('5,000 calls of a store in a minute, beside 200 pushes/s', p99Under(300), {
    ...measuredTimes(calls),
    perSecond: calls.length / STORM.seconds,
  });
  report.compared(
    '200 pushes/s beside those calls, by p99',
    'the same without them',
    atMostTime(1.5),
    compare([{ ours: byP99(beside), baseline: byP99(alone) }]),
  );
}

const byP99 = (times: readonly number[]): Measured => {
  const { p50, p99 } = measuredTimes(times);
  return { perSecond: SECOND / p99, p50, p99 };
};

/** Calls of a live connection, so that they become pushes where there is a worker. */
async function storeCalls(database: BenchDatabase): Promise<LoadRequest> {
  const { pool, businessId, recipients, url } = database;
  const sealer = createSealer([benchSettings(url).SECRET_KEY ?? '']);
  const deps = { pool, clock: systemClock, sealer };
  const { connection } = await addConnection(deps, {
    businessId,
    kind: 'woocommerce',
    name: null,
    secret: SECRET,
    storeUrl: null,
    credentials: null,
    actor: 'bench',
  });
  await changeConnection(deps, connection, { status: 'live' }, 'bench');
  return { kind: 'store_call', path: addressOf('', connection), secret: SECRET, recipients };
}

/** So that what is left of the calls is not counted as pushes alone. */
async function untilHandled({ database: { pool } }: BenchServer): Promise<void> {
  for (let left = 1; left > 0; ) {
    const { rows } = await pool.query<{ count: number }>(
      'select count(*)::int as count from connection_calls where due_at is not null',
    );
    left = rows[0]?.count ?? 0;
  }
}

/** Sends on any connection that is free, or on a new one. */
function createSender(port: number) {
  const free: LoadConnection[] = [];
  const all: LoadConnection[] = [];
  const nextFree = (): LoadConnection | undefined => {
    for (let next = free.pop(); next !== undefined; next = free.pop()) if (next.isOpen()) return next;
    return undefined;
  };
  const open = async (): Promise<LoadConnection> => {
    const opened = await openLoadConnection(port);
    all.push(opened);
    return opened;
  };
  return {
    async timeOf(bytes: string): Promise<number> {
      const began = monotonicMs();
      const connection = nextFree() ?? (await open());
      const { status, body } = await connection.request(bytes);
      if (status < 200 || status >= 300) throw new Error(`unexpected response ${status}: ${body.toString()}`);
      free.push(connection);
      return monotonicMs() - began;
    },
    close(): void {
      for (const connection of all) connection.close();
    },
  };
}
