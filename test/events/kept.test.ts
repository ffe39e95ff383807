import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { earlier, HOUR } from '../../src/kit/clock.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode } from '../support/shop.ts';
import {
  deliveredEvent,
  type EventsAnswer,
  eventsOf,
  eventsPath,
  followToEnd,
  writeEventsOf,
} from './feedReader.ts';

/* How long events stay in the feed, and what an erasure leaves of them. */

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business();
});

/** Moves the clock and returns what it shows then. */
const passDays = (days: number): Promise<Date> => service.advance({ days });
const deliver = (at: Date, count = 1) =>
  writeEventsOf(
    service.pool,
    Array.from({ length: count }, () => deliveredEvent(shop)),
    async () => {},
    at,
  );
const statusAt = async (cursor: string) => statusAndCode(await shop.get(eventsPath({ after: cursor })));

describe('events are kept for 30 days', () => {
  test('and a cursor before those that are gone is 410; one after them goes on', async () => {
    const { next: start } = await eventsOf(shop);
    await deliver(await passDays(0), 3);
    const { next: second } = await eventsOf(shop, { limit: 2 });
    const { next: end } = await eventsOf(shop);
    const now = await passDays(20);
    await deliver(now, 2);
    expect((await eventsOf(shop)).items).toHaveLength(5);
    await passDays(11);
    expect([await statusAt(start), await statusAt(second)]).toEqual([
      '410 events.cursor_expired',
      '410 events.cursor_expired',
    ]);
    const kept = await eventsOf(shop);
    expect(kept.items).toHaveLength(2);
    expect(await eventsOf(shop, { after: end })).toEqual(kept);
    expect((await followToEnd(shop, { limit: 1 })).map(({ id }) => id)).toEqual(
      kept.items.map(({ id }) => id),
    );
  });

  test('also those that nobody has read', async () => {
    const { next: start } = await eventsOf(shop);
    await deliver(await passDays(0), 3);
    await passDays(20);
    const now = await passDays(0);
    await deliver(now, 2);
    await passDays(11);
    expect(await statusAt(start)).toBe('410 events.cursor_expired');
    const { items, next } = await eventsOf(shop);
    expect(items).toHaveLength(2);
    expect(await eventsOf(shop, { after: next })).toEqual({ items: [], next, has_more: false });
  });

  test('a cursor at the end stays good, however old it is', async () => {
    await deliver(await passDays(0), 2);
    const { next } = await eventsOf(shop);
    const later = await passDays(70);
    expect(await eventsOf(shop, { after: next })).toEqual({ items: [], next, has_more: false });
    await deliver(later);
    expect((await eventsOf(shop, { after: next })).items).toHaveLength(1);
  });

  test('a business that never read its feed costs no row', async () => {
    await deliver(await passDays(0));
    await passDays(31);
    const { rows } = await service.pool.query('select from event_feeds where business_id = $1', [
      shop.businessId,
    ]);
    expect(rows).toEqual([]);
    expect(await eventsOf(shop)).toMatchObject({ items: [], has_more: false });
  });

  test('an event that is kept longer for a pending delivery does not lead back to a cursor that is refused', async () => {
    const now = await passDays(0);
    await deliver(earlier(now, HOUR), 3);
    const { items } = await eventsOf(shop);
    await service.pool.query(
      `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, created_at, disabled_at)
        values ($1, 'e1', 'http://127.0.0.1:9/', '', '', now(), null)`,
      [shop.businessId],
    );
    await service.pool.query(
      `insert into webhook_deliveries (business_id, endpoint_id, event_id, due_at, created_at)
        values ($1, 'e1', $2, now() + interval '1 year', now())`,
      [shop.businessId, items[0]?.id],
    );
    await passDays(31);
    const left = await service.pool.query('select from events where business_id = $1', [shop.businessId]);
    expect(left.rowCount).toBe(1);
    const { items: kept, next } = await eventsOf(shop, { limit: 1 });
    expect(kept).toEqual([]);
    expect(await statusAt(next)).toBe('200');
  });
});

describe('an erasure', () => {
  test('leaves an event its place, id, type, time and keys, and takes the person out of it', async () => {
    await shop.pushed({ recipient_email: 'first@example.com' });
    const pushed = await shop.pushed({ reference: '#1001' });
    await shop.pushed({ recipient_email: 'last@example.com' });
    await service.advance({ minutes: 5 });
    const before = await eventsOf(shop);
    expect(before.items).toHaveLength(3);
    expectStatus(200, await shop.post('/api/v1/recipients/ann@example.com/erase'));
    const erased = await eventsOf(shop);
    expect(erased.next).toBe(before.next);
    expect(erased.items.map(({ id }) => id)).toEqual(before.items.map(({ id }) => id));
    const isAbout = ({ data }: EventsAnswer['items'][number]) => data.message_id === pushed.id;
    const [was, is] = [before, erased].map(({ items }) => items.find(isAbout));
    expect(was?.data).toMatchObject({ recipient_email: 'ann@example.com', reference: '#1001' });
    expect(is).toEqual({
      ...was,
      data: { ...was?.data, recipient_email: null, subject: null, reference: null },
    });
    expect(erased.items.filter((item) => !isAbout(item))).toEqual(
      before.items.filter((item) => !isAbout(item)),
    );
  });

  test('also scrubs events that nobody has read, of every kind', async () => {
    await shop.pushed({ recipient_email: 'ann@example.com' });
    const { rows } = await service.pool.query<{ id: string }>(
      'select id from recipients where business_id = $1',
      [shop.businessId],
    );
    const of = { businessId: shop.businessId, messageId: null, recipientId: rows[0]?.id ?? null };
    const person = { recipient_email: 'ann@example.com', recipient_phone: '+372…1000' };
    const received_at = '2026-08-20T09:15:00.000Z';
    await writeEventsOf(
      service.pool,
      [
        {
          ...of,
          type: 'whatsapp.inbound_message',
          data: { ...person, message_id: null, body: 'Where is it?', received_at },
        },
        {
          ...of,
          type: 'sms.failed',
          data: {
            ...person,
            message_id: 'm1',
            country_code: 'EE',
            credits_charged: 1,
            channel: 'sms',
            error_code: null,
          },
        },
      ],
      async () => {},
      await passDays(0),
    );
    expectStatus(200, await shop.post('/api/v1/recipients/ann@example.com/erase'));
    const answer = await shop.get(eventsPath({ types: 'whatsapp.inbound_message,sms.failed' }));
    expect(expectStatus<EventsAnswer>(200, answer).items.map(({ data }) => data)).toEqual([
      { message_id: null, recipient_email: null, recipient_phone: null, body: null, received_at },
      {
        message_id: 'm1',
        recipient_email: null,
        recipient_phone: null,
        country_code: 'EE',
        credits_charged: 1,
        channel: 'sms',
        error_code: null,
      },
    ]);
    expect(answer.text).not.toMatch(/ann@|Where is it|\+372/);
  });

  test('that holds an event does not hold up the feed: the event comes later', async () => {
    const now = await passDays(0);
    await deliver(now, 2);
    const { rows } = await service.pool.query<{ id: string }>(
      'select id from events where business_id = $1 order by id',
      [shop.businessId],
    );
    const [held, free] = rows.map(({ id }) => id);
    const client = await service.database.pool.connect();
    await client.query('begin');
    await client.query('update events set data = data where business_id = $1 and id = $2', [
      shop.businessId,
      held,
    ]);
    const { items, next, has_more } = await eventsOf(shop);
    expect([items.map(({ id }) => id), has_more]).toEqual([[free], false]);
    await client.query('commit');
    client.release();
    expect((await eventsOf(shop, { after: next })).items.map(({ id }) => id)).toEqual([held]);
  });
});
