import { afterEach, beforeEach, expect, test } from 'vitest';
import { handleReports } from '../../src/callbacks/reports.ts';
import type { ErasureReport } from '../../src/contract/recipients.ts';
import { transaction } from '../../src/db/transaction.ts';
import { eraseRecipient } from '../../src/erasure/erasure.ts';
import { SECOND } from '../../src/kit/clock.ts';
import { referenceOf } from '../../src/outbox/send.ts';
import type { Outbound, Provider, Providers } from '../../src/providers/provider.ts';
import { createCapture } from '../../src/sandbox/capture.ts';
import { sandboxProviders } from '../../src/sandbox/sandboxProviders.ts';
import { latch } from '../messages/domainShop.ts';
import { countLockWaits } from '../support/databaseLocks.ts';
import { type OutboxHarness, startOutboxHarness } from '../support/outboxHarness.ts';
import {
  insertMessage,
  insertRecipient,
  insertSend,
  insertTestBusiness,
  type TestRecipient,
} from '../support/rows.ts';
import { eventually } from '../support/waiting.ts';
import { tracesInDatabase } from './traces.ts';

/** Somebody is erased while a provider has their message in its hands. */
let world: OutboxHarness;
let reached: ReturnType<typeof latch>;
let answers: ReturnType<typeof latch>;

beforeEach(async () => {
  reached = latch();
  answers = latch();
  world = await startOutboxHarness({
    providers: { email: slow(() => sandbox.email), sms: slow(() => sandbox.sms) },
  });
  sandbox = sandboxProviders(createCapture(world.pool, world.clock, () => {}));
});
afterEach(() => world.close());

let sandbox: Providers;

/** Takes the message at once, and its time to answer. */
const slow = <Message extends Outbound>(provider: () => Provider<Message>): Provider<Message> => ({
  name: 'slow',
  maxConcurrent: 10,
  timeoutMs: 20 * SECOND,
  async send(message, signal) {
    reached.open();
    await answers.opened;
    return provider().send(message, signal);
  },
});

const erase = ({ businessId, email }: TestRecipient): Promise<ErasureReport> =>
  transaction(world.pool, (tx) => eraseRecipient(tx, world, { businessId, email, actor: 'test' }));

const TABLES = [
  'recipients',
  'messages',
  'sends',
  'send_attempts',
  'message_events',
  'links',
  'events',
  'sandbox_messages',
];

async function everyRow(businessId: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of TABLES) {
    const { rows } = await world.pool.query(`select * from ${table} where business_id = $1`, [businessId]);
    found.push(...rows.map((row) => `${table}: ${JSON.stringify(row)}`));
  }
  return found;
}

test('an answer that comes after the erasure changes nothing, and brings nobody back', async () => {
  const shop = await insertTestBusiness(world.pool, world.now(), { credits: 5 });
  const ann = await insertRecipient(world.pool, world.now(), shop, { email: 'ann@example.com' });
  await insertSend(world.pool, world.now(), await insertMessage(world.pool, world.now(), ann), 'email');
  world.outbox.wake();
  await reached.opened;
  expect(await erase(ann)).toMatchObject({
    messages_deleted: 1,
    message_links_deleted: 1,
    queued_jobs_cancelled: 0,
  });

  answers.open();
  await world.advance(5 * SECOND);
  expect(await everyRow(shop.id)).toEqual([]);
  expect(await tracesInDatabase(world.pool, [{ name: 'address', text: ann.email }])).toEqual([]);
});

test('a text that the provider had taken stays paid, and what waited is given back', async () => {
  const shop = await insertTestBusiness(world.pool, world.now(), { credits: 5 });
  const ann = await insertRecipient(world.pool, world.now(), shop, { phone: '+447700900123' });
  await insertSend(world.pool, world.now(), await insertMessage(world.pool, world.now(), ann), 'sms');
  world.outbox.wake();
  await reached.opened;
  await insertSend(world.pool, world.now(), await insertMessage(world.pool, world.now(), ann), 'sms', {
    due_at: new Date(world.now().getTime() + 60 * SECOND),
  });
  expect(await erase(ann)).toMatchObject({ channel_sends_deleted: 2, queued_jobs_cancelled: 1 });
  answers.open();
  await world.advance(120 * SECOND);
  const { rows } = await world.pool.query(
    'select balance, reserved from credit_accounts where business_id = $1',
    [shop.id],
  );
  expect(rows).toEqual([{ balance: 4, reserved: 0 }]);
  expect(await everyRow(shop.id)).toEqual([]);
});

test('a delivery report that comes after the erasure is answered and creates nothing', async () => {
  answers.open();
  const shop = await insertTestBusiness(world.pool, world.now());
  const ann = await insertRecipient(world.pool, world.now(), shop, { email: 'ann@example.com' });
  const id = await insertSend(
    world.pool,
    world.now(),
    await insertMessage(world.pool, world.now(), ann),
    'email',
  );
  world.outbox.wake();
  await eventually(async () => expect((await world.sendRow(id)).state).toBe('accepted'));
  await erase(ann);
  const deps = { ...world, onEvents: () => {}, onSends: () => {} };
  for (const status of ['delivered', 'bounced', 'complained'] as const) {
    const reference = referenceOf({ business_id: shop.id, id });
    await handleReports(deps, [
      { provider: 'x', reportId: status, reference, status, errorCode: null, permanent: true },
    ]);
  }
  expect(await everyRow(shop.id)).toEqual([]);
  const { rows } = await world.pool.query('select from suppressions');
  expect(rows).toEqual([]);
});

test('a report id that contains the phone number, as WhatsApp’s do, is not stored, and the report is still applied once', async () => {
  const phone = '+447700900123';
  const named = {
    provider: 'meta',
    reportId: `wamid.${Buffer.from(`xy${phone.slice(1)}z`).toString('base64')} delivered`,
    reference: 'unknown-send',
    status: 'delivered' as const,
    errorCode: null,
  };
  const deps = { ...world, onEvents: () => {}, onSends: () => {} };
  await handleReports(deps, [named]);
  await handleReports(deps, [named, { ...named, reportId: `${named.reportId} again` }]);
  const { rows } = await world.pool.query('select from provider_reports');
  expect(rows).toHaveLength(2);
  expect(await tracesInDatabase(world.pool, [{ name: 'number', text: phone.slice(1) }])).toEqual([]);
});

test('an erasure waits for the send that is being permitted, and takes it along', async () => {
  const shop = await insertTestBusiness(world.pool, world.now());
  const ann = await insertRecipient(world.pool, world.now(), shop);
  // Shared, as the permit of a send holds it.
  const permit = await world.pool.connect();
  await permit.query('begin');
  await permit.query('select from recipients where business_id = $1 and id = $2 for share', [
    shop.id,
    ann.id,
  ]);
  const erasing = erase(ann);
  await eventually(async () => {
    expect(await countLockWaits(world.pool)).toBe(1);
  });
  await permit.query(
    `insert into links (business_id, send_id, token_hash, recipient_id, created_at, expires_at)
     values ($1, 'link', '', $2, now(), now())`,
    [shop.id, ann.id],
  );
  await permit.query('commit');
  permit.release();
  expect(await erasing).toMatchObject({ message_links_deleted: 1, subscription_deleted: true });
});
