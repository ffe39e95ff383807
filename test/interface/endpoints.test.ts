import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventTypes } from '../../src/contract/eventTypes.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
/** The merchant's own server; each test says how it answers. */
let receiver: {
  url: string;
  requests: { headers: IncomingMessage['headers']; body: string }[];
  answer: (to: ServerResponse) => void;
};

beforeAll(async () => {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      receiver.requests.push({ headers: request.headers, body });
      receiver.answer(response);
    });
  });
  const port = await listenOnFreePort(server);
  receiver = { url: `http://127.0.0.1:${port}`, requests: [], answer: (response) => void response.end() };
  service = await startService({ ROLES: 'api', WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
  closeReceiver = () => void server.close();
});
let closeReceiver = () => {};
afterAll(async () => {
  closeReceiver();
  await service.close();
});
beforeEach(async () => {
  shop = await service.business();
  receiver.requests.length = 0;
  receiver.answer = (response) => void response.end();
});

interface Endpoint {
  id: string;
  url: string;
  secret: string;
}
const PATH = '/api/v1/webhook-endpoints';
const create = (body: unknown) => shop.call('POST', PATH, { body });
const created = async (body: Record<string, unknown> = {}): Promise<Endpoint> =>
  expectStatus(201, await create({ url: `${receiver.url}/hook`, ...body }));
const list = async (): Promise<Endpoint[]> => {
  const { items }: { items: Endpoint[] } = expectStatus(200, await shop.get(PATH));
  return items;
};

describe('2.12 creating an endpoint', () => {
  test('201: with its signing secret, this once', async () => {
    const endpoint = await created({
      description: 'Backend',
      event_types: ['message.delivered', 'sms.failed'],
    });
    expect(endpoint).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{12,}$/),
      url: `${receiver.url}/hook`,
      description: 'Backend',
      secret: expect.stringMatching(/^whsec_[0-9A-Za-z]{32,}$/),
      event_types: ['message.delivered', 'sms.failed'],
      disabled: false,
      consecutive_failures: 0,
      created_at: expect.any(String),
      last_success_at: null,
      last_error: null,
    });
    const [listed] = await list();
    expect(listed).toEqual({ ...endpoint, secret: expect.stringMatching(/^whsec_.*…/) });
    expect((await shop.get(PATH)).text).not.toContain(endpoint.secret);
  });

  test.each([
    ['left out', {}],
    ['empty', { event_types: [] }],
  ])('event_types %s mean every event', async (_, body) => {
    expect(await created(body)).toMatchObject({ event_types: [] });
  });

  test.each([
    ['left out', {}],
    ['null', { description: null }],
    ['empty', { description: '' }],
  ])('a description %s is shown as an empty text', async (_, body) => {
    const { id, ...endpoint } = await created(body);
    expect(endpoint).toMatchObject({ description: '' });
    expect(await list()).toMatchObject([{ description: '' }]);
    const rotated = await shop.call('POST', `${PATH}/${id}/rotate-secret`, { idempotencyKey: id });
    expect(expectStatus(200, rotated)).toMatchObject({ description: '' });
  });

  test('every event type can be asked for, and no other', async () => {
    expect(await created({ event_types: [...eventTypes] })).toMatchObject({ event_types: eventTypes });
    expect(
      validationErrorsOf(
        await create({ url: `${receiver.url}/other`, event_types: ['message.delivered', 'message.created'] }),
      ),
    ).toMatchObject([{ loc: ['body', 'event_types', 1], input: 'message.created' }]);
  });

  test.each([
    ['http', 'http://shop.example/hook'],
    ['no scheme', 'shop.example/hook'],
    ['another scheme', 'ftp://shop.example/hook'],
    ['no URL', 'not a url'],
    ['loopback', 'https://127.0.0.1/hook'],
    ['localhost', 'https://localhost/hook'],
    ['a private address', 'https://10.0.0.1/hook'],
    ['a link-local address', 'https://169.254.169.254/latest'],
    ['IPv6 loopback', 'https://[::1]/hook'],
    ['an address in disguise', 'https://0x7f000001/hook'],
    ['a user in it', 'https://user:pass@shop.example/hook'],
    ['empty', ''],
  ])('422: %s', async (_, url) => {
    expect(validationErrorsOf(await create({ url }))).toMatchObject([{ loc: ['body', 'url'], input: url }]);
    expect(await list()).toEqual([]);
  });

  test.each([
    [{}, 'missing', ['body', 'url']],
    [{ url: null }, 'string_type', ['body', 'url']],
    [{ url: 'https://93.184.216.34/', event_types: 'all' }, 'list_type', ['body', 'event_types']],
    [{ url: 'https://93.184.216.34/', description: 5 }, 'string_type', ['body', 'description']],
  ])('422: %j', async (body, type, loc) => {
    expect(validationErrorsOf(await create(body))).toMatchObject([{ type, loc }]);
  });

  test('all that is wrong comes together', async () => {
    const answer = await create({
      url: 'https://10.0.0.1/',
      event_types: ['no', 'ping', 7],
      description: 'x'.repeat(1_000),
    });
    expect(
      validationErrorsOf(answer)
        .map(({ loc }) => loc.join('.'))
        .sort(),
    ).toEqual(['body.description', 'body.event_types.0', 'body.event_types.2', 'body.url']);
  });

  test('409: the same URL again within the business; another business may have it', async () => {
    await created();
    expect(statusAndCode(await create({ url: `${receiver.url}/hook` }))).toBe('409 webhook.endpoint_exists');
    const other = await service.business();
    expect((await other.call('POST', PATH, { body: { url: `${receiver.url}/hook` } })).status).toBe(201);
  });

  test('409: an eleventh endpoint, also when many are made at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, n) => create({ url: `${receiver.url}/${n}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status !== 201).map(statusAndCode)).toEqual(
      Array(5).fill('409 webhook.endpoint_limit_reached'),
    );
  });
});

describe('changing an endpoint', () => {
  const change = (id: string, body: unknown) => shop.call('PATCH', `${PATH}/${id}`, { body });

  test('200: what is named, and only that', async () => {
    const { id, ...before } = await created({ description: 'Backend' });
    const named = { url: `${receiver.url}/other`, event_types: ['order.updated', 'order.updated'] };
    const changed = expectStatus(200, await change(id, named));
    expect(changed).toEqual({
      ...before,
      id,
      url: named.url,
      event_types: ['order.updated'],
      secret: expect.stringMatching(/^whsec_….{4}$/),
    });
    expect(await list()).toEqual([changed]);
    for (const nothing of [{}, { url: null, event_types: null, enabled: null }, { colour: 'red' }])
      expect(expectStatus(200, await change(id, nothing))).toEqual(changed);
    expect(expectStatus(200, await change(id, { event_types: [] }))).toMatchObject({ event_types: [] });
  });

  test('200: disabled, and enabled again without anybody’s help', async () => {
    const { id } = await created();
    expect(expectStatus(200, await change(id, { enabled: false }))).toMatchObject({ disabled: true });
    expect(expectStatus(200, await change(id, { enabled: false }))).toMatchObject({ disabled: true });
    expect(expectStatus(200, await change(id, { enabled: true }))).toMatchObject({ disabled: false });
    const entries = await service.pool.query(
      `select action from audit_entries where business_id = $1 and action like 'endpoint.%' order by at, id`,
      [shop.businessId],
    );
    expect(entries.rows.map(({ action }) => action)).toEqual([
      'endpoint.created',
      'endpoint.disabled',
      'endpoint.enabled',
    ]);
  });

  test('422: all that is wrong comes together, and nothing is changed', async () => {
    const { id } = await created();
    const before = await list();
    const wrong = { url: 'http://10.0.0.7/', event_types: ['message.created'], enabled: 'yes' };
    const faults = validationErrorsOf(await change(id, wrong));
    expect(faults.map(({ loc }) => loc.join('.'))).toEqual([
      'body.url',
      'body.event_types.0',
      'body.enabled',
    ]);
    expect(await list()).toEqual(before);
  });

  test('409: a URL that another of its endpoints has', async () => {
    const { id } = await created();
    await created({ url: `${receiver.url}/second` });
    expect(statusAndCode(await change(id, { url: `${receiver.url}/second`, enabled: false }))).toBe(
      '409 webhook.endpoint_exists',
    );
    expect((await list()).find((one) => one.id === id)).toMatchObject({ disabled: false });
  });

  test('404: unknown, deleted already, or another business’s', async () => {
    const { id } = await created();
    const other = await service.business();
    const asked = [
      await change('unknown', { enabled: true }),
      await other.call('PATCH', `${PATH}/${id}`, { body: { enabled: false } }),
      await other.call('PATCH', `${PATH}/${id}`, { body: {} }),
    ];
    await shop.call('DELETE', `${PATH}/${id}`);
    asked.push(await change(id, { enabled: true }));
    expect(asked.map(statusAndCode)).toEqual(Array(4).fill('404 webhook.endpoint_not_found'));
  });
});

describe('4. deleting an endpoint', () => {
  test('204, and it is gone from the list; its URL is free again', async () => {
    const { id } = await created();
    expect(await shop.delete(`${PATH}/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await list()).toEqual([]);
    expect((await created()).id).not.toBe(id);
  });

  test('404: unknown, deleted already, or another business’s', async () => {
    const { id } = await created();
    await shop.delete(`${PATH}/${id}`);
    const other = await service.business();
    const { id: theirs }: Endpoint = expectStatus(
      201,
      await other.call('POST', PATH, { body: { url: `${receiver.url}/hook` } }),
    );
    for (const one of ['unknown', id, theirs])
      expect(statusAndCode(await shop.delete(`${PATH}/${one}`))).toBe('404 webhook.endpoint_not_found');
  });
});

describe('4. testing an endpoint', () => {
  const ping = (id: string) => shop.call('POST', `${PATH}/${id}/test`);

  test('200: sends one ping, and says that it arrived', async () => {
    const { id } = await created({ event_types: ['sms.failed'] });
    expect((await ping(id)).body).toEqual({
      delivered: true,
      status_code: 200,
      error: null,
      duration_ms: expect.any(Number),
    });
    expect(receiver.requests).toHaveLength(1);
    const [request] = receiver.requests;
    expect(request?.headers['x-service-event']).toBe('ping');
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ type: 'ping', data: { endpoint_id: id } });
  });

  test.each([404, 500, 301])('200 whatever the endpoint answers: %i is not delivered', async (status) => {
    receiver.answer = (response) => void response.writeHead(status, { location: receiver.url }).end();
    const { id } = await created();
    expect((await ping(id)).body).toMatchObject({
      delivered: false,
      status_code: status,
      error: expect.any(String),
    });
    expect(receiver.requests).toHaveLength(1);
  });

  test('200 when nobody answers', async () => {
    receiver.answer = (response) => void response.destroy();
    const { id } = await created();
    expect((await ping(id)).body).toMatchObject({
      delivered: false,
      status_code: null,
      error: expect.any(String),
    });
  });

  test('does not touch the endpoint’s health', async () => {
    receiver.answer = (response) => void response.writeHead(500).end();
    const { id } = await created();
    const [before] = await list();
    await ping(id);
    expect(await list()).toEqual([before]);
  });

  test('429: more than ten tests of one endpoint in a minute', async () => {
    const { id } = await created();
    const answers = await Promise.all(Array.from({ length: 12 }, () => ping(id)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.map(statusAndCode)).toEqual(Array(2).fill('429 webhook.test_rate_limited'));
    expect(receiver.requests).toHaveLength(10);
  });

  test('404: no such endpoint', async () => {
    expect(statusAndCode(await ping('unknown'))).toBe('404 webhook.endpoint_not_found');
  });
});
