import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  AuthenticationError,
  ConflictError,
  NotFoundError,
  ValidationError,
  type Waypost,
  type WaypostError,
} from '../../clients/typescript/src/index.ts';
import { clientMethodsSource, METHODS_FILE } from '../../scripts/client/methods.mjs';
import { clientReference } from '../../scripts/client/reference.mjs';
import { clientTypes } from '../../scripts/client/types.mjs';
import { listenOnFreePort } from '../support/freePort.ts';
import { type OpenApi, openApiOf } from '../support/openApi.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { clientOf } from './clientOf.ts';

/** Every operation once, through the client, beside the same call made by hand. */
let service: TestService;
let shop: Shop;
let waypost: Waypost;
let document: OpenApi;
let hooks: string;
const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(204).end();
});
/** The operations that the client has called. */
const called = new Set<string>();

beforeAll(async () => {
  const port = await listenOnFreePort(receiver);
  hooks = `http://127.0.0.1:${port}`;
  service = await startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
  document = await openApiOf(service.url);
  shop = await service.business({ credits: 100 });
  waypost = clientOf(shop, {
    fetch: (url, init) => {
      const operation = document.operationAt(init.method, url.slice(service.url.length));
      if (operation !== null) called.add(operation.id);
      return fetch(url, init);
    },
  });
});
afterAll(async () => {
  receiver.close();
  await service.close();
});

const ANN = 'ann@example.com';
const PUSH = {
  recipient_email: ANN,
  subject: 'Your order #1001 has shipped',
  body: 'It left our warehouse this morning.',
  reference: '#1001',
  order_status: 'shipped',
};
const root = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const raw = async (path: string): Promise<unknown> => (await shop.get(`/api/v1${path}`)).body;
/** The client reads what a call by hand reads. Nudges go out meanwhile, so that the two may differ at first. */
const expectSame = (read: () => Promise<unknown>, path: string): Promise<void> =>
  eventually(async () => expect(await read()).toEqual(await raw(path)));

describe('what is made from our documents is current', () => {
  test('the types of the client are those of the document that the service serves', async () => {
    const served: unknown = await (await fetch(`${service.url}/openapi.json`)).json();
    expect(await root('clients/typescript/src/generated/api.ts'), 'run npm run client -- types').toBe(
      clientTypes(served),
    );
  });

  test('the reference of the client is that of its source', async () => {
    expect(await root('docs/clients/typescript-reference.md'), 'run npm run client -- docs').toBe(
      clientReference(),
    );
  });

  test('the methods that the examples of the reference call are those of its source', async () => {
    expect(await root(METHODS_FILE), 'run npm run client -- docs').toBe(clientMethodsSource());
  });
});

describe('messages', () => {
  test('a push is stored, and repeated with its key it is the same', async () => {
    const pushed = await waypost.messages.push(PUSH, { idempotencyKey: 'order-1001' });
    expect(pushed).toMatchObject({ created: true, nudged: true, reference: '#1001' });
    expect((await shop.push(PUSH, 'order-1001')).body).toEqual(pushed);
    await expectSame(() => waypost.messages.get(pushed.id), `/messages/${pushed.id}`);
    await expectSame(() => waypost.messages.timeline(pushed.id), `/messages/${pushed.id}/timeline`);
  });

  test('a preview is what a push would be, and stores nothing', async () => {
    const push = { ...PUSH, recipient_email: 'new@example.com' };
    const preview = await waypost.messages.preview(push);
    expect((await shop.call('POST', '/api/v1/messages/preview', { body: push })).body).toEqual(preview);
    expect(await raw('/messages?recipient_email=new@example.com')).toMatchObject({ items: [] });
  });

  test('a batch of any length is split, with its results in order', async () => {
    const pushes = Array.from({ length: 205 }, (_, index) => ({
      ...PUSH,
      recipient_email: index === 150 ? 'nobody' : `person${index}@example.com`,
      notify: false,
    }));
    const result = await waypost.messages.pushBatch(pushes, { idempotencyKey: 'morning' });
    expect(result.items.map(({ index }) => index)).toEqual([...pushes.keys()]);
    expect(result.items.map((item) => item.result?.recipient_email ?? 'nobody')).toEqual(
      pushes.map(({ recipient_email }) => recipient_email),
    );
    expect(result).toMatchObject({ succeeded: 204, failed: 1 });
    expect(result.items[150]).toMatchObject({ ok: false, error_code: 'common.validation_failed' });
    expect(await waypost.messages.pushBatch(pushes, { idempotencyKey: 'morning' })).toEqual(result);
    const second = pushes.slice(100, 200);
    const replayed = await shop.call('POST', '/api/v1/messages/batch', {
      body: { items: second },
      idempotencyKey: 'morning.1',
    });
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(await waypost.messages.pushBatch([])).toEqual({ items: [], succeeded: 0, failed: 0 });
  });

  test('the list goes from page to page to its end', async () => {
    const listed = [];
    for await (const message of waypost.messages.list({ limit: 100 })) listed.push(message.recipient_email);
    expect(listed).toHaveLength(205);
    expect(listed.at(-1)).toBe(ANN);
    const pages = [];
    for await (const page of waypost.messages.list({ limit: 90 }).pages()) pages.push(page.items.length);
    expect(pages).toEqual([90, 90, 25]);
    const later = { created_after: new Date(Date.now() + 3_600_000) };
    expect((await waypost.messages.list(later).pages().next()).value).toMatchObject({ items: [] });
    const first = await waypost.messages.list({ limit: 3, status: 'active' }).pages().next();
    expect(first.value).toEqual(await raw('/messages?limit=3&status=active'));
  });

  test('retracting and resending', async () => {
    const withPhone = { recipient_phone: '+37255512345', channels: ['sms', 'whatsapp'] as const };
    const { id } = await waypost.messages.push({ ...PUSH, ...withPhone, channels: [...withPhone.channels] });
    const refused = await failureOf(waypost.messages.resendSms(id));
    expect(refused).toBeInstanceOf(ConflictError);
    expect(refused.code).toBe('sms.already_sent');
    const plain = await waypost.messages.push({ ...PUSH, recipient_email: 'bob@example.com' });
    expect(await waypost.messages.resendSms(plain.id)).toMatchObject({ skipped_reason: 'no_phone' });
    expect(await waypost.messages.resendWhatsapp(plain.id)).toMatchObject({ queued: false });
    expect(await waypost.messages.retract(id)).toMatchObject({ retracted: true });
    expect(await waypost.messages.retract(id)).toMatchObject({ retracted: false });
  });
});

describe('orders', () => {
  const reference = 'A/1#x';

  test('an order is read with the shipments that pushes name and those that are put', async () => {
    const shipment = { tracking_number: 'JD 01', carrier: 'Omniva', expected_on: '2026-08-24' };
    const push = { ...PUSH, reference, shipment, notify: false };
    await waypost.messages.preview(push);
    expect(await waypost.messages.pushBatch([push])).toMatchObject({ succeeded: 1 });
    const put = await waypost.orders.putShipment(reference, 'JD-02', { carrier: 'DPD' });
    expect(put).toMatchObject({ tracking_number: 'JD-02', carrier: 'DPD', tracking_url: null });
    await expectSame(() => waypost.orders.get(reference), `/orders/${encodeURIComponent(reference)}`);
    expect(await waypost.orders.get(reference)).toMatchObject({
      status: 'shipped',
      shipments: [shipment, { tracking_number: 'JD-02' }],
    });
    const unknown = await failureOf(waypost.orders.get('nothing'));
    expect([unknown.name, unknown.code]).toEqual(['NotFoundError', 'order.not_found']);
  });

  test('a tracking event is told, and repeated with its key it is the same', async () => {
    const event = {
      tracking_number: 'JD 01',
      status: 'out_for_delivery',
      at: new Date().toISOString(),
    } as const;
    const told = await waypost.orders.reportTracking(reference, event, { idempotencyKey: 'jd01-out' });
    expect(told).toMatchObject({ status: 'out_for_delivery', is_first: true, nudged: true });
    const again = await shop.call('POST', `/api/v1/orders/${encodeURIComponent(reference)}/tracking`, {
      body: event,
      idempotencyKey: 'jd01-out',
    });
    expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', told]);
    expect(await waypost.messages.get(told.message_id ?? '')).toMatchObject({
      reference,
      order_status: 'out_for_delivery',
    });
    const refused = await failureOf(waypost.orders.reportTracking('nothing', event));
    expect(refused instanceof ValidationError && refused.fields).toMatchObject([
      { field: 'recipient_email', type: 'missing_recipient' },
    ]);
  });

  test('the list goes from page to page to its end', async () => {
    const listed = [];
    for await (const order of waypost.orders.list({ limit: 1 })) listed.push(order.reference);
    expect(listed).toEqual([reference, '#1001']);
    const { value } = await waypost.orders
      .list({ status: 'out_for_delivery', recipient_email: ANN })
      .pages()
      .next();
    expect(value).toEqual(await raw(`/orders?status=out_for_delivery&recipient_email=${ANN}`));
    expect(value?.items).toMatchObject([{ reference }]);
  });

  test('a change of status is an event that tells of its order', async () => {
    const told = [];
    for await (const one of waypost.events.list({ types: ['order.updated', 'ping'] }))
      if (one.type === 'order.updated') told.push([one.data.reference, one.data.tracking_number]);
    expect(told.at(-1)).toEqual([reference, 'JD 01']);
  });
});

test('texts: listed, set, and returned to ours', async () => {
  const ours = await waypost.texts.list();
  expect(ours).toEqual(await raw('/texts'));
  const text = { subject: '{{ order.number }} saabub täna', body: 'Tere!' };
  const set = await waypost.texts.set('out_for_delivery', 'et', text);
  expect(set).toEqual({ order_status: 'out_for_delivery', language: 'et', ...text, is_default: false });
  expect((await waypost.texts.list()).items).toContainEqual(set);
  const wrong = await failureOf(waypost.texts.set('shipped', 'et', { ...text, body: '{{ colour }}' }));
  expect(wrong instanceof ValidationError && wrong.fields).toMatchObject([
    { field: 'body', message: expect.stringMatching(/^line 1: /) },
  ]);
  expect(ours.items).toContainEqual(await waypost.texts.reset('out_for_delivery', 'et'));
  expect(await waypost.texts.list()).toEqual(ours);
});

test('recipients: what is known, the number, the export and the erasures', async () => {
  await expectSame(() => waypost.recipients.get(ANN), `/recipients/${ANN}`);
  expect(await waypost.recipients.setPhone(ANN, '+37255512346')).toEqual(await raw(`/recipients/${ANN}/sms`));
  expect(await waypost.recipients.sms(ANN)).toMatchObject({ recipient_email: ANN });
  await waypost.recipients.clearPhone(ANN);
  expect(await waypost.recipients.sms(ANN)).toMatchObject({ phone: null });
  const exported = await waypost.recipients.export(ANN);
  expect(Object.keys(exported)).toEqual(Object.keys(Object(await raw(`/recipients/${ANN}/export`))));
  expect(exported.email).toBe(ANN);
  const receipt = await waypost.recipients.eraseWhatsapp(ANN, { idempotencyKey: 'erase-1' });
  expect((await shop.post(`/api/v1/recipients/${ANN}/whatsapp/erase`, 'erase-1')).body).toEqual(receipt);
  expect((await waypost.recipients.erase(ANN)).messages_deleted).toBeGreaterThan(0);
  await expect(waypost.recipients.get(ANN)).rejects.toBeInstanceOf(NotFoundError);
});

test('keys: created, listed, and revoked', async () => {
  const made = await waypost.keys.create({ name: 'Shop backend', access: 'read' });
  await expectSame(async () => ({ items: (await waypost.keys.list()).items }), '/keys');
  const { items } = await waypost.keys.list();
  expect(items.find(({ id }) => id === made.id)).toMatchObject({ name: 'Shop backend', access: 'read' });
  const reader = clientOf({ url: shop.url, apiKey: made.key });
  await reader.credits.get();
  await waypost.keys.revoke(made.id);
  await expect(reader.credits.get()).rejects.toBeInstanceOf(AuthenticationError);
});

test('credits and usage', async () => {
  await expectSame(() => waypost.credits.get(), '/credits');
  await expectSame(() => waypost.usage.get({ interval: 'month' }), '/usage?interval=month');
  expect((await waypost.usage.get({ interval: 'month' })).total.messages).toBeGreaterThan(200);
});

test('webhook endpoints: created, tested, listed, replayed, rotated and deleted', async () => {
  const since = new Date(Date.now() - 3_600_000);
  const made = await waypost.webhookEndpoints.create({ url: `${hooks}/a` });
  expect(made.secret).toMatch(/^whsec_[0-9a-z]{40}$/);
  expect(await waypost.webhookEndpoints.test(made.id)).toMatchObject({ delivered: true });
  await expectSame(() => waypost.webhookEndpoints.list(), '/webhook-endpoints');
  await waypost.messages.push({ ...PUSH, recipient_email: 'carl@example.com' });
  await eventually(async () => {
    const delivered = [];
    for await (const one of waypost.webhookEndpoints.deliveries(made.id, { status: 'delivered', limit: 1 }))
      delivered.push(one.type);
    expect(delivered).toContain('message.delivered');
  });
  const replay = { since, only: 'all' as const };
  const replayed = await waypost.webhookEndpoints.replay(made.id, replay, { idempotencyKey: 'again' });
  expect(replayed.queued).toBeGreaterThan(0);
  expect(await waypost.webhookEndpoints.replay(made.id, replay, { idempotencyKey: 'again' })).toEqual(
    replayed,
  );
  const changed = await waypost.webhookEndpoints.update(made.id, { url: `${hooks}/b` });
  expect(changed).toMatchObject({ id: made.id, url: `${hooks}/b` });
  const rotated = await waypost.webhookEndpoints.rotateSecret(made.id, { switch_after_minutes: 0 });
  expect(rotated.secret).not.toBe(made.secret);
  await waypost.webhookEndpoints.delete(made.id);
  expect((await waypost.webhookEndpoints.list()).items).toEqual([]);
});

test('events: a page as it is, and the list to its end', async () => {
  // What is under way ends first, since it makes events.
  await service.advance({ minutes: 1 });
  const page = await waypost.events.page({ limit: 2 });
  expect(page).toEqual(await raw('/events?limit=2'));
  const ids = [];
  for await (const event of waypost.events.list({ limit: 3 })) ids.push(event.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.slice(0, 2)).toEqual(page.items.map(({ id }) => id));
  const all: { items: { id: string }[] } = Object(await raw('/events?limit=1000'));
  expect(ids).toEqual(all.items.map(({ id }) => id));
});

test('a refused push says which fields are at fault', async () => {
  const push = { ...PUSH, subject: 'x'.repeat(301), channels: Object(['fax']) };
  const error = await failureOf(waypost.messages.push(push));
  expect(error).toBeInstanceOf(ValidationError);
  expect(error instanceof ValidationError && error.fields.map(({ field, type }) => [field, type])).toEqual([
    ['subject', 'string_too_long'],
    ['channels[0]', 'enum'],
  ]);
  expect(error.requestId).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
});

test('every operation of the document was called', () => {
  expect(document.operations.map(({ id }) => id).filter((id) => !called.has(id))).toEqual([]);
});

async function failureOf(promise: Promise<unknown>): Promise<WaypostError> {
  const error: WaypostError = await promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (one) => one,
  );
  return error;
}
