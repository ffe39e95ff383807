import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { transaction } from '../../src/db/transaction.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { recordEvents } from '../../src/webhooks/events.ts';
import { recordUnsubscribe } from '../interface/recipientEvents.ts';
import { startLoopbackServer } from '../support/loopback.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';
import {
  deliveredEvent,
  type EventsAnswer,
  eventsOf,
  eventsPath,
  followToEnd,
  idsOfPage,
  lowBalanceEvent,
  writeEventsOf,
} from './feedReader.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business();
});

const deliver = (count: number, messageId = 'm1') =>
  writeEventsOf(
    service.pool,
    Array.from({ length: count }, () => deliveredEvent(shop, messageId)),
  );
const warn = (count: number) =>
  writeEventsOf(
    service.pool,
    Array.from({ length: count }, () => lowBalanceEvent(shop)),
  );

describe('a page', () => {
  test('is empty at first, and has a cursor all the same', async () => {
    expect(await eventsOf(shop)).toEqual({ items: [], next: expect.any(String), has_more: false });
  });

  test('shows what a push led to, without any endpoint', async () => {
    await recordUnsubscribe(service, shop, 'ann@example.com');
    const { id } = await shop.pushed({ reference: '#1001' });
    const { items, has_more } = await eventsOf(shop);
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-z]{24}$/),
        type: 'message.not_sent',
        occurred_at: expect.stringMatching(/Z$/),
        data: {
          message_id: id,
          recipient_email: 'ann@example.com',
          subject: 'Your order #1001 has shipped',
          reference: '#1001',
          channel: 'email',
          reason: 'unsubscribed',
        },
      },
    ]);
    expect(has_more).toBe(false);
  });

  test.each([
    [undefined, 100],
    ['1', 1],
    ['7', 7],
    ['1000', 1_000],
    ['1001', 1_000],
    ['0', 1],
    ['-5', 1],
    ['99999999999999999999999', 1_000],
  ])('limit %s is clamped to %i', async (limit, count) => {
    await deliver(1_005);
    expect((await eventsOf(shop, limit === undefined ? {} : { limit })).items).toHaveLength(count);
  });

  test('goes on after the cursor of the one before, each event once and in order', async () => {
    await deliver(25);
    await warn(10);
    const all = await followToEnd(shop, { limit: 7 });
    expect(all).toHaveLength(35);
    expect(all.map(({ id }) => id)).toEqual([...new Set(all.map(({ id }) => id))]);
    expect((await eventsOf(shop)).items).toEqual(all);
  });

  test('an empty page has a cursor that goes on with what comes later', async () => {
    const { next } = await eventsOf(shop);
    await deliver(2);
    const { items, next: end } = await eventsOf(shop, { after: next });
    expect(items).toHaveLength(2);
    expect(await eventsOf(shop, { after: end })).toEqual({ items: [], next: end, has_more: false });
  });

  test('an event that commits late comes after a cursor that was given out meanwhile', async () => {
    let next = '';
    await writeEventsOf(service.pool, [lowBalanceEvent(shop)], async () => {
      await deliver(1);
      const page = await eventsOf(shop);
      expect(page.items.map(({ type }) => type)).toEqual(['message.delivered']);
      next = page.next;
    });
    expect((await eventsOf(shop, { after: next })).items.map(({ type }) => type)).toEqual([
      'credits.low_balance',
    ]);
    expect((await eventsOf(shop)).items.map(({ type }) => type)).toEqual([
      'message.delivered',
      'credits.low_balance',
    ]);
  });

  test('an event that is rolled back is never there', async () => {
    await expect(
      writeEventsOf(service.pool, [deliveredEvent(shop)], async () => {
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow();
    await deliver(1);
    expect((await eventsOf(shop)).items).toHaveLength(1);
  });

  test('after=latest is an empty page with the cursor of now', async () => {
    await deliver(3);
    const { items, next, has_more } = await eventsOf(shop, { after: 'latest' });
    expect({ items, has_more }).toEqual({ items: [], has_more: false });
    await deliver(1);
    expect((await eventsOf(shop, { after: next })).items).toHaveLength(1);
  });

  test('says exactly whether more follows', async () => {
    await deliver(10);
    const says = async (query: Parameters<typeof eventsOf>[1]) => (await eventsOf(shop, query)).has_more;
    expect([await says({ limit: 10 }), await says({ limit: 9 })]).toEqual([false, true]);
    await warn(5);
    const types = 'message.delivered';
    expect([await says({ limit: 10, types }), await says({ limit: 9, types })]).toEqual([false, true]);
    expect([await says({ limit: 10 }), await says({ limit: 15 })]).toEqual([true, false]);
  });
});

describe('filters', () => {
  test('by type, one or several', async () => {
    await deliver(2);
    await warn(1);
    await deliver(1);
    const of = async (types: string) => (await eventsOf(shop, { types })).items.map(({ type }) => type);
    expect(await of('credits.low_balance')).toEqual(['credits.low_balance']);
    const both = ['message.delivered', 'message.delivered', 'credits.low_balance', 'message.delivered'];
    expect(await of('credits.low_balance,message.delivered')).toEqual(both);
    expect(await of('credits.low_balance,message.delivered,credits.low_balance')).toEqual(both);
    expect(await of('sms.failed,ping')).toEqual([]);
  });

  test('by message, alone or with types', async () => {
    await deliver(1, 'm1');
    await deliver(2, 'm2');
    await warn(1);
    expect((await eventsOf(shop, { message_id: 'm2' })).items).toHaveLength(2);
    expect((await eventsOf(shop, { message_id: 'm2', types: 'message.delivered' })).items).toHaveLength(2);
    expect((await eventsOf(shop, { message_id: 'm2', types: 'message.opened' })).items).toEqual([]);
  });

  test('a message that is unknown or of another business is an empty page', async () => {
    const other = await service.business();
    await deliver(1, 'm7');
    for (const [who, id] of [
      [shop, 'nobody'],
      [other, 'm7'],
    ] as const)
      expect(await eventsOf(who, { message_id: id })).toEqual({
        items: [],
        next: expect.any(String),
        has_more: false,
      });
  });

  test('a filtered page moves the cursor past what did not match', async () => {
    await deliver(5);
    await warn(2);
    await deliver(5);
    const { items, next, has_more } = await eventsOf(shop, { types: 'credits.low_balance' });
    expect([items.length, has_more]).toEqual([2, false]);
    expect((await eventsOf(shop, { after: next })).items).toEqual([]);
  });

  test('a cursor is a place in the feed, whatever the filter it came with', async () => {
    await warn(3);
    await deliver(2);
    const { next } = await eventsOf(shop, { types: 'credits.low_balance', limit: 2 });
    expect((await eventsOf(shop, { after: next })).items.map(({ type }) => type)).toEqual([
      'credits.low_balance',
      'message.delivered',
      'message.delivered',
    ]);
    expect((await eventsOf(shop, { after: next, message_id: 'm1' })).items).toHaveLength(2);
  });

  test('filtered pages go on within the filter', async () => {
    for (let round = 0; round < 6; round += 1) {
      await deliver(3);
      await warn(1);
    }
    const ids = (await eventsOf(shop)).items
      .filter(({ type }) => type.startsWith('credits'))
      .map(({ id }) => id);
    expect((await followToEnd(shop, { types: 'credits.low_balance', limit: 2 })).map(({ id }) => id)).toEqual(
      ids,
    );
  });
});

describe('refusals', () => {
  test.each(['-1', '31', 'soon', '1.5', ''])('wait=%s is 422', async (wait) => {
    const [fault] = validationErrorsOf(await shop.get(eventsPath({ wait })));
    expect(fault?.loc).toEqual(['query', 'wait']);
  });

  test.each(['message.created', '', 'message.opened,', 'message.opened, sms.failed', 'MESSAGE.OPENED'])(
    'types=%s is 422',
    async (types) => {
      const [fault] = validationErrorsOf(await shop.get(eventsPath({ types })));
      expect(fault).toMatchObject({ loc: ['query', 'types'], type: 'value_error', input: types });
    },
  );

  test('every parameter that is wrong is named', async () => {
    const faults = validationErrorsOf(
      await shop.get(eventsPath({ wait: 31, types: 'x', after: 'y', limit: 'z' })),
    );
    expect(faults.map(({ loc }) => loc[1]).sort()).toEqual(['after', 'limit', 'types', 'wait']);
  });

  test('a cursor that is not ours is 422: cut, changed, put together, of the message list', async () => {
    await deliver(1);
    const { next } = await eventsOf(shop);
    const swapped = `${next.slice(0, -1)}${next.endsWith('A') ? 'B' : 'A'}`;
    for (const after of [
      '',
      'x',
      'Latest',
      next.slice(1),
      next.slice(0, -2),
      next + next,
      `${next}=`,
      swapped,
    ]) {
      const [fault] = validationErrorsOf(await shop.get(eventsPath({ after })));
      expect(fault).toMatchObject({ loc: ['query', 'after'], type: 'value_error', input: after });
    }
  });

  test('another business’s cursor is 422', async () => {
    const other = await service.business();
    const { next } = await eventsOf(other);
    const [fault] = validationErrorsOf(await shop.get(eventsPath({ after: next })));
    expect(fault).toMatchObject({ loc: ['query', 'after'], type: 'value_error', input: next });
  });

  test('a cursor from after the time to which the database was restored is 410', async () => {
    await deliver(3);
    const { next } = await eventsOf(shop);
    await service.pool.query('delete from events where business_id = $1', [shop.businessId]);
    await service.pool.query('update event_feeds set last_position = 1 where business_id = $1', [
      shop.businessId,
    ]);
    const asked = async () => statusAndCode(await shop.get(eventsPath({ after: next })));
    expect(await asked()).toBe('410 events.cursor_expired');
    // Other events have the positions of the lost ones by now.
    await deliver(5);
    expect((await eventsOf(shop)).items).toHaveLength(5);
    expect(await asked()).toBe('410 events.cursor_expired');
  });
});

test('items are the envelopes of the webhook deliveries, to the byte', async () => {
  const bodies: string[] = [];
  const receiver = await startLoopbackServer(
    createServer(async (request, response) => {
      bodies.push(await text(request));
      response.end();
    }),
  );
  const hook = `127.0.0.1:${receiver.port}`;
  const delivering = await startService({ WEBHOOK_ALLOW_HOSTS: hook });
  onTestFinished(() => delivering.close());
  const merchant = await delivering.business();
  const url = `http://${hook}/hook`;
  const endpoint: { id: string } = expectStatus(
    201,
    await merchant.call('POST', '/api/v1/webhook-endpoints', { body: { url } }),
  );
  await merchant.post(`/api/v1/webhook-endpoints/${endpoint.id}/test`);
  await merchant.pushed({ subject: 'Größe “XL” ist da' });
  await merchant.pushed({ recipient_email: 'bounce@example.com' });
  await delivering.advance({ minutes: 5 });
  const answer = await merchant.get(eventsPath());
  const { items } = expectStatus<EventsAnswer>(200, answer);
  const [pings, events] = [bodies.filter(isPing), bodies.filter((body) => !isPing(body))];
  expect([pings.length, events.length]).toEqual([1, 2]);
  expect(items).toHaveLength(2);
  for (const body of events) expect(answer.text).toContain(body);
});

const isPing = (body: string): boolean => body.includes('"type":"ping"');

test('events of one transaction keep their order', async () => {
  const events = [lowBalanceEvent(shop), deliveredEvent(shop, 'm1'), deliveredEvent(shop, 'm2')];
  await transaction(service.pool, (tx) => recordEvents(tx, events, systemClock.now()));
  expect((await eventsOf(shop)).items.map(({ data }) => data.message_id ?? null)).toEqual([null, 'm1', 'm2']);
  expect(idsOfPage(await eventsOf(shop, { limit: 1 }))).toHaveLength(1);
});
