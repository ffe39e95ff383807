import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../../src/db/pool.ts';
import { createEventNotifier } from '../../src/events/notify.ts';
import { percentile } from '../../test/support/statistics.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import { type LoadConnection, openLoadConnection } from '../load/connection.ts';
import { alternate, type Compared, type Measured } from '../measure.ts';
import type { BenchServer } from '../program.ts';
import { underLoad } from '../underLoad.ts';
import { countAllEvents, countCommits, readEventsById, seedEvents } from './eventsSql.ts';
import type { RoundPlan } from './reads.ts';

const EVENTS = 10_000;
const PAGE = 1_000;
const WAITS = 1_000;
const WAIT_SECONDS = 30;
const COUNTED_SECONDS = 8;
/** A session of Postgres that became idle publishes its counters up to ten seconds later. */
const PUBLISHED_AFTER_MS = 12_000;

const eventsRequest = (apiKey: string, query: string): string =>
  `GET /api/v1/events?${query} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;

/** Follows a feed from a cursor to its end. */
async function follow(
  connection: LoadConnection,
  apiKey: string,
  after: string | null,
): Promise<{ count: number; next: string }> {
  let count = 0;
  for (let cursor = after; ; ) {
    const query = `limit=${PAGE}${cursor === null ? '' : `&after=${cursor}`}`;
    const { status, body } = await connection.request(eventsRequest(apiKey, query));
    if (status !== 200) throw new Error(`the feed answered ${status}: ${body}`);
    const page: { items: unknown[]; next: string; has_more: boolean } = JSON.parse(String(body));
    count += page.items.length;
    cursor = page.next;
    if (!page.has_more) return { count, next: page.next };
  }
}

async function rateOf(work: () => Promise<number>): Promise<Measured> {
  const began = performance.now();
  const count = await work();
  if (count !== EVENTS) throw new Error(`${count} events were read, not ${EVENTS}`);
  return { perSecond: (count / (performance.now() - began)) * 1_000 };
}

/**
 * Follows a busy shop over HTTP, against reading the same rows by id with plain SQL. `first`: nobody has read the events
 * before, so that they get their places on the way; `again`: somebody has.
 */
export async function compareFollowing(
  server: BenchServer,
  { pool, businessId, apiKey }: BenchDatabase,
  which: 'first' | 'again',
  rounds: number,
): Promise<Compared> {
  const connection = await openLoadConnection(server.port);
  let seeded = 0;
  let { next: cursor } = await follow(connection, apiKey, null);
  const seed = async (): Promise<void> => {
    seeded = await countEvents(pool);
    await seedEvents(pool, businessId, seeded, EVENTS);
  };
  const ours = async (): Promise<Measured> => {
    await seed();
    const from = cursor;
    if (which === 'again') await follow(connection, apiKey, from);
    return rateOf(async () => {
      const { count, next } = await follow(connection, apiKey, from);
      cursor = next;
      return count;
    });
  };
  const plain = (): Promise<Measured> =>
    rateOf(async () => {
      let count = 0;
      for (let after = `z${String(seeded).padStart(9, '0')}`; count < EVENTS; ) {
        const rows = await readEventsById(pool, businessId, after, PAGE);
        // What a program does with rows that it sends on.
        count += JSON.parse(JSON.stringify(rows)).length;
        after = rows.at(-1)?.id ?? after;
      }
      return count;
    });
  try {
    await ours();
    return await alternate(rounds, ours, plain);
  } finally {
    connection.close();
  }
}

/** The time from an event's commit in one process to the answer of a call that waits in another. */
export async function measureWakes(
  server: BenchServer,
  { pool, businessId, apiKey }: BenchDatabase,
  wakes: number,
): Promise<Measured> {
  const log = { debug: () => {}, info: () => {}, warn: console.error, error: console.error };
  const notifier = createEventNotifier(pool, log);
  const connection = await openLoadConnection(server.port);
  const times: number[] = [];
  try {
    let { next } = await follow(connection, apiKey, null);
    for (let number = -WARM_UP; number < wakes; number += 1) {
      const query = `after=${next}&wait=${WAIT_SECONDS}`;
      const answer = connection.request(eventsRequest(apiKey, query));
      await sleep(PAUSE_MS);
      await seedEvents(pool, businessId, await countEvents(pool), 1);
      const committed = performance.now();
      notifier.notify([businessId]);
      next = JSON.parse(String((await answer).body)).next;
      if (number >= 0) times.push(performance.now() - committed);
    }
  } finally {
    connection.close();
  }
  const total = times.reduce((sum, time) => sum + time, 0);
  return {
    perSecond: (times.length * 1_000) / total,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

const WARM_UP = 10;
const PAUSE_MS = 30;

const countEvents = async (pool: Pool): Promise<number> => (await countAllEvents(pool))[0]?.events ?? 0;

/** Calls that wait while nothing happens; those whose time is over call again. */
async function waitIdly(server: BenchServer, { apiKey }: BenchDatabase): Promise<{ stop(): void }> {
  let stopped = false;
  const connections = await Promise.all(Array.from({ length: WAITS }, () => openLoadConnection(server.port)));
  const keepWaiting = async (connection: LoadConnection): Promise<void> => {
    while (!stopped) {
      const { status } = await connection.request(
        eventsRequest(apiKey, `wait=${WAIT_SECONDS}&types=plan.lapsed`),
      );
      if (status !== 200) throw new Error(`a wait was answered ${status}`);
    }
  };
  for (const connection of connections) keepWaiting(connection).catch(() => {});
  await sleep(2_000);
  return {
    stop() {
      stopped = true;
      for (const connection of connections) connection.close();
    },
  };
}

/** Transactions per second, of everything that this database does. */
async function commitsPerSecond({ pool }: BenchDatabase): Promise<number> {
  const count = async () => (await countCommits(pool))[0]?.commits ?? 0;
  await sleep(PUBLISHED_AFTER_MS);
  const before = await count();
  await sleep(COUNTED_SECONDS * 1_000);
  return ((await count()) - before) / COUNTED_SECONDS;
}

/** What 1,000 waiting calls cost the database, beyond what an idle process does. */
export async function measureIdleWaits(server: BenchServer, database: BenchDatabase): Promise<Measured> {
  const idle = await commitsPerSecond(database);
  const waits = await waitIdly(server, database);
  const waiting = await commitsPerSecond(database);
  waits.stop();
  return { perSecond: Math.max(0, waiting - idle) };
}

/** Pushes beside 1,000 waiting calls of the same shop, against pushes without them. */
export async function comparePushesBesideWaits(
  world: BenchEnvironment,
  server: BenchServer,
  database: BenchDatabase,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  const { apiKey, recipients } = database;
  const push = (): Promise<Measured> =>
    underLoad(world, server, {
      clients: 16,
      seconds,
      requests: { kind: 'push', path: '/api/v1/messages', apiKey, recipients },
    });
  await push();
  return alternate(
    rounds,
    async () => {
      const waits = await waitIdly(server, database);
      try {
        return await push();
      } finally {
        waits.stop();
      }
    },
    push,
  );
}
