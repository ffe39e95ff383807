import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ListedOrder, OrderView, ShipmentView } from '../../src/contract/orders.ts';
import { carrierReports } from '../support/carrier.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';

interface Page {
  items: ListedOrder[];
  next_cursor: string | null;
}
interface Told {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

const received: { path: string; body: Told }[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    received.push({ path: request.url ?? '', body: JSON.parse(body) });
    response.writeHead(204).end();
  });
});

let service: TestService;
let hook: string;
let shop: Shop;
beforeAll(async () => {
  const port = await listenOnFreePort(server);
  hook = `http://127.0.0.1:${port}`;
  service = await startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
});
afterAll(async () => {
  server.close();
  await service.close();
});
beforeEach(async () => {
  shop = await service.business();
  received.length = 0;
});

const pathOf = (reference: string): string => `/api/v1/orders/${encodeURIComponent(reference)}`;
const read = async (reference: string): Promise<OrderView> =>
  expectStatus(200, await shop.get(pathOf(reference)));
const list = async (query = ''): Promise<Page> => expectStatus(200, await shop.get(`/api/v1/orders${query}`));
const listed = async (query = ''): Promise<string[]> =>
  (await list(query)).items.map(({ reference }) => reference);
const put = (reference: string, trackingNumber: string, body: unknown = {}) =>
  shop.put(`${pathOf(reference)}/shipments/${encodeURIComponent(trackingNumber)}`, body);
const shipped = async (reference: string, number: string, body: unknown = {}): Promise<ShipmentView> =>
  expectStatus(200, await put(reference, number, body));
const about = (reference: string, order_status: string | null, more: object = {}) =>
  shop.pushed({ reference, order_status, subject: `Order ${reference}`, notify: false, ...more });
/** What was told of orders, once nothing waits. */
async function updates(of = shop): Promise<Record<string, unknown>[]> {
  await service.advance({ seconds: 1 });
  const page: { items: Told[] } = expectStatus(200, await of.get('/api/v1/events?types=order.updated'));
  return page.items.map(({ data }) => data);
}

const FACTS = {
  carrier: 'Omniva',
  tracking_url: 'https://www.omniva.ee/track/CC1',
  expected_on: '2026-08-22',
  expected_until: '2026-08-24',
};

describe('an order', () => {
  test('exists as soon as a message names it, and shows people, shipments and messages', async () => {
    const first = await about('A/1#x', 'confirmed');
    const second = await about('A/1#x', 'shipped', { shipment: { tracking_number: 'CC1', ...FACTS } });
    const order = await read('A/1#x');
    expect(order).toEqual({
      reference: 'A/1#x',
      status: 'shipped',
      status_at: second.created_at,
      recipients: ['ann@example.com'],
      shipments: [{ tracking_number: 'CC1', ...FACTS, status: null, status_at: null, events: [] }],
      messages: [second, first].map(({ id, subject, status, order_status, created_at }) => ({
        id,
        subject,
        status,
        order_status,
        created_at,
      })),
    });
    expect(await list()).toEqual({
      items: [
        {
          reference: 'A/1#x',
          status: 'shipped',
          status_at: second.created_at,
          updated_at: second.created_at,
        },
      ],
      next_cursor: null,
    });
  });

  test('exists as soon as a shipment or a tracking event names it, without people', async () => {
    await shipped('S', 'CC1');
    await carrierReports(service, shop, 'E', { status: 'picked_up', at: service.clock.now() });
    expect(await read('S')).toMatchObject({ status: null, status_at: null, recipients: [], messages: [] });
    expect(await read('E')).toMatchObject({ status: 'picked_up', recipients: [], messages: [] });
  });

  test('that nothing names is 404 order.not_found', async () => {
    expect(statusAndCode(await shop.get(pathOf('nothing')))).toBe('404 order.not_found');
  });

  test('shows the newest 100 messages', async () => {
    const items = Array.from({ length: 100 }, (_, n) => ({
      reference: 'M',
      subject: `S${n}`,
      notify: false,
    }));
    expectStatus(200, await shop.batch(items));
    await about('M', null, { subject: 'The newest' });
    const { messages } = await read('M');
    expect(messages).toHaveLength(100);
    expect(messages[0]?.subject).toBe('The newest');
    expect(messages.at(-1)?.subject).toBe('S1');
  });

  test('has its people and shipments in the order in which they were first named', async () => {
    await about('P', null, { recipient_email: 'zoe@example.com' });
    await carrierReports(service, shop, 'P', {
      status: 'picked_up',
      at: service.clock.now(),
      trackingNumber: 'Z9',
      email: 'carl@example.com',
    });
    await shipped('P', 'A1');
    await about('P', null, { recipient_email: 'ann@example.com' });
    await about('P', null, { recipient_email: 'zoe@example.com' });
    await shipped('P', 'Z9', FACTS);
    const { recipients, shipments } = await read('P');
    expect(recipients).toEqual(['zoe@example.com', 'carl@example.com', 'ann@example.com']);
    expect(shipments.map(({ tracking_number }) => tracking_number)).toEqual(['Z9', 'A1']);
  });

  test('has the events of each shipment, oldest first', async () => {
    const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 5, 10, minute));
    await carrierReports(service, shop, 'T', { status: 'in_transit', at: at(20), location: 'Riga' });
    await carrierReports(service, shop, 'T', { status: 'picked_up', at: at(10), description: 'Taken' });
    const [shipment] = (await read('T')).shipments;
    expect(shipment).toMatchObject({
      tracking_number: 'CC123',
      carrier: null,
      tracking_url: null,
      expected_on: null,
      expected_until: null,
      status: 'in_transit',
      status_at: at(20).toISOString(),
      events: [
        { at: at(10).toISOString(), status: 'picked_up', description: 'Taken', location: null },
        { at: at(20).toISOString(), status: 'in_transit', description: null, location: 'Riga' },
      ],
    });
  });
});

describe('the status of an order', () => {
  test('is the latest word by time, of messages and tracking events, as it came', async () => {
    const push = await about('S1', 'shipped');
    const time = Date.parse(push.created_at);
    await carrierReports(service, shop, 'S1', { status: 'picked_up', at: new Date(time - 60_000) });
    expect(await read('S1')).toMatchObject({ status: 'shipped', status_at: push.created_at });
    const later = new Date(time + 60_000);
    await carrierReports(service, shop, 'S1', { status: 'exception', at: later });
    expect(await read('S1')).toMatchObject({ status: 'exception', status_at: later.toISOString() });
  });

  test('comes of no word that is no status', async () => {
    const push = await about('S2', 'shipped');
    await about('S2', 'packed_by_elves', { subject: 'Another' });
    expect(await read('S2')).toMatchObject({ status: 'shipped', status_at: push.created_at });
  });

  test('of two events with the same time is that of the one received later', async () => {
    const at = new Date(Date.UTC(2026, 0, 5));
    await carrierReports(service, shop, 'S3', { status: 'in_transit', at, trackingNumber: 'A' });
    await carrierReports(service, shop, 'S3', { status: 'picked_up', at, trackingNumber: 'B' });
    expect(await read('S3')).toMatchObject({ status: 'picked_up' });
  });

  test('forgets what was retracted, and keeps what is obsolete', async () => {
    const first = await about('S4', 'confirmed');
    const second = await about('S4', 'shipped');
    const other = await about('S5', 'delivered');
    await shop.pushed({ subject: 'Instead', obsoletes: [other.id], notify: false });
    expect(await read('S5')).toMatchObject({ status: 'delivered' });
    const changed = (await list()).items.map(({ reference, updated_at }) => ({ reference, updated_at }));
    expectStatus(200, await shop.post(`/api/v1/messages/${second.id}/retract`));
    expect(await read('S4')).toMatchObject({ status: 'confirmed', status_at: first.created_at });
    // A retraction is no change.
    expect((await list()).items.map(({ reference, updated_at }) => ({ reference, updated_at }))).toEqual(
      changed,
    );
    expectStatus(200, await shop.post(`/api/v1/messages/${first.id}/retract`));
    expect(await read('S4')).toMatchObject({
      status: null,
      status_at: null,
      recipients: ['ann@example.com'],
    });
  });

  test('counts from the update that last changed it', async () => {
    const kind = { kind: 'updateable', subject: 'One message' };
    const first = await about('S6', 'confirmed', kind);
    const same = await about('S6', 'confirmed', { ...kind, body: 'Other words' });
    expect(same.id).toBe(first.id);
    expect(await read('S6')).toMatchObject({ status: 'confirmed', status_at: first.created_at });
    expect((await list()).items[0]?.updated_at).toBe(same.updated_at);
    const changed = await about('S6', 'shipped', kind);
    expect(await read('S6')).toMatchObject({ status: 'shipped', status_at: changed.updated_at });
    await about('S6', null, kind);
    expect(await read('S6')).toMatchObject({ status: null, status_at: null });
  });

  test('goes with a message to the order of its present reference', async () => {
    const kind = { kind: 'updateable', subject: 'One message' };
    await about('S7', 'confirmed', kind);
    const bob = await about('S7', 'delayed', { recipient_email: 'bob@example.com' });
    await about('S8', 'shipped', kind);
    expect(await read('S7')).toMatchObject({
      status: 'delayed',
      status_at: bob.created_at,
      recipients: ['bob@example.com'],
    });
    expect(await read('S8')).toMatchObject({ status: 'shipped', recipients: ['ann@example.com'] });
    await about('S9', 'shipped', kind);
    expect(statusAndCode(await shop.get(pathOf('S8')))).toBe('404 order.not_found');
    expect(await listed('?recipient_email=ann@example.com')).toEqual(['S9']);
  });
});

describe('the list of orders', () => {
  test('newest change first, page by page, each order once', async () => {
    for (const reference of ['L1', 'L2', 'L3', 'L4']) await about(reference, null);
    await shipped('L2', 'CC1');
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await list(`?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...page.items.map(({ reference }) => reference));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(['L2', 'L4', 'L3', 'L1']);
    expect((await list('?limit=0')).items).toHaveLength(1);
    expect((await list('?limit=1000')).items).toHaveLength(4);
  });

  test('by status, person and time of change, and all of them together', async () => {
    await about('F1', 'shipped');
    await about('F2', 'delivered');
    const third = await about('F3', 'shipped', { recipient_email: 'Bob@Example.com' });
    await carrierReports(service, shop, 'F4', {
      status: 'picked_up',
      at: service.clock.now(),
      email: 'bob@example.com',
    });
    expect(await listed('?status=shipped')).toEqual(['F3', 'F1']);
    expect(await listed('?status=picked_up')).toEqual(['F4']);
    expect(await listed('?status=refunded')).toEqual([]);
    expect(await listed('?recipient_email=bob@example.com')).toEqual(['F4', 'F3']);
    expect(await listed('?recipient_email=nobody@example.com')).toEqual([]);
    expect(await listed(`?updated_after=${third.created_at}`)).toEqual(['F4']);
    const before = new Date(Date.parse(third.created_at) - 1).toISOString();
    expect(await listed(`?updated_after=${before}&status=shipped&recipient_email=bob@example.com`)).toEqual([
      'F3',
    ]);
    const page = await list('?recipient_email=bob@example.com&limit=1');
    expect(await listed(`?recipient_email=bob@example.com&limit=1&cursor=${page.next_cursor}`)).toEqual([
      'F3',
    ]);
  });

  test.each([
    ['status=lost', 'query.status', 'enum'],
    ['recipient_email=nobody', 'query.recipient_email', 'value_error'],
    ['updated_after=yesterday', 'query.updated_after', 'datetime_parsing'],
    ['cursor=abc', 'query.cursor', 'value_error'],
    ['limit=x', 'query.limit', 'int_parsing'],
  ])('%s is 422 at %s', async (query, loc, type) => {
    const faults = validationErrorsOf(await shop.get(`/api/v1/orders?${query}`));
    expect(faults.map((fault) => [fault.loc.join('.'), fault.type])).toEqual([[loc, type]]);
  });
});

describe('a shipment that is put', () => {
  test('is answered whole; again it replaces the other four fields, and sends nothing', async () => {
    const empty = { carrier: null, tracking_url: null, expected_on: null, expected_until: null };
    const nothing = { status: null, status_at: null, events: [] };
    expect(await shipped('U1', 'CC 1', FACTS)).toEqual({ tracking_number: 'CC 1', ...FACTS, ...nothing });
    expect(await shipped('U1', ' CC 1 ', { carrier: 'DPD' })).toEqual({
      tracking_number: 'CC 1',
      ...empty,
      carrier: 'DPD',
      ...nothing,
    });
    await shipped('U1', 'cc 1');
    const { shipments, messages } = await read('U1');
    expect(shipments.map(({ tracking_number, carrier }) => [tracking_number, carrier])).toEqual([
      ['CC 1', 'DPD'],
      ['cc 1', null],
    ]);
    expect(messages).toEqual([]);
    expect(await updates()).toEqual([]);
  });

  test('keeps its events', async () => {
    await carrierReports(service, shop, 'U2', { status: 'picked_up', at: service.clock.now() });
    const shipment = await shipped('U2', 'CC123', FACTS);
    expect(shipment).toMatchObject({ ...FACTS, status: 'picked_up' });
    expect(shipment.events).toHaveLength(1);
  });

  test('is a change of its order', async () => {
    await about('U3', null);
    await about('U4', null);
    await shipped('U3', 'CC1');
    expect(await listed()).toEqual(['U3', 'U4']);
  });

  test.each<[string, string, unknown, string, string]>([
    ['U%20V', 'CC1', {}, 'path.reference', 'string_pattern_mismatch'],
    ['x'.repeat(201), 'CC1', {}, 'path.reference', 'string_too_long'],
    ['U', 'C_1', {}, 'path.tracking_number', 'string_pattern_mismatch'],
    ['U', '---', {}, 'path.tracking_number', 'string_pattern_mismatch'],
    ['U', 'C'.repeat(65), {}, 'path.tracking_number', 'string_too_long'],
    ['U', 'CC1', { tracking_url: 'http://x.example/' }, 'body.tracking_url', 'value_error'],
    ['U', 'CC1', { expected_on: '2026-02-30' }, 'body.expected_on', 'value_error'],
    ['U', 'CC1', { expected_until: '2026-02-20' }, 'body.expected_until', 'value_error'],
  ])('%s %s %j is 422 at %s', async (reference, number, body, loc, type) => {
    const answer = await shop.put(`/api/v1/orders/${reference}/shipments/${number}`, body);
    expect(validationErrorsOf(answer).map((fault) => [fault.loc.join('.'), fault.type])).toEqual([
      [loc, type],
    ]);
  });
});

describe('order.updated', () => {
  const of = (reference: string, status: string | null, at: string | null, more: object = {}) => ({
    reference,
    status,
    status_at: at,
    tracking_number: null,
    recipient_email: 'ann@example.com',
    ...more,
  });

  test('comes once per change of status or its time, with the shipment of a tracking event alone', async () => {
    const first = await about('O1', 'confirmed');
    await about('O1', null, { subject: 'No word' });
    const second = await about('O1', 'shipped', { recipient_email: 'bob@example.com' });
    const third = await about('O1', 'shipped', { subject: 'Once more' });
    const at = new Date(Date.parse(third.created_at) + 1_000);
    await carrierReports(service, shop, 'O1', { status: 'in_transit', at, email: 'carl@example.com' });
    await carrierReports(service, shop, 'O1', {
      status: 'picked_up',
      at: new Date(Date.parse(first.created_at)),
      trackingNumber: 'OTHER',
    });
    await shipped('O1', 'CC123', FACTS);
    expect(await updates()).toEqual([
      of('O1', 'confirmed', first.created_at),
      of('O1', 'shipped', second.created_at, { recipient_email: 'bob@example.com' }),
      of('O1', 'shipped', third.created_at),
      of('O1', 'in_transit', at.toISOString(), {
        tracking_number: 'CC123',
        recipient_email: 'carl@example.com',
      }),
    ]);
  });

  test('comes of a retraction that changes the status', async () => {
    const first = await about('O2', 'confirmed');
    const second = await about('O2', 'shipped');
    expectStatus(200, await shop.post(`/api/v1/messages/${first.id}/retract`));
    expectStatus(200, await shop.post(`/api/v1/messages/${second.id}/retract`));
    expect((await updates()).at(-1)).toEqual(of('O2', null, null));
    expect(await updates()).toHaveLength(3);
  });

  test('goes only to endpoints that name it, also in a replay', async () => {
    const endpoint = async (path: string, event_types?: string[]): Promise<{ id: string }> =>
      expectStatus(
        201,
        await shop.call('POST', '/api/v1/webhook-endpoints', {
          body: { url: `${hook}/${path}`, ...(event_types && { event_types }) },
        }),
      );
    const all = await endpoint('all');
    await endpoint('named', ['order.updated', 'message.opened']);
    await endpoint('other', ['message.delivered']);
    await shop.pushed({ reference: 'O3', order_status: 'shipped' });
    await service.advance({ minutes: 1 });
    const at = (path: string) =>
      received.filter((one) => one.path === `/${path}`).map(({ body }) => body.type);
    expect(at('named')).toEqual(['order.updated']);
    expect(at('all')).toEqual(['message.delivered']);
    expect(at('other')).toEqual(['message.delivered']);
    const replay = (types: string[] | null) =>
      shop.call('POST', `/api/v1/webhook-endpoints/${all.id}/replay`, {
        body: { since: '2020-01-01T00:00:00Z', types, only: 'all' },
        idempotencyKey: `replay ${types}`,
      });
    expect(expectStatus(202, await replay(null))).toEqual({ queued: 1 });
    expect(validationErrorsOf(await replay(['order.updated']))[0]?.loc).toEqual(['body', 'types', 0]);
  });
});

describe('whose orders', () => {
  test('another business has no such order, and its own of the same name', async () => {
    await about('W1', 'shipped');
    await shipped('W1', 'CC1', FACTS);
    const stranger = await service.business();
    expect(statusAndCode(await stranger.get(pathOf('W1')))).toBe('404 order.not_found');
    expect(expectStatus(200, await stranger.get('/api/v1/orders'))).toEqual({ items: [], next_cursor: null });
    expectStatus(200, await stranger.put(`${pathOf('W1')}/shipments/CC1`, { carrier: 'Theirs' }));
    expect((await read('W1')).shipments[0]?.carrier).toBe('Omniva');
    expect(expectStatus(200, await stranger.get(pathOf('W1')))).toMatchObject({
      recipients: [],
      messages: [],
    });
  });

  test('a read key reads them, and sets nothing', async () => {
    await about('W2', 'shipped');
    const body = { access: 'read' };
    const { key } = expectStatus<{ key: string }>(201, await shop.call('POST', '/api/v1/keys', { body }));
    const reader = shop.with(key);
    expectStatus(200, await reader.get(pathOf('W2')));
    expectStatus(200, await reader.get('/api/v1/orders'));
    expect(statusAndCode(await reader.put(`${pathOf('W2')}/shipments/CC1`, {}))).toBe(
      '403 key.not_permitted',
    );
  });
});
