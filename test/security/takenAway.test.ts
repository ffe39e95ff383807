import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openLivePage, openStream, writeLongLedger } from '../dashboard/heldOpen.ts';
import { joinShop, signedIn } from '../dashboard/memberBrowser.ts';
import { deliveredEvent, eventsPath, waitingCalls, writeEventsOf } from '../events/feedReader.ts';
import { untilLockWait } from '../support/databaseLocks.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business();
});

const mint = async () =>
  expectStatus<{ id: string; key: string }>(201, await shop.call('POST', '/api/v1/keys', { body: {} }));

/** A call of another key that waits for events. */
async function waitWithOwnKey() {
  const { id, key } = await mint();
  const call = shop.with(key).get(eventsPath({ wait: 30 }));
  await eventually(async () => expect(await waitingCalls(service)).toBe(1));
  return { id, call };
}

test('a call that waits for events gets none that happen after its key was revoked', async () => {
  const { id, call } = await waitWithOwnKey();
  const kept = shop.get(eventsPath({ wait: 30 }));
  await eventually(async () => expect(await waitingCalls(service)).toBe(2));
  expect((await shop.delete(`/api/v1/keys/${id}`)).status).toBe(204);
  await writeEventsOf(service.pool, [deliveredEvent(shop)]);
  expect(statusAndCode(await call)).toBe('401 business.invalid_api_key');
  expect(expectStatus<{ items: unknown[] }>(200, await kept).items).toHaveLength(1);
});

test('nor after its business was deactivated', async () => {
  const { call } = await waitWithOwnKey();
  await service.change(shop, { active: false });
  await writeEventsOf(service.pool, [deliveredEvent(shop)]);
  expect(statusAndCode(await call)).toBe('403 business.inactive');
});

/** Holds back whatever reads messages. */
async function lockMessages(): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin');
  await client.query('lock table messages in access exclusive mode');
  return { release: async () => void (await client.query('commit')) };
}

test('an export is not sent to a key that was revoked while it was read', async () => {
  await shop.pushed();
  const { id, key } = await mint();
  const lock = await lockMessages();
  const call = shop.with(key).get('/api/v1/recipients/ann%40example.com/export');
  await untilLockWait(service.database.pool);
  expect((await shop.delete(`/api/v1/keys/${id}`)).status).toBe(204);
  await lock.release();
  expect(statusAndCode(await call)).toBe('401 business.invalid_api_key');
});

test('nor to a member who was removed meanwhile', async () => {
  await shop.pushed();
  const { id } = await joinShop(service, shop.businessId, 'leaves@shop.example', 'owner');
  const member = await signedIn(service, id);
  const customers = `/dashboard/${shop.businessId}/recipients`;
  const [, customer = ''] = /recipients\/([0-9a-z]{24})/.exec((await member.get(customers)).text) ?? [];
  const page = `${customers}/${customer}`;
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await member.get(page)).text) ?? [];
  const lock = await lockMessages();
  const file = member.post(`${page}/export`, { csrf });
  await untilLockWait(service.database.pool);
  await service.pool.query('delete from memberships where member_id = $1', [id]);
  await lock.release();
  const answer = await file;
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(answer.text).not.toContain('ann@example.com');
});

const TAKEN_AWAY: [string, string][] = [
  ['the member was removed', 'delete from memberships where member_id = $1'],
  ['the session ended', 'delete from dashboard_sessions where member_id = $1'],
];

test.each(TAKEN_AWAY)('a live page says nothing of what happens after %s, and ends', async (_what, sql) => {
  const { id } = await joinShop(service, shop.businessId, 'watches@shop.example', 'viewer');
  const stream = await openLivePage(await signedIn(service, id), `/dashboard/${shop.businessId}/messages`);
  await service.pool.query(sql, [id]);
  await shop.pushed();
  await eventually(() => expect(stream.isOver()).toBe(true));
  expect(stream.said()).toContain('event: ended');
  expect(stream.changes()).toBe(0);
});

test.each(TAKEN_AWAY)('a file has nothing that happens after %s, and breaks off', async (_what, sql) => {
  const { id } = await joinShop(service, shop.businessId, 'reads@shop.example', 'viewer');
  const member = await signedIn(service, id);
  await writeLongLedger(service, shop.businessId);
  const file = await openStream(member, `/dashboard/${shop.businessId}/credits/ledger.csv`);
  file.pause();
  await service.pool.query(sql, [id]);
  await service.pool.query(
    `insert into credit_ledger (business_id, id, kind, amount, note, at) values ($1, 'n', 'grant', 1, 'Granted later', now())`,
    [shop.businessId],
  );
  file.resume();
  await eventually(() => expect(file.isOver()).toBe(true));
  expect(file.said()).toContain('time,kind,credits');
  expect(file.said()).not.toContain('Granted later');
  expect(file.isWhole()).toBe(false);
});
