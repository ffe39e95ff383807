import { percentile } from '../../test/support/statistics.ts';
import { type LoadConnection, openLoadConnection } from './connection.ts';
import { type LoadRequest, requestWriter } from './requests.ts';

export interface Load {
  port: number;
  clients: number;
  seconds: number;
  requests: LoadRequest;
  /** Not counted: it opens connections, fills plan caches and lets V8 compile. */
  warmUpSeconds?: number;
}

/** The load of a row, for any server and time. */
export type RowLoad = Omit<Load, 'port' | 'seconds'>;

export interface LoadResult {
  /** Requests with a response. */
  count: number;
  seconds: number;
  /** Milliseconds per request. */
  p50: number;
  p99: number;
  /** CPU time of the generator. */
  cpuSeconds: number;
}

/** A closed loop: each client sends its next request as soon as it has a response. */
export default async function openLoadGenerator() {
  return {
    async run({ port, clients, seconds, requests, warmUpSeconds = 0.2 }: Load): Promise<LoadResult> {
      const next = requestWriter(requests);
      const connections = await Promise.all(Array.from({ length: clients }, () => openLoadConnection(port)));
      try {
        if (requests.kind === 'replay') await sendCount(connections, requests.keys, next);
        await sendFor(connections, warmUpSeconds, next);
        const cpu = process.cpuUsage();
        const began = performance.now();
        const times = await sendFor(connections, seconds, next);
        const took = (performance.now() - began) / 1_000;
        const { user, system } = process.cpuUsage(cpu);
        return {
          count: times.length,
          seconds: took,
          p50: percentile(times, 0.5),
          p99: percentile(times, 0.99),
          cpuSeconds: (user + system) / 1e6,
        };
      } finally {
        for (const connection of connections) connection.close();
      }
    },
  };
}

/** Returns the milliseconds of each request. */
async function sendFor(
  connections: readonly LoadConnection[],
  seconds: number,
  next: () => string,
): Promise<Float64Array> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1_000;
  await Promise.all(
    connections.map(async (connection) => {
      for (let began = performance.now(); began < end; ) {
        await send(connection, next());
        const ended = performance.now();
        times.push(ended - began);
        began = ended;
      }
    }),
  );
  return Float64Array.from(times);
}

async function sendCount(
  connections: readonly LoadConnection[],
  count: number,
  next: () => string,
): Promise<void> {
  let left = count;
  await Promise.all(
    connections.map(async (connection) => {
      while (left > 0) {
        left -= 1;
        await send(connection, next());
      }
    }),
  );
}

async function send(connection: LoadConnection, bytes: string): Promise<void> {
  const { status, body } = await connection.request(bytes);
  // A batch gets 200 even when items failed; a search leads on.
  if ((status >= 300 && status !== 303) || body.includes('"ok":false'))
    throw new Error(`unexpected response ${status}: ${body.toString()}`);
}
