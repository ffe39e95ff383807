import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../../src/db/pool.ts';
import { statement } from '../../src/db/statement.ts';
import { createEventNotifier } from '../../src/events/notify.ts';
import { monotonicMs, SECOND } from '../../src/kit/clock.ts';
import type { BenchEnvironment } from '../environment.ts';
import { type LoadConnection, openLoadConnection } from '../load/connection.ts';
import { getRequest } from '../load/requests.ts';
import { alternate, type Compared, type Measured, measuredTimes } from '../measure.ts';
import { FEWER_RECIPIENTS, ROUNDS } from '../plan.ts';
import { API_ONLY, type BenchServer, startBenchServer } from '../program.ts';
import { atLeast, atMostTime, p99Under, type Reporter } from '../report/row.ts';
import { comparePushesBeside } from './loads.ts';
import { SILENT_LOG } from './webhooks.ts';

const EVENTS = 10_000;
const PAGE = 1_000;
const FOLLOWING_ROUNDS = 3;
const WAKES = 200;
const WAKES_BEFORE = 10;
const WAKE_PAUSE_MS = 30;
const WAITS = 1_000;
const WAIT_SECONDS = 30;
const COUNTED_SECONDS = 8;
/** A session of Postgres that became idle publishes its counters up to ten seconds later. */
const PUBLISHED_AFTER_MS = 12 * SECOND;

/** Events as a transition writes them, without a position. Ids sort by number, as real ids sort by time. */
const seedEvents = statement<[businessId: string, first: number, count: number]>(`
  insert into events (business_id, id, type, occurred_at, message_id, recipient_id, data)
  select $1, 'z' || lpad(n::text, 9, '0') || left(md5(n::text), 14), 'message.delivered', now(), 'k' || n, 'r' || n % 1000,
    jsonb_build_object('message_id', 'k' || n, 'recipient_email', 'person' || n || '@example.com',
      'subject', 'Your order #' || n || ' has shipped', 'reference', '#' || n, 'channel', 'email')
  from generate_series($2::int, $2::int + $3::int - 1) n order by n`);

/** The same rows without a promise about their order. */
const readEventsById = statement<[businessId: string, after: string, limit: number], { id: string }>(`
  select id, type, occurred_at, data from events where business_id = $1 and id > $2 order by id limit $3`);

const countCommits = statement<[], { count: number }>(`
  select xact_commit::int as count from pg_stat_database where datname = current_database()`);

const countEvents = statement<[], { count: number }>('select count(*)::int from events');

export async function measureEvents(world: BenchEnvironment, report: Reporter): Promise<void> {
  const program = await startBenchServer(world, await world.database('events', FEWER_RECIPIENTS), API_ONLY);
  const plain = 'the same rows by id, plain SQL';
  const followed = await compareFollowing(program, 'again');
  report.compared('following 10,000 events, pages of 1,000', plain, atLeast(0.4), followed);
  report.compared('the same as their first reader', plain, null, await compareFollowing(program, 'first'));
  const wakes = await measureWakes(program);
  report.measured('an event of another process to a waiting call', p99Under(50), wakes);
  const queries = await measureIdleWaits(program);
  report.measured('database queries per second of 1,000 idle waits', null, queries);
  const pushes = await comparePushesBeside(program, ROUNDS, () => waitIdly(program));
  const work = 'single pushes, 16 clients, beside 1,000 idle waits';
  report.compared(work, 'the same without them', atMostTime(1.2), pushes);
  report.memory('api with 1,000 waits', program);
}

type FeedPage = { items: unknown[]; next: string; has_more: boolean };

async function readFeed(connection: LoadConnection, apiKey: string, query: string): Promise<FeedPage> {
  const request = getRequest(`/api/v1/events?${query}`, `authorization: Bearer ${apiKey}`);
  const { status, body } = await connection.request(request);
  if (status !== 200) throw new Error(`the feed answered ${status}: ${body}`);
  return JSON.parse(String(body));
}

/** Follows a feed from a cursor to its end. */
async function follow(connection: LoadConnection, apiKey: string, after: string | null) {
  let count = 0;
  for (let cursor = after; ; ) {
    const query = `limit=${PAGE}${cursor === null ? '' : `&after=${cursor}`}`;
    const { items, next, has_more } = await readFeed(connection, apiKey, query);
    count += items.length;
    cursor = next;
    if (!has_more) return { count, next };
  }
}

async function rateOf(work: () => Promise<number>): Promise<Measured> {
  const began = monotonicMs();
  const count = await work();
  if (count !== EVENTS) throw new Error(`${count} events were read, not ${EVENTS}`);
  return { perSecond: (count * SECOND) / (monotonicMs() - began) };
}

/**
 * Follows a busy shop over HTTP, against reading the same rows by id with plain SQL. `first`: nobody has read the events
 * before, so that they get their places on the way; `again`: somebody has.
 */
async function compareFollowing(
  { port, database: { pool, businessId, apiKey } }: BenchServer,
  which: 'first' | 'again',
): Promise<Compared> {
  const connection = await openLoadConnection(port);
  let seeded = 0;
  let { next: cursor } = await follow(connection, apiKey, null);
  const ours = async (): Promise<Measured> => {
    seeded = await numberOf(pool, countEvents);
    await seedEvents(pool, businessId, seeded, EVENTS);
    if (which === 'again') await follow(connection, apiKey, cursor);
    return rateOf(async () => {
      const { count, next } = await follow(connection, apiKey, cursor);
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
  await ours();
  return alternate(FOLLOWING_ROUNDS, ours, plain).finally(connection.close);
}

/** The time from an event's commit in one process to the answer of a call that waits in another. */
async function measureWakes({ port, database }: BenchServer): Promise<Measured> {
  const { pool, businessId, apiKey } = database;
  const notifier = createEventNotifier(pool, SILENT_LOG);
  const connection = await openLoadConnection(port);
  const times: number[] = [];
  let { next } = await follow(connection, apiKey, null);
  for (let number = 0; number < WAKES_BEFORE + WAKES; number += 1) {
    const answer = readFeed(connection, apiKey, `after=${next}&wait=${WAIT_SECONDS}`);
    await sleep(WAKE_PAUSE_MS);
    await seedEvents(pool, businessId, await numberOf(pool, countEvents), 1);
    const committed = monotonicMs();
    notifier.notify([businessId]);
    ({ next } = await answer);
    times.push(monotonicMs() - committed);
  }
  connection.close();
  return measuredTimes(times.slice(WAKES_BEFORE));
}

/** Calls that wait while nothing happens; those whose time is over call again. */
async function waitIdly({ port, database }: BenchServer): Promise<{ stop(): void }> {
  let stopped = false;
  const connections = await Promise.all(Array.from({ length: WAITS }, () => openLoadConnection(port)));
  const keepWaiting = async (connection: LoadConnection): Promise<void> => {
    while (!stopped) await readFeed(connection, database.apiKey, `wait=${WAIT_SECONDS}&types=plan.lapsed`);
  };
  for (const connection of connections) keepWaiting(connection).catch(() => {});
  await sleep(2 * SECOND);
  return {
    stop() {
      stopped = true;
      for (const connection of connections) connection.close();
    },
  };
}

/** What 1,000 waiting calls cost the database, beyond what an idle process does. */
async function measureIdleWaits(server: BenchServer): Promise<Measured> {
  const { pool } = server.database;
  const commitsPerSecond = async (): Promise<number> => {
    await sleep(PUBLISHED_AFTER_MS);
    const before = await numberOf(pool, countCommits);
    await sleep(COUNTED_SECONDS * SECOND);
    return ((await numberOf(pool, countCommits)) - before) / COUNTED_SECONDS;
  };
  const idle = await commitsPerSecond();
  const waits = await waitIdly(server);
  const waiting = await commitsPerSecond();
  waits.stop();
  return { perSecond: Math.max(0, waiting - idle) };
}

const numberOf = async (pool: Pool, count: (pool: Pool) => Promise<{ count: number }[]>): Promise<number> =>
  (await count(pool))[0]?.count ?? 0;
