import { percentile } from '../../test/support/statistics.ts';
import { after } from '../measure.ts';
import { type LoadConnection, openLoadConnection } from './connection.ts';
import { type LoadRequest, requestWriter } from './requests.ts';

export interface Load {
  port: number;
  clients: number;
  seconds: number;
  requests: LoadRequest;
}

/** The load of a row, for any server and time. */
export interface RowLoad extends Omit<Load, 'port' | 'seconds'> {
  /** How many units of the row one request has, if not one. */
  units?: number;
}

type LoadGenerator = Awaited<ReturnType<typeof openLoadGenerator>>;
export type LoadResult = Awaited<ReturnType<LoadGenerator['run']>>;

/** Not counted: it opens connections, fills plan caches and lets V8 compile. */
const WARM_UP_SECONDS = 0.2;

/** A closed loop: each client sends its next request as soon as it has a response. */
export default async function openLoadGenerator() {
  return {
    async run({ port, clients, seconds, requests }: Load) {
      const next = requestWriter(requests);
      const connections = await Promise.all(Array.from({ length: clients }, () => openLoadConnection(port)));
      try {
        let unsent = requests.kind === 'replay' ? requests.keys : 0;
        await sendUntil(() => unsent-- <= 0, connections, next);
        await sendUntil(after(WARM_UP_SECONDS), connections, next);
        const cpu = process.cpuUsage();
        const began = performance.now();
        const times = await sendUntil(after(seconds), connections, next);
        const { user, system } = process.cpuUsage(cpu);
        return {
          /** Requests with a response. */
          count: times.length,
          seconds: (performance.now() - began) / 1_000,
          /** Milliseconds per request. */
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
async function sendUntil(
  isOver: () => boolean,
  connections: readonly LoadConnection[],
  next: () => string,
): Promise<number[]> {
  const times: number[] = [];
  await Promise.all(
    connections.map(async (connection) => {
      while (!isOver()) {
        const began = performance.now();
        await send(connection, next());
        times.push(performance.now() - began);
      }
    }),
  );
  return times;
}

async function send(connection: LoadConnection, bytes: string): Promise<void> {
  const { status, body } = await connection.request(bytes);
  // A batch gets 200 even when items failed; a search leads on.
  if ((status >= 300 && status !== 303) || body.includes('"ok":false'))
    throw new Error(`unexpected response ${status}: ${body.toString()}`);
}
