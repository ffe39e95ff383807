import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pauseBeforeCommit, untilPaused } from '../support/databaseLocks.ts';
import { openRawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import { ORDER_UPDATE, type Shop } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business();
});
afterAll(() => service.close());

const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\n${headers}\r\n`;
const push = (body: string, headers = '') =>
  `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
const ORDER = JSON.stringify(ORDER_UPDATE);

const statuses = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

describe('slow and half-open connections are cut', () => {
  let quick: TestService;
  beforeAll(async () => {
    quick = await startService({ ROLES: 'api' });
    // What production has, only sooner: the same checks run against these.
    quick.app.server.headersTimeout = 300;
    quick.app.server.requestTimeout = 600;
    quick.app.server.keepAliveTimeout = 300;
  });
  afterAll(() => quick.close());

  test('in production: headers within 10 s, the whole request within 30 s, looked at every second', () => {
    const { server } = service.app;
    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, timeout: 300_000 });
    expect(server).toMatchObject({ connectionsCheckingInterval: 1_000 });
  });

  test('one that never says anything, without an answer to what was not asked', async () => {
    const connection = await openRawConnection(quick.url);
    expect(await connection.closed).toBe('');
  });

  test('one that stops in the middle of the headers', async () => {
    const connection = await openRawConnection(quick.url);
    connection.send('GET /api/v1/credits HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    await connection.closed;
  });

  test('one that sends its headers a byte at a time', async () => {
    const connection = await openRawConnection(quick.url);
    connection.send('GET /api/v1/credits HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    const drip = setInterval(() => connection.send('a'), 50);
    await connection.closed;
    clearInterval(drip);
  });

  test('one that sends its body a byte at a time', async () => {
    const slow = await quick.business();
    const connection = await openRawConnection(quick.url);
    connection.send(
      `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${slow.apiKey}\r\n` +
        'Content-Type: application/json\r\nIdempotency-Key: slow\r\nContent-Length: 100000\r\n\r\n{',
    );
    const drip = setInterval(() => connection.send(' '), 50);
    await connection.closed;
    clearInterval(drip);
    expect((await slow.push({}, 'slow')).status).toBe(201);
  });

  test('one that is idle after its answer', async () => {
    const connection = await openRawConnection(quick.url);
    connection.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(statuses(await connection.closed)).toEqual([200]);
  });
});

describe('while it stops', () => {
  test('what was begun is finished, and what comes then is told to come back', async () => {
    const stopping = await startService({ ROLES: 'api' });
    const last = await stopping.business();
    const hold = await pauseBeforeCommit(stopping.pool);
    const connection = await openRawConnection(stopping.url);
    const head = `Host: x\r\nAuthorization: Bearer ${last.apiKey}\r\n`;
    connection.send(
      `POST /api/v1/messages HTTP/1.1\r\n${head}Content-Type: application/json\r\nIdempotency-Key: last\r\n` +
        `Content-Length: ${ORDER.length}\r\n\r\n${ORDER}`,
    );
    await untilPaused(stopping.pool);
    const closed = stopping.close();
    await expect
      .poll(() => fetch(`${stopping.url}/healthz`).catch(() => 'refused'), { timeout: 20_000 })
      .toBe('refused');
    connection.send(`GET /api/v1/credits HTTP/1.1\r\n${head}\r\n`);
    // The server runs in this very process: while this waits for others, it reads what was sent to it.
    for (let turn = 0; turn < 10; turn += 1) await untilPaused(stopping.pool);
    await hold.release();
    const received = await connection.closed;
    expect(statuses(received)).toEqual([201, 503]);
    expect(received).toMatch(/retry-after: 1\r\n.*common\.unavailable/s);
    await closed;
  });
});

describe('what is no HTTP', () => {
  test.each([
    ['noise', 'hello\r\n\r\n'],
    ['no Host', 'GET /api/v1/credits HTTP/1.1\r\n\r\n'],
    ['a NUL in a header', 'GET /api/v1/credits HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\0b\r\n\r\n'],
    [
      'two lengths',
      'POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    ],
    [
      'a length and chunks',
      'POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
    ],
    ['a length that is none', 'POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    [
      'headers without end',
      `GET /api/v1/credits HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`,
    ],
    ['a broken chunk', 'POST /api/v1/keys HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('%s is a 400 in the shape of our errors, and the end of the connection', async (_, bytes) => {
    const connection = await openRawConnection(service.url);
    connection.send(bytes);
    const received = await connection.closed;
    expect(received).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(received).toMatch(/X-Request-Id: \w+/i);
    const body: unknown = JSON.parse(received.slice(received.lastIndexOf('\r\n\r\n')));
    expect(body).toEqual({ error_code: expect.any(String), detail: expect.any(String) });
  });
});

describe('odd but valid HTTP is harmless', () => {
  test('pipelined requests are answered one by one, in order', async () => {
    const connection = await openRawConnection(service.url);
    connection.send(
      push(ORDER, 'Idempotency-Key: first\r\n') +
        get('/api/v1/messages/unknown') +
        push(ORDER, 'Idempotency-Key: second\r\n') +
        get('/api/v1/credits', 'Connection: close\r\n'),
    );
    expect(statuses(await connection.closed)).toEqual([201, 404, 201, 200]);
  });

  test('a refused request leaves the next one on the same connection intact', async () => {
    const connection = await openRawConnection(service.url);
    connection.send(
      push('{"subject": ', 'Idempotency-Key: k\r\n') +
        push(ORDER) +
        get('/api/v1/nothing') +
        get('/api/v1/credits', 'Connection: close\r\n'),
    );
    expect(statuses(await connection.closed)).toEqual([422, 422, 404, 200]);
  });

  test('of two Authorization headers the first counts', async () => {
    const connection = await openRawConnection(service.url);
    connection.send(get('/api/v1/credits', 'Authorization: Bearer other\r\nConnection: close\r\n'));
    expect(statuses(await connection.closed)).toEqual([200]);
  });

  test('two Idempotency-Key headers are one key, as HTTP joins them', async () => {
    const connection = await openRawConnection(service.url);
    connection.send(push(ORDER, 'Idempotency-Key: a\r\nIdempotency-Key: b\r\nConnection: close\r\n'));
    expect(statuses(await connection.closed)).toEqual([201]);
    expect((await shop.push({}, 'a, b')).headers.get('idempotent-replayed')).toBe('true');
  });

  test('two X-Request-Id headers are not repeated', async () => {
    const connection = await openRawConnection(service.url);
    connection.send(get('/api/v1/credits', 'X-Request-Id: a\r\nX-Request-Id: b\r\nConnection: close\r\n'));
    expect(await connection.closed).toMatch(/x-request-id: [0-9a-z]{20}\r\n/i);
  });

  test('a chunked body is read like any other', async () => {
    const connection = await openRawConnection(service.url);
    const [first, second] = [ORDER.slice(0, 10), ORDER.slice(10)];
    connection.send(
      `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\nContent-Type: application/json\r\n` +
        `Idempotency-Key: chunks\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n` +
        `${first.length.toString(16)}\r\n${first}\r\n${second.length.toString(16)}\r\n${second}\r\n0\r\n\r\n`,
    );
    expect(statuses(await connection.closed)).toEqual([201]);
  });

  test('Expect: 100-continue is answered with 100, and the body then sent is taken', async () => {
    const connection = await openRawConnection(service.url);
    const [head = ''] = push(
      ORDER,
      'Idempotency-Key: invited\r\nExpect: 100-continue\r\nConnection: close\r\n',
    ).split('{');
    connection.send(head);
    await connection.until(/^HTTP\/1\.1 100 /);
    connection.send(ORDER);
    expect(statuses(await connection.closed)).toEqual([100, 201]);
  });

  test.each([
    ['413', 'Content-Length: 3000000\r\n', () => shop.apiKey],
    ['401', 'Content-Length: 2\r\n', () => 'unknown'],
  ])('a body that is announced and refused is not invited: %s', async (status, length, key) => {
    const connection = await openRawConnection(service.url);
    connection.send(
      `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key()}\r\nContent-Type: application/json\r\n` +
        `${length}Expect: 100-continue\r\n\r\n`,
    );
    expect(statuses(await connection.closed)).toEqual([Number(status)]);
  });

  test('any other expectation is not looked at', async () => {
    const connection = await openRawConnection(service.url);
    connection.send(get('/api/v1/credits', 'Expect: a-miracle\r\nConnection: close\r\n'));
    expect(statuses(await connection.closed)).toEqual([200]);
  });

  test('HTTP/1.0 is answered, also without a Host', async () => {
    const connection = await openRawConnection(service.url);
    connection.send(`GET /api/v1/credits HTTP/1.0\r\nAuthorization: Bearer ${shop.apiKey}\r\n\r\n`);
    expect(statuses(await connection.closed)).toEqual([200]);
  });

  test('a body cut off before its end is never acted on', async () => {
    const connection = await openRawConnection(service.url);
    connection.send(push(ORDER, 'Idempotency-Key: cut\r\n').slice(0, -1));
    connection.end();
    await connection.closed;
    const again = await shop.push({}, 'cut');
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
  });

  test('an absolute address in the request line is the same address', async () => {
    const connection = await openRawConnection(service.url);
    connection.send(get('http://elsewhere.test/api/v1/credits', 'Connection: close\r\n'));
    expect(statuses(await connection.closed)).toEqual([200]);
  });
});
