import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MINUTE } from '../../src/kit/clock.ts';
import { type ListQuery, messageCursors } from '../../src/messages/list.ts';
import { createViews, listMessages } from '../../src/messages/read.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { NOTHING_REPORTED } from '../support/delivery.ts';
import { NUMBER } from '../support/pushState.ts';
import { BY_WHATSAPP, type DomainShop, openDomainShop, STARTED_AT } from './domainShop.ts';

let database: TestDatabase;
let shop: DomainShop;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  shop = await openDomainShop(database.pool);
});

const list = (query: Partial<ListQuery> = {}, of: DomainShop = shop) =>
  listMessages(database.pool, of.businessId, { recipientEmail: null, limit: null, before: null, ...query });
const view = (id: string) => createViews(database.pool)(shop.businessId, id);

/** Every page, one after the other, as a merchant's loop would read them. */
async function everyPage(
  query: Partial<ListQuery>,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const subjects: string[] = [];
  for (let before: string | null = null; ; ) {
    const { items, next_cursor } = await list({ ...query, before });
    subjects.push(...items.map(({ subject }) => subject));
    if (next_cursor === null) return subjects;
    before = messageCursors.idIn(next_cursor);
    expect(before).not.toBeNull();
    await meanwhile();
  }
}

test('a message is viewed with every field, its text included', async () => {
  const sendAt = new Date('2026-08-21T07:00:00.000Z');
  const { id } = await shop.push({
    subject: 'Order #1001',
    body: 'It has shipped.',
    sendAt,
    kind: 'updateable',
  });
  expect(await view(id)).toEqual({
    id,
    recipient_email: 'ann@example.com',
    subject: 'Order #1001',
    kind: 'updateable',
    status: 'active',
    reference: '#1001',
    order_status: 'shipped',
    scheduled_for: sendAt.toISOString(),
    created_at: STARTED_AT.toISOString(),
    updated_at: STARTED_AT.toISOString(),
    delivery: NOTHING_REPORTED,
    body: 'It has shipped.',
  });
});

test('a listed item is the view without the text', async () => {
  const { id } = await shop.push({ channels: ['sms'], phone: NUMBER });
  const { body: _, ...listed } = (await view(id)) ?? { body: '' };
  expect(await list()).toEqual({ items: [listed], next_cursor: null });
});

test('an unknown id and another business’s look alike: there is no such message', async () => {
  const other = await openDomainShop(database.pool);
  const { id } = await other.push();
  expect(await view(id)).toBeNull();
  expect(await view('0'.repeat(24))).toBeNull();
  expect(await list()).toEqual({ items: [], next_cursor: null });
});

test('an update in place shows the new content, the old id and both times', async () => {
  const { id } = await shop.push({ kind: 'updateable', body: 'Packing.', orderStatus: 'confirmed' });
  shop.advance(MINUTE);
  await shop.push({ kind: 'updateable', body: 'On its way.', orderStatus: 'shipped' });
  expect(await view(id)).toMatchObject({
    body: 'On its way.',
    order_status: 'shipped',
    created_at: STARTED_AT.toISOString(),
    updated_at: new Date(STARTED_AT.getTime() + MINUTE + 1).toISOString(),
  });
});

test('messages are listed newest first, those of one batch in its order', async () => {
  for (const subject of ['first', 'second', 'third']) await shop.push({ subject });
  expect((await list()).items.map(({ subject }) => subject)).toEqual(['third', 'second', 'first']);
});

test.each([1, 2, 3, 4, 7, 8])('pages of %i hold every message once, in order', async (limit) => {
  const subjects = Array.from({ length: 7 }, (_, index) => `message ${index}`);
  for (const subject of subjects) await shop.push({ subject });
  expect(await everyPage({ limit })).toEqual([...subjects].reverse());
});

test('a message pushed while paging neither repeats nor hides another', async () => {
  const subjects = Array.from({ length: 6 }, (_, index) => `message ${index}`);
  for (const subject of subjects) await shop.push({ subject });
  expect(await everyPage({ limit: 2 }, () => shop.push({ subject: 'meanwhile' }))).toEqual(
    [...subjects].reverse(),
  );
});

test('the last page has no next cursor, also when it is exactly full', async () => {
  await shop.push();
  await shop.push();
  expect((await list({ limit: 2 })).next_cursor).toBeNull();
  expect((await list({ limit: 1 })).next_cursor).not.toBeNull();
});

test('a limit is clamped into 1 to 100 and is 50 by default', async () => {
  for (let count = 0; count < 52; count += 1) await shop.push();
  const sizes = await Promise.all(
    [null, -5, 0, 1, 52, 100, 1e9].map(async (limit) => (await list({ limit })).items.length),
  );
  expect(sizes).toEqual([50, 1, 1, 1, 52, 52, 52]);
  await database.pool.query(
    `insert into messages (business_id, id, recipient_id, subject, body, kind, status, created_at, updated_at)
     select business_id, 'a' || lpad(n::text, 23, '0'), recipient_id, subject, body, kind, status, created_at, updated_at
     from (select * from messages where business_id = $1 limit 1) m, generate_series(1, 60) n`,
    [shop.businessId],
  );
  expect((await list({ limit: 1e9 })).items).toHaveLength(100);
});

test('the recipient filter shows that recipient’s messages alone, page by page', async () => {
  for (const subject of ['a', 'b', 'c']) {
    await shop.push({ recipientEmail: 'ann@example.com', subject: `ann ${subject}` });
    await shop.push({ recipientEmail: 'bob@example.com', subject: `bob ${subject}` });
  }
  expect(await everyPage({ recipientEmail: 'bob@example.com', limit: 2 })).toEqual([
    'bob c',
    'bob b',
    'bob a',
  ]);
  expect(await list({ recipientEmail: 'nobody@example.com' })).toEqual({ items: [], next_cursor: null });
});

test('each listed message has its own sends, and the latest of a channel speaks for it', async () => {
  const text = await shop.push({ channels: ['sms'], phone: NUMBER, subject: 'text' });
  const quiet = await shop.push({ subject: 'quiet', notify: false });
  const at = new Date('2026-08-20T09:16:00.250Z');
  await shop.setSends(text.id, 'sms', {
    state: 'rejected',
    reserved: false,
    error_code: 'sms.submit_refused',
    last_status_at: at,
  });
  await shop.setSends(text.id, 'email', { state: 'delivered', delivered_at: at, last_status_at: at });
  const rejected = {
    status: 'rejected',
    skipped_reason: null,
    error_code: 'sms.submit_refused',
    credits_charged: 0,
    submitted_at: null,
    last_status_at: '2026-08-20T09:16:00.250Z',
  };
  const { items } = await list();
  expect(items.map(({ id }) => id)).toEqual([quiet.id, text.id]);
  expect(items.map(({ delivery }) => delivery)).toEqual([
    NOTHING_REPORTED,
    { ...NOTHING_REPORTED, delivered: true, delivered_at: '2026-08-20T09:16:00.250Z', sms: rejected },
  ]);

  await shop.resendSms(text.id);
  expect((await view(text.id))?.delivery.sms).toMatchObject({ status: 'queued', error_code: null });
});

test('an email that a gate refused shows as not_sent from the push on', async () => {
  await shop.setBusiness({ paused: true });
  const { id } = await shop.push();
  expect((await view(id))?.delivery.not_sent).toEqual({
    reason: 'sending_paused',
    at: STARTED_AT.toISOString(),
  });
});

test('a channel held for escalation shows nothing until its deadline', async () => {
  const { id, whatsapp } = await shop.push({ ...BY_WHATSAPP, escalateMinutes: 60, smsIfWhatsappFails: true });
  expect(whatsapp).toMatchObject({ queued: false, sms_fallback: true });
  expect((await view(id))?.delivery).toEqual(NOTHING_REPORTED);
});

test('an update that nudges again shows its own send and not the one it superseded', async () => {
  const text = { channels: ['sms'], phone: NUMBER, kind: 'updateable', notify: true } as const;
  const { id } = await shop.push({ ...text, sendAt: new Date('2026-08-21T07:00:00.000Z') });
  await shop.push(text);
  expect((await shop.sends(id)).map(({ channel, state }) => `${channel} ${state}`).sort()).toEqual([
    'email cancelled',
    'email queued',
    'sms cancelled',
    'sms queued',
  ]);
  expect((await view(id))?.delivery).toMatchObject({ not_sent: null, sms: { status: 'queued' } });
});

test('a message opened in the inbox shows when', async () => {
  const { id } = await shop.push();
  await database.pool.query(`update messages set opened_at = '2026-08-20T10:00:00Z' where business_id = $1`, [
    shop.businessId,
  ]);
  expect((await view(id))?.delivery).toMatchObject({ opened: true, opened_at: '2026-08-20T10:00:00.000Z' });
});
