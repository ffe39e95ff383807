import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { databaseUrl, runStatements } from '../support/cluster.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { type SystemPostgres, startSystemPostgres, systemPostgresFolder } from '../support/systemPostgres.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

/*
 * A stock Postgres compiles statements that it believes to be expensive (jit = on), which takes seconds. Ours touch a few
 * rows each, so none may be compiled, nor look expensive.
 */

const EVERY_KIND = [
  { recipient_email: 'plain@example.com' },
  { recipient_email: 'text@example.com', recipient_phone: '+447700900123', channels: ['sms'] },
  {
    recipient_email: 'chat@example.com',
    recipient_phone: '+447700900124',
    channels: ['whatsapp'],
    whatsapp_opt_in: { source: 'checkout' },
    reference: '#1',
    order_status: 'shipped',
  },
  { recipient_email: 'plain@example.com', subject: 'Updated', kind: 'updateable' },
];

/** Pushes of every kind, singly and in a batch, until their nudges went out; then somebody is erased. */
async function pushEveryKind(service: TestService, shop: Shop): Promise<void> {
  for (const push of EVERY_KIND) expectStatus(201, await shop.push(push));
  expectStatus(200, await shop.batch(EVERY_KIND));
  await eventually(async () =>
    expect((await capturedMessages(service.url)).length).toBeGreaterThanOrEqual(2 * EVERY_KIND.length),
  );
  expectStatus(
    200,
    await shop.call('POST', '/api/v1/recipients/text@example.com/erase', { idempotencyKey: 'erase' }),
  );
}

const textOf = (sent: unknown): string =>
  typeof sent === 'object' && sent !== null && 'text' in sent ? String(sent.text) : String(sent);

/** As many nulls as the statement has parameters. */
function parametersOf(text: string): string {
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  return count === 0 ? '' : `(${Array(count).fill('null').join(', ')})`;
}

/** Whether the connection forbids sequential scans from its start, as those of the webhooks do. */
const startsForbidding = (client: pg.Client): boolean =>
  JSON.stringify(Reflect.get(client, 'connectionParameters')).includes('enable_seqscan');

describe('on a database that compiles statements', () => {
  let service: TestService;
  /** The statements of transactions that forbid sequential scans, as they were sent. */
  const forbidding = new Set<string>();
  beforeAll(async () => {
    const query = pg.Client.prototype.query;
    const inTransaction = new WeakSet<object>();
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...sent: unknown[]) {
      const [first] = sent;
      const text = textOf(first);
      if (text.includes('enable_seqscan')) inTransaction.add(this);
      else if (/^(commit|rollback)/.test(text)) inTransaction.delete(this);
      else if (inTransaction.has(this) || startsForbidding(this)) forbidding.add(text);
      return Reflect.apply(query, this, sent);
    });
    service = await startService({}, {}, async (url) => {
      await runStatements(
        url,
        `do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`,
      );
      return url;
    });
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await service.close();
  });

  test('our own sessions do not', async () => {
    const [before] = await runStatements(service.database.url, 'show jit');
    expect(before).toEqual({ jit: 'on' });
    const { rows } = await service.pool.query('show jit');
    expect(rows).toEqual([{ jit: 'off' }]);
  });

  test('no statement scans a table in a transaction that forbids sequential scans', async () => {
    await pushEveryKind(service, await service.business({ credits: 100, smsMode: 'on', whatsappMode: 'on' }));
    expect(forbidding.size).toBeGreaterThan(10);
    const client = new pg.Client({ connectionString: service.database.url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(
      'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set plan_cache_mode = force_generic_plan',
    );
    const scanning: string[] = [];
    for (const text of [...forbidding]) {
      // Prepared, since Postgres 15 cannot explain a statement with parameters otherwise.
      await client.query(`prepare explained as ${text}`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain execute explained${parametersOf(text)}`,
      );
      await client.query('deallocate explained');
      const plan = rows.map((row) => row['QUERY PLAN']);
      scanning.push(...plan.filter((line) => /Seq Scan on/.test(line)).map((line) => line.trim()));
    }
    expect(scanning).toEqual([]);
  });
});

const programs = systemPostgresFolder();

/** A service on the Postgres of the operating system, which logs the plan of every statement. */
async function startOnStock(
  settings: Record<string, string> = {},
): Promise<{ service: TestService; server: SystemPostgres }> {
  const server = await startSystemPostgres(programs ?? '', {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    ...settings,
  });
  onTestFinished(() => server.stop());
  const service = await startService({}, {}, async () => {
    await runStatements(server.url, 'create database waypost');
    const url = databaseUrl(server.url, 'waypost');
    await migrate(url);
    return url;
  });
  onTestFinished(() => service.close());
  return { service, server };
}

test.skipIf(programs === null)(
  'on the Postgres of the operating system with its stock settings no statement is compiled',
  async () => {
    const { service, server } = await startOnStock();
    expect(await runStatements(server.url, 'show jit')).toEqual([{ jit: 'on' }]);
    await pushEveryKind(service, await service.business({ credits: 100, smsMode: 'on', whatsappMode: 'on' }));
    const log = await server.log();
    expect(log).toContain('Query Text:');
    expect(log.match(/^\s+JIT:$/gm) ?? []).toEqual([]);
  },
);

const MANY = 5_000;

test.skipIf(programs === null)(
  'a big shop’s push is looked up by whole keys there, although the tables’ statistics know of small shops only',
  async () => {
    // Plans are made for empty tables and stay, since statistics are never taken: as when all shops were small until now.
    const { service, server } = await startOnStock({ autovacuum: 'off' });
    const shop = await service.business({ credits: 100, smsMode: 'on', whatsappMode: 'on' });
    await pushEveryKind(service, shop);
    await service.pool.query(
      `insert into recipients (business_id, id, email, created_at)
       select $1, 'r' || n, 'person' || n || '@example.com', now() from generate_series(1, $2) n`,
      [shop.businessId, MANY],
    );
    await service.pool.query(
      `insert into idempotency_records (business_id, scope, key, fingerprint, status, response, created_at, expires_at)
       select $1, 'push', 'key' || n, sha256(n::text::bytea), 201, '{}', now(), now() + interval '1 day' from generate_series(1, $2) n`,
      [shop.businessId, MANY],
    );
    await service.pool.query(
      `insert into suppressions (business_id, email, email_hash, reason, at)
       select $1, 'person' || n || '@example.com', sha256(n::text::bytea), 'bounce', now() from generate_series(1, $2) n`,
      [shop.businessId, MANY],
    );
    await pushEveryKind(service, shop);
    const removed = [...(await server.log()).matchAll(/Rows Removed by Filter: (\d+)/g)];
    expect(removed.length).toBeGreaterThan(0);
    expect(Math.max(...removed.map(([, count]) => Number(count)))).toBeLessThan(MANY / 10);
  },
);
