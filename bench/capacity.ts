import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../src/db/pool.ts';
import { statement } from '../src/db/statement.ts';
import { rules } from '../src/retention/sql.ts';
import { markdownTable } from '../test/support/markdownTable.ts';
import { costOf } from './cost.ts';
import type { BenchEnvironment } from './environment.ts';
import { FEWER_RECIPIENTS } from './plan.ts';
import { type BenchServer, startBenchServer } from './program.ts';
import { pushLoad } from './rows/loads.ts';
import { startReceiver } from './rows/webhooks.ts';

const CLIENTS = 16;
const WARM_UP_SECONDS = 3;
const POLL_MS = 50;
const HOUR_SECONDS = 3_600;
/** Of its messages: tables with fewer rows are settings, or of the shop. */
const SHARE_MIN = 0.1;

const countMessages = statement<[], { count: number }>('select count(*)::int as count from messages');

/** Nudges without a report, deliveries without an answer, changes of orders that are not applied. */
const countUnsettled = statement<[], { count: number }>(`
  select (select count(*)::int from sends where state in ('queued', 'submitting', 'accepted'))
    + (select count(*)::int from webhook_deliveries where state = 'pending')
    + (select count(*)::int from order_changes) as count`);

/** Without the sandbox, which stands in for the providers, and the people, who get many messages. */
const sizesOfTables = statement<[rowsMin: number], { name: string; heap: number; indexes: number }>(`
  select relname as name, pg_table_size(relid)::float8 as heap, pg_indexes_size(relid)::float8 as indexes
  from pg_stat_user_tables where n_live_tup >= $1 and relname !~ '^(sandbox_|recipients$)' order by pg_total_relation_size(relid) desc`);

/**
 * What the whole life of a message costs: its push, its mail, the report of its delivery, the event of that, and one webhook. The
 * whole program does it, with the sandbox in place of the provider.
 */
export async function benchCapacity(world: BenchEnvironment, { seconds = 20 } = {}): Promise<string> {
  const receiver = await startReceiver();
  const database = await world.database('capacity', FEWER_RECIPIENTS);
  const allowed = { WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${receiver.port}` };
  const program = await startBenchServer(world, database, allowed);
  await addEndpoint(program, `http://127.0.0.1:${receiver.port}/hooks`);
  await live(world, program, WARM_UP_SECONDS);
  const { perSecond, cpu } = await live(world, program, seconds);
  const [process, postgres] = [cpu.process / perSecond, cpu.postgres / perSecond];
  await database.pool.query('vacuum analyze');
  const perCoreHour = Math.round(HOUR_SECONDS / (process + postgres)).toLocaleString('en-US');
  return [
    `The life of a message takes ${micro(process)} µs of processor time in the process and ${micro(postgres)} µs in Postgres: ${perCoreHour} messages per core-hour.`,
    markdownTable(
      ['table', 'bytes per message', 'its indexes', 'kept'],
      await bytesPerMessage(database.pool),
    ),
  ].join('\n\n');
}

const micro = (seconds: number): string => (seconds * 1e6).toFixed(0);

async function addEndpoint({ port, database }: BenchServer, url: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${database.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  if (!response.ok) throw new Error(`the endpoint was refused: ${await response.text()}`);
}

/** Pushes for some seconds, and waits until nothing is on its way. */
const live = (world: BenchEnvironment, program: BenchServer, seconds: number) =>
  costOf(world, [program.pid], async () => {
    const { pool } = program.database;
    const before = await counted(countMessages(pool));
    const began = performance.now();
    await program.measure(pushLoad(program.database, CLIENTS), seconds);
    while ((await counted(countUnsettled(pool))) > 0) await sleep(POLL_MS);
    const messages = (await counted(countMessages(pool))) - before;
    return { perSecond: (messages * 1_000) / (performance.now() - began) };
  });

async function bytesPerMessage(pool: Pool): Promise<string[][]> {
  const messages = await counted(countMessages(pool));
  const kept = new Map(rules.flatMap(({ tables, keptMs }) => tables.map((table) => [table, keptMs])));
  const perMessage = (bytes: number): string => (bytes / messages).toFixed(0);
  const tables = await sizesOfTables(pool, Math.round(messages * SHARE_MIN));
  return tables.map(({ name, heap, indexes }) => [
    name,
    perMessage(heap),
    perMessage(indexes),
    kept.has(name) ? 'for a time' : 'for good',
  ]);
}

const counted = async (rows: Promise<{ count: number }[]>): Promise<number> => (await rows)[0]?.count ?? 0;
