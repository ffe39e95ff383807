import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { SECOND, systemClock } from '../../src/kit/clock.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { verify } from '../support/verifySignature.ts';
import { csrfIn, joinShop, type MemberBrowser, type ReadPage, signedIn } from './memberBrowser.ts';

interface Received {
  headers: IncomingMessage['headers'];
  body: string;
  id: string;
  path: string | undefined;
}
interface Endpoint {
  id: string;
  url: string;
  description: string | null;
  secret: string;
  event_types: string[];
  disabled: boolean;
}
interface Delivery {
  event_id: string;
  type: string;
  status: string;
  attempts: { at: string; status_code: number | null; duration_ms: number }[];
}

const API = '/api/v1/webhook-endpoints';
const HOSTILE = `"><script>alert('x')</script> \u202eyek`;
let service: TestService;
let shop: Shop;
let owner: MemberBrowser;
let ownerId: string;
let url: string;
let answer: (to: ServerResponse) => void;
const received: Received[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const id = String(request.headers['x-service-delivery']);
    received.push({ headers: request.headers, body, id, path: request.url });
    answer(response);
  });
});

beforeAll(async () => {
  const port = await listenOnFreePort(server);
  url = `http://127.0.0.1:${port}`;
  // Nobody listens on port 9.
  service = await startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port},127.0.0.1:9` });
});
afterAll(async () => {
  server.close();
  await service.close();
});
beforeEach(async () => {
  shop = await service.business({ name: 'Acme Books' });
  ownerId = (await joinShop(service, shop.businessId, `owner@${shop.businessId}.example`, 'owner')).id;
  owner = await signedIn(service, ownerId);
  received.length = 0;
  answer = (response) => void response.end();
});

const list = (): string => `/dashboard/${shop.businessId}/webhooks`;
const at = (id: string): string => `${list()}/${id}`;
const add = (fields: Record<string, string> = {}, browser = owner): Promise<ReadPage> =>
  browser.submit(list(), list(), { url: `${url}/hook`, ...fields });
const act = (id: string, name: string, fields: Record<string, string> = {}, browser = owner) =>
  browser.submit(at(id), `${at(id)}/${name}`, fields);
/** The page that a form led to. */
const after = async (sent: ReadPage, browser = owner): Promise<string> => {
  expect(sent.status).toBe(303);
  return (await browser.get(sent.location ?? '')).text;
};

const endpoints = async (): Promise<Endpoint[]> =>
  expectStatus<{ items: Endpoint[] }>(200, await shop.get(API)).items;
const endpointOf = async (id: string) => (await endpoints()).find((one) => one.id === id);
const newEndpoint = async (path = '/hook', more: Record<string, unknown> = {}): Promise<Endpoint> =>
  expectStatus(201, await shop.call('POST', API, { body: { url: url + path, ...more } }));
const deliveries = async (id: string, query = '?limit=100'): Promise<Delivery[]> =>
  expectStatus<{ items: Delivery[] }>(200, await shop.get(`${API}/${id}/deliveries${query}`)).items;
/** Messages that are delivered, each of which causes one event; and everything due is done. */
async function events(count: number, change: Record<string, unknown> = {}): Promise<void> {
  for (let n = 0; n < count; n += 1) await shop.pushed({ recipient_email: `p${n}@example.com`, ...change });
  await service.advance({ seconds: 2 });
}
const secretIn = (text: string): string => /whsec_[0-9a-z]{40}/.exec(text)?.[0] ?? '';
const isSignedWith = (secret: string, { headers, body }: Received): boolean =>
  verify(secret, String(headers['x-service-signature']), body, systemClock.now().getTime() / SECOND);

async function auditOf(action: string): Promise<{ actor: string; detail: object }[]> {
  const { rows } = await service.pool.query<{ actor: string; detail: object }>(
    'select actor, detail from audit_entries where business_id = $1 and action = $2 order by at, id',
    [shop.businessId, action],
  );
  return rows;
}
const byOwner = (detail: object) => ({ actor: `member:${ownerId}`, detail });
const memberOf = async (role: 'member' | 'viewer') =>
  signedIn(
    service,
    (await joinShop(service, shop.businessId, `${role}@${shop.businessId}.example`, role)).id,
  );

test('an owner adds an endpoint, sees its secret once and its test arrive', async () => {
  expect((await owner.get(list())).text).toMatch(/No webhook endpoint yet[\s\S]*Add one below/);
  const added = await add({ description: HOSTILE, types: 'message.delivered' });
  expect([added.status, added.location]).toEqual([201, null]);
  expect(added.headers.get('cache-control')).toBe('no-store');
  const secret = secretIn(added.text);
  const [made] = await endpoints();
  expect(made).toMatchObject({
    url: `${url}/hook`,
    description: HOSTILE,
    event_types: ['message.delivered'],
    secret: `whsec_…${secret.slice(-4)}`,
  });
  const id = made?.id ?? '';
  const csrf = csrfIn(added.text);
  const tested = await owner.post(`${at(id)}/test`, { csrf });
  expect(tested.location).toBe(`${at(id)}?flash=tested`);
  expect(await after(tested)).toMatch(/The test arrived: your server answered 200 after \d+ ms\./);
  expect(received).toHaveLength(1);
  expect(received.every((one) => isSignedWith(secret, one))).toBe(true);
  for (const page of [await owner.get(list()), await owner.get(at(id))]) {
    expect(secretIn(page.text)).toBe('');
    expect(page.text).not.toContain('<script>alert');
    expect(page.text).toContain('&lt;script>');
  }
  expect(JSON.stringify(service.logged)).not.toContain(secret);
  expect(await auditOf('endpoint.created')).toEqual([byOwner({ endpoint_id: id })]);
  expect(await auditOf('endpoint.tested')).toEqual([byOwner({ endpoint_id: id })]);
});

test.each<[Record<string, string>, number, RegExp]>([
  [{ url: 'http://shop.example/hook' }, 422, /The URL must begin with https:\/\//],
  [{ url: 'https://10.0.0.7/hook' }, 422, /must be on the public internet/],
  [{ url: 'https://shop.example:25/hook' }, 422, /The port of the URL must be 443 or 8443/],
  [{ url: '' }, 422, /The URL is not valid/],
  [{ types: '"><script>alert(1)</script>' }, 422, /One of these events is not known/],
  [{ description: 'x'.repeat(301) }, 422, /One line of at most 300 characters/],
])('an endpoint that the API refuses is refused here, with the fault: %j', async (fields, status, says) => {
  const refused = await add(fields);
  expect(refused.status).toBe(status);
  expect(refused.text).toMatch(says);
  expect(refused.text).not.toContain('<script>alert');
  expect(refused.text).toContain(`value="${fields.url ?? `${url}/hook`}"`);
  expect(await endpoints()).toEqual([]);
});

test('the same URL twice is refused, and so is an eleventh endpoint', async () => {
  await newEndpoint();
  const twice = await add();
  expect([twice.status, twice.text]).toEqual([
    409,
    expect.stringContaining('An endpoint with this URL exists'),
  ]);
  for (let number = 2; number <= 10; number += 1) await newEndpoint(`/${number}`);
  expect((await owner.get(list())).text).toContain('A shop has at most 10 endpoints.');
  const csrf = csrfIn((await owner.get('/dashboard/account')).text);
  expect((await owner.post(list(), { csrf, url: `${url}/11` })).status).toBe(409);
});

test('the events of an endpoint are changed, once, and only those come', async () => {
  const { id } = await newEndpoint();
  expect(await after(await act(id, 'types', { types: 'message.bounced' }))).toContain(
    'The events were changed.',
  );
  expect((await endpointOf(id))?.event_types).toEqual(['message.bounced']);
  await events(1);
  await events(1, { recipient_email: 'bounce@example.com' });
  expect((await deliveries(id)).map(({ type }) => type)).toEqual(['message.bounced']);
  expect(await after(await act(id, 'types', { types: 'message.bounced' }))).toContain('Nothing was changed');
  expect((await act(id, 'types', { types: 'nonsense' })).status).toBe(400);
  expect(await after(await act(id, 'types'))).toContain('The events were changed.');
  expect((await endpointOf(id))?.event_types).toEqual([]);
  expect(await auditOf('endpoint.types_changed')).toEqual([
    byOwner({ endpoint_id: id, from: [], to: ['message.bounced'] }),
    byOwner({ endpoint_id: id, from: ['message.bounced'], to: [] }),
  ]);
});

test('figures of a day are those of the attempts that the API lists', async () => {
  const { id } = await newEndpoint();
  let calls = 0;
  answer = (response) => {
    calls += 1;
    response.writeHead(calls % 4 === 0 ? 503 : 200).end();
  };
  await events(9);
  await service.advance({ seconds: 10 });
  const attempts = (await deliveries(id)).flatMap((delivery) => delivery.attempts);
  const good = attempts.filter(({ status_code }) => status_code === 200).length;
  const times = attempts.map(({ duration_ms }) => duration_ms).sort((a, b) => a - b);
  const p95 = times[Math.ceil(times.length * 0.95) - 1] ?? 0;
  const rate = Math.floor((good * 1_000) / attempts.length) / 10;
  const { text } = await owner.get(at(id));
  expect(text).toMatch(/<span class="hint">Success rate<\/span><strong>[\d.]+%<\/strong>/);
  expect(text).toContain(`<strong>${rate}%</strong>`);
  expect(text).toContain(`<strong>${p95} ms</strong>`);
  expect((await owner.get(list())).text).toContain(`${rate}% of ${attempts.length} attempts in the last day`);
  // By the hour they are the same attempts; the numbers lead to deliveries of events before the hour's end.
  const cells = (title: string) => [
    ...text.matchAll(new RegExp(`data-title="${title}"><a href="([^"]*)">(\\d+)</a>`, 'g')),
  ];
  const sum = (title: string) => cells(title).reduce((all, [, , count]) => all + Number(count), 0);
  expect([sum('Succeeded'), sum('Failed')]).toEqual([good, attempts.length - good]);
  const hours = [...text.matchAll(/<a href="([^"#]*)#deliveries" aria-label=/g)].map(([, href = '']) => href);
  // 24 hours that begin within one are 25, in two charts.
  expect(hours).toHaveLength(50);
  expect((await owner.get(hours.at(-1) ?? '')).text).toContain('Deliveries, newest event first');
  expect((await owner.get(hours.at(0) ?? '')).text).toContain('No deliveries yet');
  await service.advance({ hours: 11 });
  await service.advance({ hours: 11 });
  await service.advance({ hours: 3 });
  owner = await signedIn(service, ownerId);
  expect((await owner.get(list())).text).toContain('Nothing was sent in the last day.');
});

test('deliveries are listed page by page and by state, and one shows request, answers and attempts', async () => {
  const { id } = await newEndpoint();
  await events(27, { subject: HOSTILE });
  answer = (response) => void response.writeHead(500).end();
  await events(1, { subject: HOSTILE });
  const eventsOn = (text: string) =>
    [...text.matchAll(/\/deliveries\/([0-9a-z]+)"/g)].map(([, event]) => event);
  const all = (await deliveries(id)).map(({ event_id }) => event_id);
  const first = (await owner.get(at(id))).text;
  const [, next = ''] = /href="([^"]*cursor=[^"#]*)[^>]*>Older/.exec(first) ?? [];
  const second = (await owner.get(next.replaceAll('&amp;', '&'))).text;
  expect([...eventsOn(first), ...eventsOn(second)]).toEqual(all);
  const waiting = (await deliveries(id, '?status=pending'))[0]?.event_id ?? '';
  expect(eventsOn((await owner.get(`${at(id)}?status=pending`)).text)).toEqual([waiting]);
  const one = (await owner.get(`${at(id)}/deliveries/${waiting}`)).text;
  expect(one).toContain(`POST ${url}/hook`);
  expect(one).toContain(`X-Service-Delivery: ${waiting}`);
  expect(one).toMatch(/The server answered 500, an error of its own\. That took \d+ ms\./);
  expect(one).toMatch(/What to do:[\s\S]*The fault is in your server/);
  expect(one).toMatch(/The next attempt is at <time/);
  expect(one).not.toContain('<script>alert');
  expect(one).toContain('p0@example.com');
  await shop.post('/api/v1/recipients/p0%40example.com/erase');
  expect((await owner.get(`${at(id)}/deliveries/${waiting}`)).text).not.toContain('p0@example.com');
  expect((await owner.get(`${at(id)}/deliveries/nothing`)).status).toBe(404);
});

test('a failing endpoint is explained on its page, in the list and by a test', async () => {
  const refusing = expectStatus<Endpoint>(
    201,
    await shop.call('POST', API, { body: { url: 'http://127.0.0.1:9/hook' } }),
  );
  await events(1);
  const words = /The server refused the connection\.[\s\S]*Check that it runs/;
  expect((await owner.get(list())).text).toMatch(words);
  expect((await owner.get(at(refusing.id))).text).toMatch(words);
  expect(await after(await act(refusing.id, 'test'))).toMatch(/The test did not arrive\. The server refused/);
  for (let tests = 1; tests < 10; tests += 1) await act(refusing.id, 'test');
  expect(await after(await act(refusing.id, 'test'))).toContain('this endpoint was tested too often');
});

test('after 20 failures it says so; switched on again, what it missed is counted, sent, and not sent twice', async () => {
  const { id } = await newEndpoint();
  answer = (response) => void response.writeHead(503).end();
  await events(20);
  for (const step of [{ seconds: 10 }, { minutes: 2 }, { minutes: 7 }, { minutes: 40 }, { hours: 3 }])
    await service.advance(step);
  await service.advance({ hours: 7 });
  await service.advance({ hours: 13 });
  owner = await signedIn(service, ownerId);
  expect((await endpointOf(id))?.disabled).toBe(true);
  const { text } = await owner.get(at(id));
  expect(text).toMatch(
    /switched off after 20 events in a row[\s\S]*send a test[\s\S]*The server answered 503/,
  );
  const overview = (await owner.get(`/dashboard/${shop.businessId}`)).text;
  expect(overview).toMatch(
    new RegExp(`href="${at(id)}"[^>]*>The webhook endpoint at 127\\.0\\.0\\.1:\\d+ is switched off`),
  );
  expect((await owner.get(`${at(id)}/replay`)).text).toContain('The endpoint is switched off');

  answer = (response) => void response.end();
  received.length = 0;
  expect(await after(await act(id, 'enable'))).toContain('The endpoint is on again');
  expect((await endpointOf(id))?.disabled).toBe(false);
  expect(await after(await act(id, 'enable'))).toContain('the endpoint was on already');
  expect(await auditOf('endpoint.enabled')).toEqual([byOwner({ endpoint_id: id })]);

  const member = await memberOf('member');
  const asked = (await member.get(`${at(id)}/replay?since=2020-01-01T00:00`)).text;
  expect(asked).toContain('This sends 20 events');
  const fields = Object.fromEntries(
    [...asked.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value ?? '',
    ]),
  );
  const sent = await member.post(`${at(id)}/replay`, fields);
  expect(sent.location).toBe(`${at(id)}?flash=replayed&n=20`);
  expect(await after(sent, member)).toContain('20 events were queued');
  await service.advance({ seconds: 2 });
  const missed = (await deliveries(id)).map(({ event_id }) => event_id);
  expect(received.map((one) => one.id).sort()).toEqual([...missed].sort());
  expect(new Set((await deliveries(id)).map(({ status }) => status))).toEqual(new Set(['delivered']));
  // The same form again, in another tab say, answers the same and does nothing.
  expect((await member.post(`${at(id)}/replay`, fields)).location).toBe(sent.location);
  await service.advance({ seconds: 2 });
  expect(received).toHaveLength(20);
  expect((await member.get(`${at(id)}/replay?since=2020-01-01T00:00`)).text).toContain(
    'Nothing is left to send',
  );
  expect((await member.get(`${at(id)}/replay?since=2020-01-01T00:00&only=all`)).text).toContain(
    'This sends 20 events',
  );
  expect(await auditOf('endpoint.replayed')).toHaveLength(1);
});

test.each([
  ['since=nonsense', 422, 'Write it as a date and a time'],
  ['since=2026-01-02T00:00&until=2026-01-01T00:00', 422, 'It must be after the beginning.'],
  ['since=2020-01-01T00:00&type=sms.failed', 422, 'The endpoint does not take these events.'],
  ['since=2020-01-01T00:00', 200, 'Nothing is left to send'],
])('a window is checked before it is counted: %s', async (query, status, says) => {
  const { id } = await newEndpoint('/hook', { event_types: ['message.bounced'] });
  const page = await owner.get(`${at(id)}/replay?${query}`);
  expect([page.status, page.text]).toEqual([status, expect.stringContaining(says)]);
});

test('one event is sent again with its id, once per look at it', async () => {
  const { id } = await newEndpoint();
  await events(1);
  const [delivery] = await deliveries(id);
  const page = `${at(id)}/deliveries/${delivery?.event_id}`;
  const again = await owner.submit(page, `${page}/replay`, { attempts: '1' });
  expect(again.location).toBe(`${page}?flash=queued`);
  await service.advance({ seconds: 2 });
  expect(received.map((one) => one.id)).toEqual([delivery?.event_id, delivery?.event_id]);
  const twice = await owner.submit(page, `${page}/replay`, { attempts: '1' });
  expect(await after(twice)).toContain('there was another attempt meanwhile');
  expect((await deliveries(id))[0]?.attempts).toHaveLength(2);
  expect(await auditOf('endpoint.replayed')).toEqual([
    byOwner({ endpoint_id: id, event_id: delivery?.event_id }),
  ]);
});

test('a message’s page leads to the deliveries of its events, while their endpoint is there', async () => {
  const { id } = await newEndpoint();
  const message = await shop.pushed();
  await service.advance({ seconds: 2 });
  const [delivery] = await deliveries(id);
  const page = `/dashboard/${shop.businessId}/messages/${message.id}`;
  const path = `${at(id)}/deliveries/${delivery?.event_id}`;
  expect((await owner.get(page)).text).toContain(
    `<a href="${path}"><span class="badge good">Delivered</span>`,
  );
  expect((await owner.get(path)).status).toBe(200);
  await owner.submit(`${at(id)}/delete`, `${at(id)}/delete`);
  const { text } = await owner.get(page);
  expect(text).not.toContain(path);
  expect(text).toContain('<span class="badge good">Delivered</span>');
});

test('the delivery of an order’s change leads to the order', async () => {
  const { id } = await newEndpoint('/orders', { event_types: ['order.updated'] });
  await shop.pushed({ reference: '#1001', order_status: 'shipped' });
  await service.advance({ seconds: 2 });
  const [delivery] = await deliveries(id);
  const { text } = await owner.get(`${at(id)}/deliveries/${delivery?.event_id}`);
  expect(text).toContain(`<a href="/dashboard/${shop.businessId}/orders?reference=%231001">this order</a>`);
});

test('a delivery and a test show what the server answered, as text, to those who see the URL', async () => {
  const { id } = await newEndpoint('/hook?token=geheim');
  answer = (response) =>
    void response
      .writeHead(500, {
        'content-type': 'text/html',
        'set-cookie': 'session=hunter2',
        'x-about': HOSTILE.slice(0, 29),
      })
      .end(
        Buffer.concat([
          Buffer.from(`<h1>Cannot POST /hook?token=geheim</h1>${HOSTILE}\0`),
          Buffer.alloc(9, 255),
        ]),
      );
  await events(1);
  const [delivery] = await deliveries(id);
  const one = `${at(id)}/deliveries/${delivery?.event_id}`;
  const { text } = await owner.get(one);
  expect(text).toContain('&lt;h1>Cannot POST /hook?token=geheim&lt;/h1>');
  expect(text).toContain(`\u202eyek${'\ufffd'.repeat(9)}</code>`);
  expect(text).toMatch(
    /<summary>Headers<\/summary>[\s\S]*content-type: text\/html\nset-cookie: \(left out\)\n/,
  );
  expect(text).not.toMatch(/<h1>Cannot|<script>alert|hunter2|\0/);
  expect(await after(await act(id, 'test'))).toContain('&lt;h1>Cannot POST');
  const viewer = await memberOf('viewer');
  for (const page of [at(id), one]) expect((await viewer.get(page)).text).not.toMatch(/Cannot POST|geheim/);
  expect(JSON.stringify(await deliveries(id))).not.toContain('Cannot POST');
  await service.advance({ hours: 24 * 8 });
  owner = await signedIn(service, ownerId);
  expect((await owner.get(one)).text).not.toContain('Cannot POST');
});

test('the URL is changed: what is due goes there, with the same secret and a health of its own', async () => {
  const { id, secret } = await newEndpoint('/old');
  await newEndpoint('/taken', { event_types: ['message.bounced'] });
  answer = (response) => void response.writeHead(410).end();
  await events(4);
  expect((await owner.get(at(id))).text).toContain('Failing');
  const change = (to: string) => owner.submit(`${at(id)}/url`, `${at(id)}/url`, { url: to });
  for (const [to, status, says] of [
    ['https://10.0.0.7/hook', 422, 'must be on the public internet'],
    ['http://shop.example/hook', 422, 'must begin with https://'],
    [`${url}/taken`, 409, 'An endpoint with this URL exists'],
  ] as const) {
    const refused = await change(to);
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(says)]);
    expect(refused.text).toContain(`value="${to}"`);
  }
  answer = (response) => void response.end();
  received.length = 0;
  expect(await after(await change(`${url}/new`))).toMatch(
    /Nothing delivered yet[\s\S]*Deliveries go to the new URL/,
  );
  expect(await endpointOf(id)).toMatchObject({
    url: `${url}/new`,
    consecutive_failures: 0,
    last_error: null,
  });
  expect(await after(await change(`${url}/new`))).toContain('the endpoint has this URL already');
  await service.advance({ hours: 1 });
  expect(received.map(({ path }) => path)).toEqual(['/new', '/new', '/new', '/new']);
  expect(received.every((one) => isSignedWith(secret, one))).toBe(true);
  expect(await auditOf('endpoint.url_changed')).toEqual([byOwner({ endpoint_id: id, from: url, to: url })]);
  const member = await memberOf('member');
  expect((await member.get(`${at(id)}/url`)).status).toBe(403);
});

test('deliveries are filtered by event, order and state, together too', async () => {
  const { id } = await newEndpoint('/all', {
    event_types: ['message.delivered', 'message.bounced', 'order.updated'],
  });
  await shop.pushed({ reference: '#1001', order_status: 'shipped' });
  await shop.pushed({ reference: '#1002', order_status: 'shipped' });
  await shop.pushed({ reference: '#1002', recipient_email: 'bounce+filter@example.com' });
  await service.advance({ seconds: 2 });
  const all = await deliveries(id);
  expect(all.map(({ type }) => type)).toContain('message.bounced');
  const typesFor = async (query: Record<string, string>) => {
    const { text } = await owner.get(`${at(id)}?${new URLSearchParams(query)}`);
    const found = [...text.matchAll(/\/deliveries\/([0-9a-z]+)"/g)].map(([, event]) => event);
    return found.map((event) => all.find(({ event_id }) => event_id === event)?.type).sort();
  };
  expect(await typesFor({ type: 'message.bounced' })).toEqual(['message.bounced']);
  expect(await typesFor({ type: 'message.delivered', status: 'delivered' })).toHaveLength(2);
  expect(await typesFor({ type: 'message.delivered', status: 'exhausted' })).toEqual([]);
  expect(await typesFor({ order: '#1001' })).toEqual(['message.delivered', 'order.updated']);
  expect(await typesFor({ order: ' #1002 ', type: 'message.bounced' })).toEqual(['message.bounced']);
  expect(await typesFor({ order: HOSTILE })).toEqual([]);
  expect((await owner.get(`${at(id)}?type=nonsense&status=odd&cursor=odd`)).status).toBe(200);
  expect(all.length).toBeGreaterThanOrEqual(5);
});

test('a replay says how far it is until its last event has arrived', async () => {
  const { id } = await newEndpoint();
  await events(3);
  answer = (response) => void response.writeHead(received.length % 3 === 0 ? 500 : 200).end();
  received.length = 0;
  const asked = await owner.get(`${at(id)}/replay?since=2020-01-01T00:00&only=all`);
  const fields = Object.fromEntries(
    [...asked.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value ?? '',
    ]),
  );
  await owner.post(`${at(id)}/replay`, fields);
  await service.advance({ seconds: 1 });
  expect((await owner.get(at(id))).text).toMatch(
    /2 of 3 sent again, 1 failed, 1 of them to be tried again\.[\s\S]*Under way/,
  );
  await service.advance({ minutes: 2 });
  expect((await owner.get(at(id))).text).toMatch(/3 of 3 sent again\.[\s\S]*All arrived/);
});

test('an endpoint is switched off and on by hand', async () => {
  const { id } = await newEndpoint();
  answer = (response) => void response.writeHead(500).end();
  await events(1);
  expect(await after(await act(id, 'disable'))).toContain('The endpoint was switched off.');
  expect((await endpointOf(id))?.disabled).toBe(true);
  expect((await deliveries(id)).map(({ status }) => status)).toEqual(['cancelled']);
  expect((await owner.get(at(id))).text).toContain('It was switched off by hand');
  expect(await after(await act(id, 'disable'))).toContain('the endpoint was off already');
  await events(1);
  expect(await deliveries(id)).toHaveLength(1);
  const page = `${at(id)}/deliveries/${(await deliveries(id))[0]?.event_id}`;
  expect((await owner.get(page)).text).not.toContain('Send it again');
  expect(await after(await owner.submit(at(id), `${page}/replay`, { attempts: '1' }))).toContain(
    'switched off',
  );
  await act(id, 'enable');
  expect((await endpointOf(id))?.disabled).toBe(false);
  expect(await auditOf('endpoint.disabled')).toEqual([byOwner({ endpoint_id: id })]);
});

test('a new secret is shown once and signs from the switch on', async () => {
  const { id, secret: old } = await newEndpoint();
  const asked = (await owner.get(`${at(id)}/rotate`)).text;
  expect(asked).toMatch(/Until the switch, deliveries are signed with the old one/);
  const [, once = ''] = /name="once" value="([^"]+)"/.exec(asked) ?? [];
  const csrf = csrfIn(asked);
  const form = { csrf, once, switch_after_minutes: '60' };
  const rotated = await owner.post(`${at(id)}/rotate`, form);
  expect([rotated.status, rotated.location]).toEqual([200, null]);
  const secret = secretIn(rotated.text);
  expect(secret).not.toBe(old);
  expect(rotated.text).toMatch(/Until <time[\s\S]*signed with the old secret[\s\S]*both must be accepted/);
  expect((await endpointOf(id))?.secret).toBe(`whsec_…${secret.slice(-4)}`);
  expect((await owner.get(at(id))).text).toMatch(/signs from <time[\s\S]*must accept both/);
  expect((await owner.get(`${at(id)}/rotate`)).text).toContain('A switch is pending');
  expect(await after(await owner.post(`${at(id)}/rotate`, form))).toContain(
    'was changed by this form already',
  );
  expect(await auditOf('endpoint.secret_rotated')).toHaveLength(1);

  await act(id, 'test');
  await service.advance({ minutes: 61 });
  await act(id, 'test');
  expect(received.map((one) => [isSignedWith(old, one), isSignedWith(secret, one)])).toEqual([
    [true, false],
    [false, true],
  ]);
  const leaked = await owner.submit(`${at(id)}/rotate`, `${at(id)}/rotate`, {
    once: 'leaked000000000000000000',
    switch_after_minutes: '0',
  });
  expect(leaked.text).toContain('the old secret is not used any more');
  await act(id, 'test');
  expect(
    isSignedWith(secretIn(leaked.text), received[2] ?? { headers: {}, body: '', id: '', path: '' }),
  ).toBe(true);
  expect((await owner.post(`${at(id)}/rotate`, { csrf, once, switch_after_minutes: '7' })).status).toBe(400);
  expect((await owner.post(`${at(id)}/rotate`, { csrf, switch_after_minutes: '0' })).status).toBe(400);
  expect(JSON.stringify(service.logged)).not.toContain(secret);
});

test('an endpoint is deleted, and its pages with it', async () => {
  const { id } = await newEndpoint();
  answer = (response) => void response.writeHead(500).end();
  await events(1);
  expect((await owner.get(`${at(id)}/delete`)).text).toContain(
    'One event that is queued for it is cancelled.',
  );
  const deleted = await owner.submit(`${at(id)}/delete`, `${at(id)}/delete`);
  expect(await after(deleted)).toContain('The endpoint was deleted.');
  expect(await endpoints()).toEqual([]);
  expect((await owner.get(at(id))).status).toBe(404);
  expect((await owner.submit(list(), `${at(id)}/delete`)).text).toContain('This is not here');
  expect(await auditOf('endpoint.deleted')).toEqual([byOwner({ endpoint_id: id })]);
});

test('a member tests and replays; a viewer sees everything but secrets, and is offered nothing', async () => {
  const { id } = await newEndpoint('/hook?token=geheim');
  await events(1);
  const [delivery] = await deliveries(id);
  const one = `${at(id)}/deliveries/${delivery?.event_id}`;
  const [member, viewer] = [await memberOf('member'), await memberOf('viewer')];
  const forMember = (await member.get(at(id))).text;
  expect(forMember).toContain('geheim');
  expect(forMember).toMatch(/\/test"[\s\S]*\/replay"/);
  expect(forMember).not.toMatch(/\/(types|disable|enable|rotate|delete|url)"/);
  expect((await member.get(list())).text).not.toContain('Add the endpoint');
  expect((await member.get(one)).text).toContain('Send it again');
  for (const page of [list(), at(id), one]) {
    const { status, text } = await viewer.get(page);
    expect(status).toBe(200);
    expect(text).toContain('http://127.0.0.1:');
    expect(text).not.toMatch(/geheim|What you can do/);
    // The forms of the bar are on every page.
    expect(text.slice(text.indexOf('<main'))).not.toContain('method="post"');
  }
});
