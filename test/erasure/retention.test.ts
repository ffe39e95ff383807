import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { DAY, earlier, HOUR, later, MINUTE } from '../../src/kit/clock.ts';
import { startRetention } from '../../src/retention/retention.ts';
import { rules } from '../../src/retention/sql.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { manualClock, silentLog } from '../support/outboxHarness.ts';
import {
  insertMessage,
  insertRecipient,
  insertRow,
  insertTestBusiness,
  type TestRecipient,
} from '../support/rows.ts';
import { eventually } from '../support/waiting.ts';
import { startErasureService } from './erasureService.ts';

/** What goes by itself, and when. */
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const clock = manualClock();
let ann: TestRecipient;
let retention: ReturnType<typeof startRetention> | null = null;
let deleted: Record<string, number> = {};

beforeEach(async () => {
  deleted = {};
  ann = await insertRecipient(
    database.pool,
    clock.now(),
    await insertTestBusiness(database.pool, clock.now()),
  );
});
afterEach(async () => {
  await retention?.stop();
  retention = null;
  for (const table of [
    'webhook_attempts',
    'webhook_deliveries',
    'events',
    'provider_reports',
    'idempotency_records',
  ])
    await database.pool.query(`delete from ${table}`);
});

/** Lets one look go by, at the time the clock shows. */
async function look(): Promise<void> {
  const once = startRetention({
    pool: database.pool,
    clock,
    log: silentLog,
    onDeleted: (table, rows) => {
      deleted[table] = (deleted[table] ?? 0) + rows;
    },
  });
  await once.drain();
  await once.stop();
}

const put = (table: string, columns: Record<string, unknown>) => insertRow(database.pool, table, columns);
const left = async (table: string, column = 'id'): Promise<unknown[]> =>
  (await database.pool.query(`select ${column} as id from ${table} order by 1`)).rows.map(({ id }) => id);

const ago = (milliseconds: number): Date => earlier(clock.now(), milliseconds);
const ahead = (milliseconds: number): Date => later(clock.now(), milliseconds);

const reply = (id: string, received_at: Date) =>
  put('whatsapp_replies', {
    business_id: ann.businessId,
    id,
    recipient_id: ann.id,
    body: 'Hello',
    received_at,
  });

test('WhatsApp replies go after 90 days', async () => {
  await reply('old', ago(90 * DAY));
  await reply('young', ago(90 * DAY - MINUTE));
  await look();
  expect(await left('whatsapp_replies')).toEqual(['young']);
  expect(deleted).toEqual({ whatsapp_replies: 1 });
});

const answer = (scope: string, key: string, expires_at: Date, response = '{}') =>
  put('idempotency_records', {
    business_id: ann.businessId,
    scope,
    key,
    fingerprint: '',
    status: 201,
    response,
    recipient_id: scope === 'push' ? ann.id : null,
    created_at: clock.now(),
    expires_at,
  });

test('stored responses go when their key is forgotten', async () => {
  await answer('push', 'old', clock.now());
  await answer('push', 'young', ahead(1));
  await look();
  expect(await left('idempotency_records', 'key')).toEqual(['young']);
});

test('links and sessions go a month after their end', async () => {
  const row = (key: string, id: string, expires_at: Date) => ({
    business_id: ann.businessId,
    [key]: id,
    token_hash: Buffer.from(id),
    recipient_id: ann.id,
    created_at: clock.now(),
    expires_at,
  });
  const tables = [
    ['links', 'send_id'],
    ['inbox_sessions', 'id'],
  ] as const;
  for (const [table, key] of tables) {
    await put(table, row(key, 'old', ago(30 * DAY)));
    await put(table, row(key, 'just expired', ago(DAY)));
    await put(table, row(key, 'valid', ahead(DAY)));
  }
  await look();
  for (const [table, key] of tables) expect(await left(table, key)).toEqual(['just expired', 'valid']);
});

async function event(
  id: string,
  occurred_at: Date,
  state: 'delivered' | 'exhausted' | 'pending',
): Promise<void> {
  const endpoint = { business_id: ann.businessId, id: 'endpoint' };
  const { rows } = await database.pool.query('select from webhook_endpoints where business_id = $1', [
    ann.businessId,
  ]);
  if (rows.length === 0) {
    await put('webhook_endpoints', {
      ...endpoint,
      url: 'https://example.com',
      secret_sealed: '',
      secret_masked: '',
      created_at: clock.now(),
    });
  }
  await put('events', { business_id: ann.businessId, id, type: 'ping', occurred_at, data: '{}' });
  const delivery = { business_id: ann.businessId, endpoint_id: 'endpoint', event_id: id };
  await put('webhook_deliveries', { ...delivery, state, created_at: occurred_at });
  await put('webhook_attempts', { ...delivery, attempt: 1, at: occurred_at, duration_ms: 1 });
}

test('the delivery log goes after 30 days, but for what is still to be delivered', async () => {
  await event('delivered', ago(30 * DAY), 'delivered');
  await event('exhausted', ago(31 * DAY), 'exhausted');
  await event('pending', ago(31 * DAY), 'pending');
  await event('young', ago(30 * DAY - MINUTE), 'delivered');
  await look();
  expect(await left('events')).toEqual(['pending', 'young']);
  expect(await left('webhook_deliveries', 'event_id')).toEqual(['pending', 'young']);
  expect(await left('webhook_attempts', 'event_id')).toEqual(['pending', 'young']);
  expect(deleted).toEqual({ events: 2, webhook_deliveries: 2, webhook_attempts: 2 });
});

test('what an endpoint answered goes after 7 days, and its attempt stays', async () => {
  for (const [id, age] of [
    ['old', 7 * DAY],
    ['young', 7 * DAY - MINUTE],
  ] as const) {
    await event(id, ago(age), 'delivered');
    await database.pool.query('update webhook_attempts set response = $2 where event_id = $1', [id, 'No']);
  }
  await look();
  const { rows } = await database.pool.query('select event_id, response from webhook_attempts order by 1');
  expect(rows).toEqual([
    { event_id: 'old', response: null },
    { event_id: 'young', response: 'No' },
  ]);
  expect(deleted).toEqual({ 'webhook_attempts.response': 1 });
});

test('names of reports, captured messages, windows and what was learned of numbers go in time', async () => {
  await put('provider_reports', { provider: 'x', report_id: 'old', received_at: ago(14 * DAY) });
  await put('provider_reports', { provider: 'x', report_id: 'young', received_at: ago(13 * DAY) });
  const capture = (id: string, at: Date) =>
    put('sandbox_messages', {
      id,
      business_id: ann.businessId,
      send_id: id,
      recipient_id: ann.id,
      channel: 'email',
      recipient: ann.email,
      text: 'Hello',
      provider_id: id,
      outcome: 'accepted',
      at,
    });
  await capture('old', ago(30 * DAY));
  await capture('young', ago(29 * DAY));
  for (const table of ['auto_reply_windows', 'whatsapp_unreachable']) {
    await put(table, { business_id: ann.businessId, number_hash: Buffer.from('old'), until: clock.now() });
    await put(table, { business_id: ann.businessId, number_hash: Buffer.from('young'), until: ahead(1) });
  }
  for (const [name, until] of [['old', clock.now()] as const, ['young', ahead(1)] as const]) {
    const number_hash = Buffer.from(name);
    await put('messaged_numbers', { business_id: ann.businessId, channel: 'sms', number_hash, until });
  }
  await look();
  expect(await left('provider_reports', 'report_id')).toEqual(['young']);
  expect(await left('sandbox_messages')).toEqual(['young']);
  for (const table of ['auto_reply_windows', 'whatsapp_unreachable', 'messaged_numbers'])
    expect(await left(table, `convert_from(number_hash, 'UTF8')`)).toEqual(['young']);
});

test('calls of stores go after 30 days, orders that they told of after 180, and finished registrations after 30', async () => {
  const own = { business_id: ann.businessId, connection_id: 'c' };
  const call = (id: string, received_at: Date, due_at: Date | null) =>
    put('connection_calls', {
      ...own,
      id,
      call_key: id,
      topic: 'order.updated',
      headers: {},
      body: Buffer.from('{}'),
      is_watched: true,
      received_at,
      due_at,
    });
  await call('old', ago(30 * DAY), null);
  await call('old and not handled', ago(31 * DAY), ago(31 * DAY));
  await call('young', ago(30 * DAY - MINUTE), null);
  const order = (store_order: string, updated_at: Date) =>
    put('connection_orders', { ...own, store_order, known: {}, revision: 'r', updated_at });
  await order('old', ago(180 * DAY));
  await order('young', ago(180 * DAY - MINUTE));
  const registration = (tracking_number: string, created_at: Date, due_at: Date | null) =>
    put('tracking_registrations', { ...own, tracking_number, created_at, due_at });
  await registration('old', ago(30 * DAY), null);
  await registration('waiting', ago(30 * DAY), clock.now());
  await registration('young', ago(30 * DAY - MINUTE), null);
  await look();
  expect(await left('connection_calls')).toEqual(['young']);
  expect(await left('connection_orders', 'store_order')).toEqual(['young']);
  expect(await left('tracking_registrations', 'tracking_number')).toEqual(['waiting', 'young']);
  expect(deleted).toEqual({ connection_calls: 2, connection_orders: 1, tracking_registrations: 1 });
});

test('a revoked key goes after 90 days, after the keys that it made', async () => {
  const key = (id: string, revoked_at: Date | null, parent_id: string | null = null) =>
    put('api_keys', {
      business_id: ann.businessId,
      id,
      hash: Buffer.from(id),
      name: id,
      masked: id,
      minted_by: parent_id,
      parent_id,
      created_at: ago(100 * DAY),
      revoked_at,
    });
  await key('active', null);
  await key('young', ago(90 * DAY - MINUTE));
  await key('old', ago(90 * DAY));
  await key('parent', ago(91 * DAY));
  await key('child', ago(91 * DAY), 'parent');
  await key('grandchild', ago(91 * DAY), 'child');
  await look();
  expect(await left('api_keys')).toEqual(['active', 'child', 'parent', 'young']);
  await look();
  await look();
  expect(await left('api_keys')).toEqual(['active', 'young']);
  expect(deleted).toEqual({ api_keys: 4 });
});

test('a deleted endpoint goes after 60 days, but not before its delivery log', async () => {
  const endpoint = (id: string, deleted_at: Date | null) =>
    put('webhook_endpoints', {
      business_id: ann.businessId,
      id,
      url: `https://example.com/${id}`,
      secret_sealed: '',
      secret_masked: '',
      created_at: ago(100 * DAY),
      deleted_at,
    });
  await event('pending elsewhere', ago(70 * DAY), 'pending');
  await endpoint('live', null);
  await endpoint('young', ago(60 * DAY - MINUTE));
  await endpoint('old', ago(60 * DAY));
  await endpoint('logged', ago(60 * DAY));
  await put('webhook_deliveries', {
    business_id: ann.businessId,
    endpoint_id: 'logged',
    event_id: 'pending elsewhere',
    state: 'stopped',
    created_at: ago(70 * DAY),
  });
  const mine = async () =>
    (
      await database.pool.query('select id from webhook_endpoints where business_id = $1 order by 1', [
        ann.businessId,
      ])
    ).rows.map(({ id }) => id);
  await look();
  expect(await mine()).toEqual(['endpoint', 'live', 'logged', 'young']);
  await database.pool.query(`update webhook_deliveries set state = 'exhausted' where state = 'pending'`);
  await look();
  expect(await mine()).toEqual(['endpoint', 'live', 'young']);
});

test('nothing else goes by itself', async () => {
  const { rows } = await database.pool.query<{ table: string }>(
    `select relname as table from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const named = rules.flatMap(({ tables }) => tables);
  expect(rows.map(({ table }) => table)).toEqual(expect.arrayContaining(named));
  await insertMessage(database.pool, ago(1_000 * DAY), ann);
  const before = await left('messages');
  await look();
  expect(await left('messages')).toEqual(before);
});

test('a great many go in small batches, none of which anybody waits for', async () => {
  await database.pool.query(
    `insert into provider_reports (provider, report_id, received_at) select 'x', n::text, $1 from generate_series(1, 3500) n`,
    [ago(20 * DAY)],
  );
  const holder = await database.pool.connect();
  await holder.query('begin');
  await holder.query(`select from provider_reports where report_id = '7' for update`);
  await look();
  expect(await left('provider_reports', 'report_id')).toEqual(['7']);
  await holder.query('rollback');
  holder.release();
  expect(deleted).toEqual({ provider_reports: 3_499 });
});

test('several processes at once delete everything once', async () => {
  await database.pool.query(
    `insert into provider_reports (provider, report_id, received_at) select 'x', n::text, $1 from generate_series(1, 2500) n`,
    [ago(20 * DAY)],
  );
  await Promise.all([look(), look(), look()]);
  expect(await left('provider_reports', 'report_id')).toEqual([]);
  expect(deleted).toEqual({ provider_reports: 2_500 });
});

test('under a steady load a table stays as large as what it holds', async () => {
  const sizes: number[] = [];
  for (let hour = 0; hour < 12; hour += 1) {
    await database.pool.query(
      `insert into idempotency_records (business_id, scope, key, fingerprint, status, response, created_at, expires_at)
       select $1, 'push', $2 || '-' || n, '', 201, repeat('x', 500), $3, $4 from generate_series(1, 1500) n`,
      [ann.businessId, String(hour), clock.now(), ahead(2 * HOUR)],
    );
    await clock.moveTo(ahead(HOUR));
    await look();
    // As the database does by itself, when it gets to it.
    await database.pool.query('vacuum idempotency_records');
    const { rows } = await database.pool.query(
      `select pg_total_relation_size('idempotency_records')::int as size`,
    );
    sizes.push(rows[0].size);
  }
  expect(Math.max(...sizes.slice(-4))).toBeLessThan(1.1 * Math.max(...sizes.slice(2, 6)));
  expect(deleted.idempotency_records).toBe(11 * 1_500);
});

test('retention runs when the clock moves, and the call that moves the clock waits for it', async () => {
  const running = startRetention({ pool: database.pool, clock, log: silentLog });
  retention = running;
  await eventually(async () => expect(await running.settled()).toBe(true));
  await reply('soon old', ago(89 * DAY));
  await running.drain();
  expect(await left('whatsapp_replies')).toContain('soon old');
  await clock.moveTo(ahead(DAY));
  expect(await running.settled()).toBe(false);
  await running.drain();
  expect(await running.settled()).toBe(true);
  expect(await left('whatsapp_replies')).not.toContain('soon old');
});

test('after the clock is moved, expired rows are gone and counted in the metrics', async () => {
  const world = await startErasureService();
  onTestFinished(() => world.close());
  const shop = await world.business();
  await shop.pushed({}, 'a key');
  await world.advance({ hours: 23 });
  const answers = () => world.rows('select from idempotency_records where business_id = $1', shop.businessId);
  expect(await answers()).toHaveLength(1);
  await world.advance({ hours: 2 });
  expect(await answers()).toEqual([]);
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  expect(metrics).toMatch(/^waypost_retention_deleted_rows_total\{table="idempotency_records"\} 1$/m);
  expect(world.loggedErrors()).toEqual([]);
});
