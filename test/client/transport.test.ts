import { createServer, type RequestListener } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  AuthenticationError,
  ConnectionError,
  RateLimitError,
  RequestInProgressError,
  type RetryNotice,
  ServerError,
  TimeoutError,
  UnexpectedAnswerError,
  Waypost,
  type WaypostOptions,
} from '../../clients/typescript/src/index.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { eventually } from '../support/waiting.ts';
import { answer, failureOf, hang, OK, serverOf, stillTime } from './answers.ts';
import { serverFaults, startFaultyServer } from './faultyServer.ts';

const API_KEY = 'way_live_0123456789abcdefghijklmnopqrstuvwxyz0123';
const PUSH = { recipient_email: 'ann@example.com', subject: 'Order #1001', body: 'It has shipped.' };
const EVENT = { tracking_number: 'JD01', status: 'delivered', at: '2026-08-20T09:15:00Z' } as const;

const clientOf = (baseUrl: string, options: Partial<WaypostOptions> = {}): Waypost =>
  new Waypost({ baseUrl, apiKey: API_KEY, ...options });

describe('a call is repeated', () => {
  test.each(serverFaults)('after %s, with the same key and body', async (fault) => {
    const { url } = await serverOf(answer(201, { id: 'm1' }));
    let left = 2;
    const faulty = await startFaultyServer({ target: url, nextFault: () => (left-- > 0 ? fault : null) });
    onTestFinished(() => faulty.close());
    const notices: RetryNotice[] = [];
    const waypost = clientOf(faulty.url, {
      time: stillTime(),
      // Long enough for a busy machine to answer in.
      attemptTimeoutMs: fault.startsWith('hang') ? 500 : 15_000,
      onRetry: (notice) => notices.push(notice),
    });
    expect(await waypost.messages.push(PUSH)).toEqual({ id: 'm1' });
    expect(faulty.requests.slice(0, 3).map((request) => request.fault)).toEqual([fault, fault, null]);
    const keys = new Set(faulty.requests.map(({ idempotencyKey }) => idempotencyKey));
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(notices.slice(0, 2).map(({ operation, attempt }) => `${operation} ${attempt}`)).toEqual([
      'messages.push 1',
      'messages.push 2',
    ]);
  });

  test('while its first request is still running', async () => {
    const busy = answer(409, { error_code: 'idempotency.request_in_progress', detail: 'Still running.' });
    const { url, requests } = await serverOf(busy, busy, answer(201, { id: 'm1' }));
    const waypost = clientOf(url, { time: stillTime() });
    await waypost.messages.push(PUSH, { idempotencyKey: 'order-1001' });
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(3).fill('order-1001'));
  });

  test('after the time that the server asks for, and not before', async () => {
    const { url } = await serverOf(answer(429, {}, { 'retry-after': '7' }), OK);
    const time = stillTime();
    await clientOf(url, { time }).credits.get();
    expect(time.slept).toEqual([8_400]);
  });

  test('with pauses that double, until the deadline, and the last failure is told', async () => {
    const { url, requests } = await serverOf(answer(503, { error_code: 'common.unavailable' }));
    const time = stillTime();
    const error = await failureOf(clientOf(url, { time }).credits.get());
    expect(error).toBeInstanceOf(ServerError);
    expect(time.slept.slice(0, 6)).toEqual([200, 400, 800, 1_600, 3_200, 5_000]);
    expect(time.now()).toBeGreaterThanOrEqual(59_000);
    expect(time.now()).toBeLessThanOrEqual(60_000);
    expect(error.attempts).toBe(requests.length);
  });

  test('at the end of its time also if the server asks for longer', async () => {
    const late = answer(429, { error_code: 'common.rate_limited' }, { 'retry-after': '3600' });
    const { url, requests } = await serverOf(late, OK);
    const time = stillTime();
    await clientOf(url, { time }).credits.get();
    expect([time.slept, requests.length]).toEqual([[59_000], 2]);
    const always = await serverOf(late);
    const error = await failureOf(clientOf(always.url, { time: stillTime() }).credits.get());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 3_600_000, status: 429 });
  });

  test('until a server that hangs has used up the deadline of a real clock', async () => {
    const { url, requests } = await serverOf(hang);
    const began = performance.now();
    const waypost = clientOf(url, { deadlineMs: 600, attemptTimeoutMs: 150 });
    const error = await failureOf(waypost.messages.push(PUSH, { idempotencyKey: 'order-1001' }));
    const took = performance.now() - began;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'client.timeout', status: null, idempotencyKey: 'order-1001' });
    expect(took).toBeGreaterThan(530);
    expect(took).toBeLessThan(5_000);
    expect(requests.length).toBeGreaterThan(1);
  });
});

describe('a call is not repeated', () => {
  test.each([400, 401, 403, 404, 405, 409, 410, 413, 415, 422])('after a %d', async (status) => {
    const { url, requests } = await serverOf(answer(status, { error_code: 'some.code', detail: 'No.' }));
    const error = await failureOf(clientOf(url, { time: stillTime() }).messages.push(PUSH));
    expect(error).toMatchObject({ status, code: 'some.code', attempts: 1 });
    expect(requests).toHaveLength(1);
  });

  test.each([
    ['a redirect', answer(302, '', { location: 'https://elsewhere.example' })],
    ['a page of something else', answer(200, '<html>Sign in</html>')],
    ['a 404 of something else', answer(404, 'Not found')],
  ])('after %s: the address is probably wrong', async (_what, strange) => {
    const { url, requests } = await serverOf(strange);
    const error = await failureOf(clientOf(url, { time: stillTime() }).credits.get());
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error.message).toContain('is baseUrl the address of the service?');
    expect(requests).toHaveLength(1);
  });

  test('after an abort: not before the first attempt, during one, or between two', async () => {
    const reason = new Error('the shop closed');
    const { url, requests } = await serverOf(hang, answer(503));
    const early = clientOf(url).credits.get({ signal: AbortSignal.abort(reason) });
    await expect(early).rejects.toBe(reason);
    expect(requests).toHaveLength(0);

    const during = new AbortController();
    const hanging = expect(clientOf(url).credits.get({ signal: during.signal })).rejects.toBe(reason);
    await eventually(async () => expect(requests).toHaveLength(1));
    during.abort(reason);
    await hanging;

    const between = new AbortController();
    const waypost = clientOf(url, { onRetry: () => void setTimeout(() => between.abort(reason), 20) });
    await expect(waypost.credits.get({ signal: between.signal })).rejects.toBe(reason);
    expect(requests).toHaveLength(2);
  });
});

describe('a write that the server cannot recognise', () => {
  const creations: [string, (waypost: Waypost) => Promise<unknown>][] = [
    ['keys.create', (waypost) => waypost.keys.create()],
    ['webhookEndpoints.create', (waypost) => waypost.webhookEndpoints.create({ url: 'https://a.example' })],
    ['webhookEndpoints.test', (waypost) => waypost.webhookEndpoints.test('e1')],
  ];

  test.each(creations)('%s is repeated after a 429', async (_name, create) => {
    const { url, requests } = await serverOf(answer(429), answer(201, { id: 'x' }));
    expect(await create(clientOf(url, { time: stillTime() }))).toEqual({ id: 'x' });
    expect(requests).toHaveLength(2);
  });

  test.each(creations)('%s is not repeated once it may have had its effect', async (_name, create) => {
    for (const failing of [answer(503), answer(500), hang]) {
      const { url, requests } = await serverOf(failing, answer(201, { id: 'x' }));
      const attemptTimeoutMs = failing === hang ? 1_000 : 15_000;
      await failureOf(create(clientOf(url, { time: stillTime(), attemptTimeoutMs })));
      expect(requests).toHaveLength(1);
    }
  });

  test('is repeated if no connection was made', async () => {
    const server = createServer(answer(201, { id: 'x' }));
    const port = await listenOnFreePort(server);
    await new Promise((resolve) => server.close(resolve));
    const tries: number[] = [];
    const waypost = clientOf(`http://127.0.0.1:${port}`, {
      onRetry: ({ attempt }) => {
        tries.push(attempt);
        if (attempt === 2) server.listen(port, '127.0.0.1');
      },
    });
    onTestFinished(() => void server.close());
    expect(await waypost.keys.create()).toEqual({ id: 'x' });
    expect(tries[0]).toBe(1);
  });
});

test('a deletion whose answer was lost counts as done when there is nothing left to delete', async () => {
  const gone = answer(404, { error_code: 'key.not_found', detail: 'No such key.' });
  const lost: RequestListener = (request) => void request.socket.resetAndDestroy();
  const { url } = await serverOf(lost, gone);
  await expect(clientOf(url, { time: stillTime() }).keys.revoke('k1')).resolves.toBeUndefined();
  expect(await failureOf(clientOf(url).keys.revoke('k1'))).toMatchObject({ status: 404 });
  const again = await serverOf(lost, gone);
  const cleared = clientOf(again.url, { time: stillTime() }).recipients.clearPhone('ann@example.com');
  expect(await failureOf(cleared)).toMatchObject({ status: 404 });
});

test('until the end of its time a request in progress is told as that', async () => {
  const busy = answer(409, { error_code: 'idempotency.request_in_progress', detail: 'Still running.' });
  const { url } = await serverOf(busy);
  const error = await failureOf(clientOf(url, { time: stillTime() }).messages.push(PUSH));
  expect(error).toBeInstanceOf(RequestInProgressError);
});

test('every write has a key, every read has none', async () => {
  const { url, requests } = await serverOf(answer(200, { items: [], next_cursor: null }));
  const waypost = clientOf(url);
  const keyOf = async (call: Promise<unknown>): Promise<string> => {
    await call;
    return String(requests.at(-1)?.headers['idempotency-key']);
  };
  const writes = [
    waypost.messages.push(PUSH),
    waypost.messages.pushBatch([]).then(() => waypost.messages.retract('m1')),
    waypost.messages.resendSms('m1'),
    waypost.messages.resendWhatsapp('m1'),
    waypost.orders.putShipment('#1001', 'JD01'),
    waypost.orders.reportTracking('#1001', EVENT),
    waypost.texts.set('shipped', 'en', { subject: 'Order', body: 'It has shipped.' }),
    waypost.texts.reset('shipped', 'en'),
    waypost.recipients.erase('ann@example.com'),
    waypost.recipients.eraseWhatsapp('ann@example.com'),
    waypost.recipients.setPhone('ann@example.com', '+37255512345'),
    waypost.recipients.clearPhone('ann@example.com'),
    waypost.keys.create(),
    waypost.keys.revoke('k1'),
    waypost.webhookEndpoints.create({ url: 'https://a.example' }),
    waypost.webhookEndpoints.delete('e1'),
    waypost.webhookEndpoints.replay('e1', { since: '2026-08-20T09:15:00Z' }),
    waypost.webhookEndpoints.rotateSecret('e1'),
  ];
  await Promise.all(writes);
  const keys = requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys.every((key) => typeof key === 'string')).toBe(true);
  expect(new Set(keys).size).toBe(writes.length);
  expect(await keyOf(waypost.messages.preview(PUSH))).toBe('undefined');
  expect(await keyOf(waypost.credits.get())).toBe('undefined');
  expect(await keyOf(waypost.messages.push(PUSH, { idempotencyKey: 'mine' }))).toBe('mine');
});

test('an address with a path is kept, and what is no address is refused', async () => {
  const { url, requests } = await serverOf(OK);
  await clientOf(`${url}/waypost/`).credits.get();
  expect(requests[0]?.url).toBe('/waypost/api/v1/credits');
  for (const wrong of ['', 'localhost:8080', 'ftp://a.example', 'http://', 'http://a.example?x=1'])
    expect(() => clientOf(wrong)).toThrow('Waypost needs a baseUrl');
  expect(() => clientOf(url, { apiKey: '' })).toThrow('Waypost needs an apiKey');
});

test('nothing that a logger prints holds the key or a person', async () => {
  const { url } = await serverOf(
    answer(401, { error_code: 'business.invalid_api_key', detail: 'No such key.' }),
  );
  const waypost = clientOf(url);
  const refused = await failureOf(waypost.recipients.erase('ann@example.com'));
  expect(refused).toBeInstanceOf(AuthenticationError);
  const unreachable = clientOf('http://127.0.0.1:9', { deadlineMs: 50 });
  const lost = await failureOf(unreachable.recipients.erase('ann@example.com'));
  for (const value of [waypost, waypost.messages, refused, lost]) {
    const printed = inspect(value, { depth: 20, showHidden: true }) + JSON.stringify(value);
    expect(printed).not.toContain(API_KEY);
    expect(printed).not.toContain('ann@example.com');
    expect(printed).not.toContain('ann%40');
  }
});
