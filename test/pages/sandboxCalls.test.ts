import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/kit/ids.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { startDemoService } from './playground.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
  shop = await service.business({ credits: 100 });
});
afterAll(() => service.close());

const call = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(service.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer: unknown = text.startsWith('{') ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, answer };
};

let people = 0;
/** Somebody new, with a number of their own, to whom a text went. */
async function texted() {
  people += 1;
  const phone = `+3725555${String(1000 + people)}`;
  const email = `person${people}@example.com`;
  await shop.pushed({ recipient_email: email, recipient_phone: phone, channels: ['sms'] });
  const text = await eventually(async () => {
    const [found] = await capturedMessages(service.url, { channel: 'sms', to: phone });
    if (!found) throw new Error('no text yet');
    return found;
  });
  return { phone, email, text };
}

test('what was sent is listed newest first, with all that was sent', async () => {
  const { phone, email, text } = await texted();
  expect(text).toEqual({
    id: expect.any(String),
    channel: 'sms',
    to: phone,
    business_id: shop.businessId,
    message_id: expect.any(String),
    subject: null,
    text: expect.stringContaining(`${service.url}/i/`),
    html: null,
    headers: {},
    template: null,
    provider_id: expect.any(String),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    outcome: 'accepted',
  });
  const mail = await eventually(async () => {
    const [found] = await capturedMessages(service.url, { channel: 'email', to: email.toUpperCase() });
    if (!found) throw new Error('no mail yet');
    return found;
  });
  expect(mail).toMatchObject({ channel: 'email', to: email, message_id: text.message_id });
  expect(mail.html).toContain('<!doctype html>');
  expect(mail.headers).toHaveProperty('List-Unsubscribe');
  const ids = (await capturedMessages(service.url)).map(({ id }) => id);
  expect(ids).toEqual([...ids].sort().reverse());
});

test('a number is found although its plus was not escaped in the address', async () => {
  const { phone, text } = await texted();
  const { answer } = await call(`/sandbox/outbox.json?to=${phone}`);
  expect(answer).toEqual({ items: [text] });
});

test('the list has everything, however much it is', async () => {
  const at = new Date('2020-01-01T00:00:00.000Z');
  const rows = Array.from({ length: 1_203 }, (_, ordinal) => newId(at, ordinal % 1_296));
  await service.pool.query(
    `insert into sandbox_messages (id, business_id, send_id, recipient_id, channel, recipient, text, provider_id, outcome, at)
     select id, $2, id, 'nobody', 'email', 'many@example.com', 'text', id, 'accepted', $3 from unnest($1::text[]) id`,
    [rows, shop.businessId, at],
  );
  const listed = await capturedMessages(service.url, { to: 'many@example.com' });
  expect(listed.map(({ id }) => id)).toEqual([...rows].sort().reverse());
});

test('nothing fits, and the list is empty', async () => {
  expect((await call('/sandbox/outbox.json?to=nobody@example.com')).answer).toEqual({ items: [] });
});

test('STOP and START by text change what the API says of the person', async () => {
  const { phone, email } = await texted();
  const status = async () => (await shop.get(`/api/v1/recipients/${email}/sms`)).body;
  expect(await call('/sandbox/sms/inbound', { from: phone, body: 'STOP' })).toMatchObject({ status: 200 });
  expect(await status()).toMatchObject({ sms_status: 'stopped' });
  await call('/sandbox/sms/inbound', { from: phone, body: 'start', business_id: shop.businessId });
  expect(await status()).toMatchObject({ sms_status: 'active' });
});

test('a reply on WhatsApp is told to the merchant', async () => {
  const { phone, email } = await texted();
  await shop.pushed({
    recipient_email: email,
    channels: ['whatsapp'],
    reference: '#1',
    order_status: 'shipped',
    whatsapp_opt_in: { source: 'checkout' },
  });
  await eventually(async () =>
    expect(await capturedMessages(service.url, { to: phone, channel: 'whatsapp' })).toHaveLength(1),
  );
  expect(await call('/sandbox/whatsapp/inbound', { from: phone, body: 'Thanks' })).toMatchObject({
    status: 200,
  });
  const { rows } = await service.pool.query(
    `select data->>'body' as body from events where type = 'whatsapp.inbound_message' and data->>'recipient_email' = $1`,
    [email],
  );
  expect(rows).toEqual([{ body: 'Thanks' }]);
});

test('a provider’s report has its effect; one about nothing we know is taken and changes nothing', async () => {
  const email = 'silent+report@example.com';
  const { id } = await shop.pushed({ recipient_email: email });
  const mail = await eventually(async () => {
    const [found] = await capturedMessages(service.url, { to: email });
    if (!found) throw new Error('no mail yet');
    return found;
  });
  const report = { provider_id: mail.provider_id, status: 'bounced', error_code: 'mailbox_full' };
  expect(await call('/sandbox/reports', report)).toMatchObject({ status: 200, answer: { known: true } });
  expect((await shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({ delivery: { bounced: true } });
  const unknown = { provider_id: 'sandbox-nothing', status: 'delivered' };
  expect(await call('/sandbox/reports', unknown)).toMatchObject({ status: 200, answer: { known: false } });
});

test('the clock moves by seconds, or to a moment, and what is due runs', async () => {
  const before = await call('/sandbox/clock');
  expect(before.answer).toEqual({ now: expect.any(String), offset_seconds: expect.any(Number) });
  const email = 'later@example.com';
  const { now } = JSON.parse(JSON.stringify(before.answer));
  const sendAt = new Date(Date.parse(now) + 3_600_000).toISOString();
  await shop.pushed({ recipient_email: email, send_at: sendAt });
  await call('/sandbox/clock', { advance_seconds: 1_800 });
  expect(await capturedMessages(service.url, { to: email })).toEqual([]);
  const after = await call('/sandbox/clock', { to: sendAt });
  expect(after).toMatchObject({ status: 200, answer: { now: expect.stringMatching(/Z$/) } });
  expect(await capturedMessages(service.url, { to: email })).toHaveLength(1);
});

test.each([
  ['/sandbox/clock', {}, ['body', 'advance_seconds'], 'missing'],
  ['/sandbox/clock', { advance_seconds: '60' }, ['body', 'advance_seconds'], 'int_type'],
  ['/sandbox/clock', { advance_seconds: -1 }, ['body', 'advance_seconds'], 'greater_than_equal'],
  ['/sandbox/clock', { to: 'tomorrow' }, ['body', 'to'], 'datetime_parsing'],
  ['/sandbox/clock', { to: '2020-01-01T00:00:00Z' }, ['body', 'to'], 'value_error'],
  ['/sandbox/clock', { to: '2999-01-01T00:00:00Z' }, ['body', 'to'], 'value_error'],
  ['/sandbox/clock', { to: '2030-01-01T00:00:00Z', advance_seconds: 1 }, ['body', 'to'], 'value_error'],
  ['/sandbox/reports', { provider_id: 'x', status: 'lost' }, ['body', 'status'], 'enum'],
  ['/sandbox/reports', { status: 'read' }, ['body', 'provider_id'], 'missing'],
  ['/sandbox/sms/inbound', { from: '+37255550134' }, ['body', 'body'], 'missing'],
  [
    '/sandbox/sms/inbound',
    { from: '+37255550134', body: 'STOP', business_id: 'none' },
    ['body', 'business_id'],
    'value_error',
  ],
  ['/sandbox/open', {}, ['body', 'message_id'], 'missing'],
  ['/sandbox/open', { message_id: 5 }, ['body', 'message_id'], 'string_type'],
  ['/sandbox/open', { message_id: 'x'.repeat(201) }, ['body', 'message_id'], 'string_too_long'],
  ['/sandbox/open', { message_id: "' or ''='" }, ['body', 'message_id'], 'value_error'],
  ['/sandbox/open', { message_id: '../../x' }, ['body', 'message_id'], 'value_error'],
  ['/sandbox/businesses', { credits: -1 }, ['body', 'credits'], 'greater_than_equal'],
  ['/sandbox/businesses', { credits: 1_000_001 }, ['body', 'credits'], 'less_than_equal'],
  ['/sandbox/businesses', { credits: '5' }, ['body', 'credits'], 'int_type'],
  ['/sandbox/businesses', { credits: 1.5 }, ['body', 'credits'], 'int_type'],
  ['/sandbox/businesses', { name: ' ' }, ['body', 'name'], 'string_too_short'],
  ['/sandbox/businesses', { name: 'a\nb' }, ['body', 'name'], 'string_pattern_mismatch'],
  ['/sandbox/businesses', { name: 'x'.repeat(101) }, ['body', 'name'], 'string_too_long'],
  ['/sandbox/whatsapp/inbound', { from: 5, body: 'hi' }, ['body', 'from'], 'string_type'],
])('%s refuses %o and says where it is wrong', async (path, body, loc, type) => {
  expect(await call(path, body)).toMatchObject({
    status: 422,
    answer: { error_code: 'common.validation_failed', detail: [{ loc, type }] },
  });
});

test('a number that can be nobody’s, and JSON that is none, are refused as in the interface', async () => {
  expect(await call('/sandbox/sms/inbound', { from: '12', body: 'STOP' })).toMatchObject({
    status: 422,
    answer: { error_code: 'sms.phone_invalid' },
  });
  expect(await call('/sandbox/clock', '{')).toMatchObject({
    status: 422,
    answer: { detail: [{ type: 'json_invalid' }] },
  });
  expect(await call('/sandbox/outbox.json?channel=fax')).toMatchObject({ status: 422 });
});

test('what the database could not store is refused, and a business that was refused is not there', async () => {
  const businesses = async () =>
    (await service.pool.query<{ count: number }>('select count(*)::int as count from businesses')).rows[0];
  const before = await businesses();
  for (const body of [{ name: 'a\u0000b' }, { name: 'Ann', credits: -1 }, [], 'null', '{'])
    expect((await call('/sandbox/businesses', body)).status, JSON.stringify(body)).toBe(422);
  expect((await call('/sandbox/open', { message_id: 'a\u0000b' })).status).toBe(422);
  expect((await call('/sandbox/outbox.json?message_id=%00')).status).toBe(422);
  expect((await call(`/sandbox/outbox.json?message_id=${'x'.repeat(201)}`)).status).toBe(422);
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  expect((await call('/sandbox/businesses', {}, foreign)).status).toBe(404);
  expect((await call('/sandbox/open', { message_id: 'x' }, foreign)).status).toBe(404);
  expect(await businesses()).toEqual(before);
});

test('a person opens a message of any business, as often as they like, and it is opened once', async () => {
  const { id } = await shop.pushed({ recipient_email: 'opener@example.com' });
  expect(await call('/sandbox/open', { message_id: id })).toMatchObject({ answer: { opened: true } });
  expect(await call('/sandbox/open', { message_id: id })).toMatchObject({ answer: { opened: true } });
  const { rows } = await service.pool.query(
    `select count(*)::int as count from events where type = 'message.opened' and data->>'message_id' = $1`,
    [id],
  );
  expect(rows).toEqual([{ count: 1 }]);
});

const FORM = 'application/x-www-form-urlencoded';

test.each([
  ['JSON of another page', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 404],
  ['JSON of a page on another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }, 404],
  ['JSON of another page in an old browser', { origin: 'https://evil.example' }, 404],
  [
    'a form of another page',
    { 'content-type': FORM, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    404,
  ],
  ['a form that hides where it is from', { 'content-type': FORM, origin: 'null' }, 404],
  ['a form of nobody', { 'content-type': FORM }, 415],
  ['text, which a page may send anywhere', { 'content-type': 'text/plain' }, 415],
])('%s does not move the clock', async (_what, headers, status) => {
  const offset = async () => JSON.parse(JSON.stringify((await call('/sandbox/clock')).answer)).offset_seconds;
  const before = await offset();
  const body = 'content-type' in headers ? 'advance_seconds=60' : { advance_seconds: 60 };
  expect((await call('/sandbox/clock', body, headers)).status).toBe(status);
  expect(await offset()).toBe(before);
});

test('a page that made its own name lead here can neither read nor write', async () => {
  const { port } = new URL(service.url);
  const asked = (path: string, method: string) =>
    new Promise<number>((resolve, reject) => {
      const sent = httpRequest(
        {
          port,
          host: '127.0.0.1',
          path,
          method,
          headers: { host: `evil.example:${port}`, 'content-type': 'application/json' },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      sent.on('error', reject).end(method === 'POST' ? '{"advance_seconds":60}' : undefined);
    });
  for (const path of [
    '/sandbox',
    '/sandbox/outbox.json',
    '/sandbox/clock',
    '/sandbox/inbox',
    '/sandbox/live',
  ]) {
    expect(await asked(path, 'GET')).toBe(404);
  }
  expect(await asked('/sandbox/clock', 'POST')).toBe(404);
});

test('no answer of the sandbox is kept by a browser or readable by another page', async () => {
  for (const path of ['/sandbox/clock', '/sandbox/outbox.json?to=nobody', '/sandbox']) {
    const { headers } = await call(path);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});

test('the page streams to as many as there may be, the newest among them, and an open page does not keep the server from stopping', async () => {
  const other = await startDemoService();
  const streams = await Promise.all(
    Array.from({ length: 20 }, () =>
      fetch(`${other.url}/sandbox/live?seen=x`, { headers: { accept: 'text/event-stream' } }),
    ),
  );
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  const texts = streams.map((stream) => stream.text());
  // Somebody looks at the newest page: the oldest makes room for it, and asks again much later.
  expect((await fetch(`${other.url}/sandbox/live`)).status).toBe(200);
  expect(await Promise.race(texts)).toMatch(/retry: \d{5,}\n\n$/);
  await other.close();
  await Promise.allSettled(texts);
});
