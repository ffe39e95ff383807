import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NOTHING_REPORTED } from '../support/delivery.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode } from '../support/shop.ts';
import { FULL_PUSH } from './channelOutcomes.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 10 });
});

interface Page {
  items: { id: string; subject: string; recipient_email: string }[];
  next_cursor: string | null;
}
const page = async (query = ''): Promise<Page> =>
  expectStatus(200, await shop.get(`/api/v1/messages${query}`));
const fill = async (count: number, change: Record<string, unknown> = {}) => {
  for (let from = 0; from < count; from += 100) {
    const items = Array.from({ length: Math.min(100, count - from) }, (_, n) => ({
      subject: `S${from + n}`,
      ...change,
    }));
    expect((await shop.batch(items)).body).toMatchObject({ failed: 0 });
  }
};
describe('2.5 message list', () => {
  test('is empty at first', async () => {
    expect(await page()).toEqual({ items: [], next_cursor: null });
  });

  test('an item is a message without its body', async () => {
    const pushed = await shop.pushed({ reference: '#1', order_status: 'shipped', kind: 'updateable' });
    const { items } = await page();
    expect(items).toEqual([
      {
        id: pushed.id,
        recipient_email: 'ann@example.com',
        subject: pushed.subject,
        kind: 'updateable',
        status: 'active',
        reference: '#1',
        order_status: 'shipped',
        scheduled_for: null,
        created_at: pushed.created_at,
        updated_at: pushed.updated_at,
        delivery: NOTHING_REPORTED,
      },
    ]);
  });

  test('has 50 on a page unless told, the newest first', async () => {
    await fill(120);
    const first = await page();
    expect(first.items.map(({ subject }) => subject)).toEqual(
      Array.from({ length: 50 }, (_, n) => `S${119 - n}`),
    );
    expect(first.next_cursor).toEqual(expect.any(String));
  });

  test.each([
    ['1', 1],
    ['7', 7],
    ['100', 100],
    ['101', 100],
    ['0', 1],
    ['-5', 1],
    ['99999999999999999999999', 100],
    ['007', 7],
  ])('limit %s is clamped to %i', async (limit, count) => {
    await fill(105);
    expect((await page(`?limit=${limit}`)).items).toHaveLength(count);
  });

  test('pages go on where the last one ended, to the end, each message once', async () => {
    await fill(25);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { items, next_cursor }: Page = await page(
        `?limit=10${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...items.map(({ subject }) => subject));
      cursor = next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => `S${24 - n}`));
  });

  test('the last full page says that there is no more', async () => {
    await fill(10);
    expect((await page('?limit=10')).next_cursor).toBeNull();
    expect((await page('?limit=9')).next_cursor).not.toBeNull();
  });

  test('a message pushed while paging neither repeats nor hides another', async () => {
    await fill(12);
    const first = await page('?limit=5');
    await fill(3, { subject: 'Meanwhile' });
    const second = await page(`?limit=5&cursor=${first.next_cursor}`);
    const third = await page(`?limit=5&cursor=${second.next_cursor}`);
    const seen = [first, second, third].flatMap(({ items }) => items.map(({ subject }) => subject));
    expect(seen).toEqual(Array.from({ length: 12 }, (_, n) => `S${11 - n}`));
    expect(third.next_cursor).toBeNull();
  });

  test('filtered by recipient, normalised like the field of a push', async () => {
    await shop.pushed();
    await shop.pushed({ recipient_email: 'bob@example.com' });
    await shop.pushed();
    const { items } = await page('?recipient_email=%20ANN@Example.com');
    expect(items.map(({ recipient_email }) => recipient_email)).toEqual([
      'ann@example.com',
      'ann@example.com',
    ]);
    expect(await page('?recipient_email=nobody@example.com')).toEqual({ items: [], next_cursor: null });
  });

  test('filtered pages go on within the filter', async () => {
    await fill(6);
    await fill(6, { recipient_email: 'bob@example.com', subject: 'Bob’s' });
    await fill(6);
    const first = await page('?recipient_email=bob@example.com&limit=4');
    const second = await page(`?recipient_email=bob@example.com&limit=4&cursor=${first.next_cursor}`);
    expect([first, second].map(({ items }) => items.length)).toEqual([4, 2]);
    expect(second.next_cursor).toBeNull();
  });

  test('the last of several parameters of one name counts; unknown ones are ignored', async () => {
    await fill(5);
    expect((await page('?limit=4&limit=2&colour=red&')).items).toHaveLength(2);
  });
});

describe('2.4 message status view', () => {
  test('200: everything of the list’s item, and the body', async () => {
    const pushed = await shop.pushed();
    const [item] = (await page()).items;
    expect((await shop.get(`/api/v1/messages/${pushed.id}`)).body).toEqual({
      ...item,
      body: 'It left our warehouse this morning.',
    });
  });

  test('a paid channel that is queued shows as queued, and has cost nothing yet', async () => {
    const { id } = await shop.pushed({ ...FULL_PUSH, channels: ['sms', 'whatsapp'] });
    const waiting = {
      status: 'queued',
      skipped_reason: null,
      error_code: null,
      credits_charged: 0,
      submitted_at: null,
      last_status_at: null,
    };
    expect((await shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({
      delivery: { ...NOTHING_REPORTED, sms: waiting, whatsapp: waiting },
    });
  });

  test('a push that did not nudge has nothing to tell', async () => {
    const { id } = await shop.pushed({ notify: false, ...FULL_PUSH, channels: ['sms'] });
    expect((await shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({ delivery: NOTHING_REPORTED });
  });

  test.each([
    'unknown',
    'mh0q2z4k00x7c1v9b3n5m8l2',
    'x'.repeat(5_000),
    '%F0%9F%8E%81',
    '..%2F..%2Fkeys',
    "'%20or%201=1--",
  ])('404: %s', async (id) => {
    expect(statusAndCode(await shop.get(`/api/v1/messages/${id}`))).toBe('404 message.not_found');
  });
});

describe('2.7 and 3.1 retract', () => {
  const retract = (id: string, key?: string) => shop.post(`/api/v1/messages/${id}/retract`, key);

  test('200: the message is retracted, and its nudges are cancelled and cost nothing', async () => {
    const { id } = await shop.pushed({ ...FULL_PUSH, channels: ['sms', 'whatsapp'] });
    expect((await retract(id)).body).toEqual({
      id,
      status: 'retracted',
      retracted: true,
      sends_cancelled: 3,
      already_notified: false,
    });
    const skipped = { status: 'skipped', skipped_reason: 'message_retracted', credits_charged: 0 };
    expect((await shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({
      status: 'retracted',
      body: 'It left our warehouse this morning.',
      delivery: { not_sent: { reason: 'message_retracted' }, sms: skipped, whatsapp: skipped },
    });
    expect((await shop.get('/api/v1/credits')).body).toMatchObject({ balance: 10 });
    expect((await shop.pushed({ channels: ['sms'] })).sms).toMatchObject({ queued: true });
  });

  test('deferred and held nudges are cancelled, too', async () => {
    const { id } = await shop.pushed({
      ...FULL_PUSH,
      channels: ['sms', 'whatsapp'],
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
      escalate_if_unread_after_minutes: 60,
    });
    expect((await retract(id)).body).toMatchObject({ sends_cancelled: 3 });
    const { rows } = await service.pool.query(`select distinct state from sends where message_id = $1`, [id]);
    expect(rows).toEqual([{ state: 'cancelled' }]);
  });

  test('a second retraction is no error: retracted false, and the current status', async () => {
    const { id } = await shop.pushed();
    await retract(id);
    expect((await retract(id)).body).toEqual({
      id,
      status: 'retracted',
      retracted: false,
      sends_cancelled: 0,
      already_notified: false,
    });
  });

  test('an obsolete message is no longer live', async () => {
    const { id } = await shop.pushed();
    await shop.pushed({ obsoletes: [id] });
    expect((await retract(id)).body).toMatchObject({
      status: 'obsolete',
      retracted: false,
      sends_cancelled: 0,
    });
  });

  test.each(['submitting', 'accepted', 'delivered', 'failed'])(
    'already_notified when a provider took the nudge, or may have: %s',
    async (state) => {
      const { id } = await shop.pushed();
      await service.pool.query('update sends set state = $2, due_at = null where message_id = $1', [
        id,
        state,
      ]);
      expect((await retract(id)).body).toMatchObject({
        retracted: true,
        sends_cancelled: 0,
        already_notified: true,
      });
    },
  );

  test('404: no such message, which spends the key and is replayed', async () => {
    const first = await retract('unknown', 'gone');
    expect(statusAndCode(first)).toBe('404 message.not_found');
    const again = await retract('unknown', 'gone');
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    const { id } = await shop.pushed();
    expect(statusAndCode(await retract(id, 'gone'))).toBe('409 idempotency.key_reused');
  });
});
