import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { listenOnFreePort } from '../../../test/support/freePort.ts';
import type { Passing } from './persist.ts';
import { createTeller, type Teller } from './teller.ts';
import { optionsWith, orderRecord } from './testStore.ts';

/** A Waypost that answers as the test says, and remembers what it was told. */
let server: ReturnType<typeof createServer>;
let asked: { path: string; key: string | undefined; status: unknown }[] = [];
let answers: number[] = [];
let teller: Teller;
let pauses: number[] = [];
let refusal = 'business.inactive';
const logged: string[] = [];

const logger = {
  info: (line: string) => void logged.push(line),
  warn: (line: string) => void logged.push(line),
  error: (line: string) => void logged.push(line),
};
const records: Record<string, unknown[]> = {};
const query = {
  graph: vi.fn(async ({ entity }: { entity: string }) => ({ data: records[entity] ?? [] })),
};

beforeEach(async () => {
  asked = [];
  answers = [];
  pauses = [];
  refusal = 'business.inactive';
  logged.length = 0;
  records.order = [orderRecord()];
  records.fulfillment = [{ id: 'ful_01', order: { id: 'order_01' } }];
  records.payment = [{ id: 'pay_01', payment_collection: { order: { id: 'order_01' } } }];
  records.store = [{ name: 'Kalev' }];
  server = createServer(async (request, response) => {
    const key = request.headers['idempotency-key'];
    const body = JSON.parse((await text(request)) || '{}');
    asked.push({
      path: request.url ?? '',
      key: Array.isArray(key) ? key[0] : key,
      status: body.order_status,
    });
    const status = answers.shift() ?? 201;
    const says = status < 300 ? { id: 'message' } : { error_code: refusal, detail: 'mari@example.com' };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(says));
  });
  const port = await listenOnFreePort(server);
  const time: Passing = {
    now: () => pauses.reduce((sum, pause) => sum + pause, 0),
    sleep: async (ms) => void pauses.push(ms),
  };
  teller = createTeller(optionsWith({ baseUrl: `http://127.0.0.1:${port}` }), time);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const hear: (...args: [event: Parameters<Teller['hear']>[1], data: unknown]) => Promise<void> = async (
  event,
  data,
) => {
  const { told } = await teller.hear({ query, logger }, event, data);
  await told;
};

test('an event is told about the order that it leads to', async () => {
  await hear('order.placed', { id: 'order_01' });
  await hear('shipment.created', { id: 'ful_01' });
  expect(asked).toEqual([
    { path: '/api/v1/messages', key: 'medusa-order_01-confirmed', status: 'confirmed' },
    { path: '/api/v1/messages', key: 'medusa-order_01-shipped-ful_01', status: 'shipped' },
  ]);
});

test('further parcels are set beside the first', async () => {
  const labels = ['AA1', 'AA 2'].map((tracking_number) => ({ tracking_number, tracking_url: '#' }));
  records.order = [orderRecord({ fulfillments: [{ id: 'ful_01', labels }] })];
  await hear('shipment.created', { id: 'ful_01' });
  expect(asked.map(({ path }) => path)).toEqual([
    '/api/v1/messages',
    '/api/v1/orders/%231001/shipments/AA%202',
  ]);
});

test.each([
  ['the event asks for silence', { id: 'ful_01', no_notification: true }, 'no_notification'],
  ['there is no order', { id: 'ful_02' }, 'no_order'],
])('nothing is told if %s', async (_, data, reason) => {
  if (reason === 'no_order') records.fulfillment = [];
  await hear('shipment.created', data);
  expect(asked).toEqual([]);
  expect(logged).toEqual([`waypost: shipment.created tells nothing: ${reason}`]);
});

test('what Waypost refuses for good is logged without a word of the person', async () => {
  answers = [403];
  await hear('order.placed', { id: 'order_01' });
  expect(asked).toHaveLength(1);
  expect(logged).toEqual([
    'waypost: order.placed of order_01 was not told: business.inactive (request without an answer)',
  ]);
});

test('an order that could not be read is read again', async () => {
  query.graph
    .mockRejectedValueOnce(new Error('no connection'))
    .mockRejectedValueOnce(new Error('no connection'));
  await hear('order.placed', { id: 'order_01' });
  expect([asked.length, pauses]).toEqual([1, [1_000, 5_000]]);
});

test('the same event of an order that has changed since is no error', async () => {
  answers = [409];
  refusal = 'idempotency.key_reused';
  await hear('order.placed', { id: 'order_01' });
  expect(logged).toEqual(['waypost: order.placed of order_01 tells nothing: already_told']);
});

describe('while a proxy answers for Waypost', () => {
  /** Without an error code of ours: the client itself does not repeat these. */
  beforeEach(() => {
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      const key = String(request.headers['idempotency-key']);
      asked.push({ path: request.url ?? '', key, status: null });
      request.resume();
      const status = answers.shift() ?? 201;
      response.writeHead(status).end(status < 300 ? '{"id":"message"}' : '<html>');
    });
  });
  const keys = () => asked.map(({ key }) => key);

  test('an update waits, with the same key and longer and longer pauses', async () => {
    answers = [404, 404, 404];
    await hear('order.placed', { id: 'order_01' });
    expect(keys()).toEqual(Array(4).fill('medusa-order_01-confirmed'));
    expect(pauses).toEqual([2_000, 4_000, 8_000]);
  });

  test('a confirmation is dropped once something newer of its order waits', async () => {
    answers = [404];
    const events = ['order.placed', 'order.canceled'] as const;
    const heard = [];
    for (const event of events) heard.push(await teller.hear({ query, logger }, event, { id: 'order_01' }));
    await Promise.all(heard.map(({ told }) => told));
    expect(keys()).toEqual(['medusa-order_01-confirmed', 'medusa-order_01-cancelled']);
    expect(logged).toEqual(['waypost: order.placed of order_01 tells nothing: late']);
  });
});
