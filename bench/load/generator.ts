import { percentile } from '../../test/support/statistics.ts';
import { type LoadConnection, openLoadConnection } from './connection.ts';
import { type LoadRequest, requestWriter } from './requests.ts';

export interface Load {
  port: number;
  clients: number;
  seconds: number;
  requests: LoadRequest;
  /** Not counted: connections open, plans are made, code gets warm. */
  warmUpSeconds?: number;
}

export interface LoadResult {
  /** Requests answered. */
  count: number;
  seconds: number;
  /** Milliseconds that one took. */
  p50: number;
  p99: number;
  /** Seconds of processor time that asking took. */
  cpuSeconds: number;
}

/** The load generator: each client asks again as soon as it was answered. Runs in a process of its own. */
export default async function openLoadGenerator() {
  return {
    async run({ port, clients, seconds, requests: asked, warmUpSeconds = 0.2 }: Load): Promise<LoadResult> {
      const next = requestWriter(asked);
      const connections = await Promise.all(Array.from({ length: clients }, () => openLoadConnection(port)));
      try {
        if (asked.kind === 'replay') await each(connections, asked.keys, next);
        await lasting(connections, warmUpSeconds, next);
        const cpu = process.cpuUsage();
        const began = performance.now();
        const times = await lasting(connections, seconds, next);
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

/** Asks for so long; answers what each request took. */
async function lasting(
  connections: readonly LoadConnection[],
  seconds: number,
  next: () => string,
): Promise<Float64Array> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1_000;
  await Promise.all(
    connections.map(async (connection) => {
      for (let began = performance.now(); began < end; ) {
        await ask(connection, next());
        const ended = performance.now();
        times.push(ended - began);
        began = ended;
      }
    }),
  );
  return Float64Array.from(times);
}

/** Asks so often, over all connections. */
async function each(
  connections: readonly LoadConnection[],
  count: number,
  next: () => string,
): Promise<void> {
  let left = count;
  await Promise.all(
    connections.map(async (connection) => {
      while (left > 0) {
        left -= 1;
        await ask(connection, next());
      }
    }),
  );
}

async function ask(connection: LoadConnection, bytes: string): Promise<void> {
  const { status, body } = await connection.request(bytes);
  // A batch answers 200 whatever became of its items.
  if (status >= 300 || body.includes('"ok":false'))
    throw new Error(`a request was answered ${status}: ${body.toString()}`);
}
