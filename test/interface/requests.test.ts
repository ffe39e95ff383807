import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import { ORDER_UPDATE, type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';

const MiB = 1024 * 1024;

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business();
});
afterAll(() => service.close());

describe('404', () => {
  test.each([
    '/api/v1',
    '/api/v1/',
    '/api/v1/message',
    '/api/v1/messages/a/b/c',
    '/api/v1//messages',
    '/API/v1/messages',
  ])('%s is nothing', async (path) => {
    expect(statusAndCode(await shop.get(path))).toBe('404 common.not_found');
  });
});

describe('405 says which methods the address takes', () => {
  test.each([
    ['PATCH', '/api/v1/messages', 'HEAD, POST, GET'],
    ['GET', '/api/v1/messages/batch', 'POST'],
    ['HEAD', '/api/v1/messages/batch', 'POST'],
    ['DELETE', '/api/v1/messages/abc', 'HEAD, GET'],
    ['GET', '/api/v1/messages/abc/retract', 'POST'],
    ['PUT', '/api/v1/keys', 'HEAD, GET, POST'],
    ['GET', '/api/v1/keys/abc', 'DELETE'],
    ['POST', '/api/v1/credits', 'HEAD, GET'],
    ['POST', '/api/v1/recipients/ann@example.com/phone', 'PUT, DELETE'],
    ['OPTIONS', '/api/v1/messages', 'HEAD, POST, GET'],
    ['PROPFIND', '/api/v1/messages', 'HEAD, POST, GET'],
  ])('%s %s', async (method, path, allow) => {
    const answer = await shop.call(method, path, { key: null });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    if (method !== 'HEAD') expect(statusAndCode(answer)).toBe('405 common.method_not_allowed');
  });
});

describe('HEAD', () => {
  test('answers like GET, without a body', async () => {
    const [head, get] = [await shop.call('HEAD', '/api/v1/credits'), await shop.get('/api/v1/credits')];
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('content-length')).toBe(String(get.text.length));
  });

  test('needs a key like GET', async () => {
    expect((await shop.call('HEAD', '/api/v1/credits', { key: null })).status).toBe(401);
  });
});

describe('415', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/vnd.api+json',
    'json',
    '/',
    '*/*',
  ])('a body of the type %s is refused', async (type) => {
    const answer = await shop.call('POST', '/api/v1/messages', {
      raw: JSON.stringify(ORDER_UPDATE),
      idempotencyKey: 'k',
      headers: { 'content-type': type },
    });
    expect(statusAndCode(answer)).toBe('415 common.unsupported_media_type');
  });

  test.each(['gzip', 'GZIP', 'br', 'deflate', 'zstd', 'gzip, identity'])(
    'a body that is compressed is refused: %s',
    async (encoding) => {
      const answer = await shop.call('POST', '/api/v1/messages', {
        raw: gzipSync(JSON.stringify(ORDER_UPDATE)),
        idempotencyKey: 'k',
        headers: { 'content-encoding': encoding },
      });
      expect(statusAndCode(answer)).toBe('415 common.unsupported_media_type');
    },
  );

  test('an encoding that changes nothing does not matter', async () => {
    const answer = await shop.call('POST', '/api/v1/messages', {
      body: ORDER_UPDATE,
      idempotencyKey: 'identity',
      headers: { 'content-encoding': 'identity' },
    });
    expect(answer.status).toBe(201);
  });

  test('a body without a type is refused', async () => {
    const connection = await openRawConnection(service.url);
    connection.send(
      `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(await connection.until(/\r\n\r\n.*\}$/s)).toMatch(/^HTTP\/1\.1 415 .*unsupported_media_type/s);
  });

  test('on operations that take no body, too', async () => {
    const { id } = await shop.pushed();
    const answer = await shop.call('POST', `/api/v1/messages/${id}/retract`, {
      raw: 'really',
      idempotencyKey: 'k',
      headers: { 'content-type': 'text/plain' },
    });
    expect(statusAndCode(answer)).toBe('415 common.unsupported_media_type');
  });

  test('a type named for no body at all does not matter', async () => {
    const { id } = await shop.pushed();
    for (const type of ['application/x-www-form-urlencoded', 'application/json', 'text/plain']) {
      const headers = { 'content-type': type };
      const answer = await shop.call('POST', `/api/v1/messages/${id}/retract`, {
        idempotencyKey: 'same',
        headers,
      });
      expect([type, answer.status]).toEqual([type, 200]);
    }
  });

  test('a JSON body for an operation that takes none does not matter', async () => {
    const { id } = await shop.pushed();
    const answer = await shop.call('POST', `/api/v1/messages/${id}/retract`, {
      body: { why: 'x' },
      idempotencyKey: 'any',
    });
    expect(answer.status).toBe(200);
  });

  test('the refusal spends no key', async () => {
    const refused = await shop.call('POST', '/api/v1/messages', {
      raw: 'x',
      idempotencyKey: 'media',
      headers: { 'content-type': 'text/plain' },
    });
    expect(refused.status).toBe(415);
    expect((await shop.push({}, 'media')).status).toBe(201);
  });
});

describe('8. request body size: 2 MiB, 8 MiB on batch', () => {
  /** A valid body of exactly this number of bytes, padded with white space. */
  const bodyOf = (bytes: number, value: unknown = ORDER_UPDATE) => JSON.stringify(value).padEnd(bytes, ' ');
  const batch = { items: [ORDER_UPDATE] };

  test.each([
    ['/api/v1/messages', 2 * MiB, ORDER_UPDATE, 201],
    ['/api/v1/messages/batch', 8 * MiB, batch, 200],
    ['/api/v1/keys', 2 * MiB, {}, 201],
  ])('%s takes %i bytes and not one more', async (path, most, value, status) => {
    const send = (bytes: number) =>
      shop.call('POST', path, { raw: bodyOf(bytes, value), idempotencyKey: `of ${most}` });
    expect(statusAndCode(await send(most + 1))).toBe('413 request.too_large');
    expect(statusAndCode(await send(most))).toBe(String(status));
  });

  test('is refused by what the header announces, before the key is looked at and a byte of it has come', async () => {
    const connection = await openRawConnection(service.url);
    connection.send(
      `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${2 * MiB + 1}\r\n\r\n`,
    );
    expect(await connection.until(/\r\n\r\n.*\}$/s)).toMatch(
      /^HTTP\/1\.1 413 .*"error_code":"request.too_large"/s,
    );
  });

  test('is refused while it streams in chunks, when nothing was announced', async () => {
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    let sent = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent > 2 * MiB) return controller.close();
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    });
    const response = await fetch(`${service.url}/api/v1/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${shop.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'stream',
      },
      body: stream,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error_code: 'request.too_large' });
  });

  test('a program that sends everything before it listens gets the answer, and can go on', async () => {
    const connection = await openRawConnection(service.url);
    const request = (path: string, content: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\nContent-Type: application/json\r\n` +
      `Idempotency-Key: patient\r\nContent-Length: ${content.length}\r\n\r\n${content}`;
    connection.send(request('/api/v1/messages', bodyOf(5 * MiB)));
    await connection.until(/request\.too_large/);
    connection.send(request('/api/v1/messages', JSON.stringify(ORDER_UPDATE)));
    expect(await connection.until(/"updated_at"/)).toMatch(/HTTP\/1\.1 413 .*HTTP\/1\.1 201 /s);
  });

  test('the refusal spends no key', async () => {
    const tooMuch = await shop.call('POST', '/api/v1/messages', {
      raw: bodyOf(2 * MiB + 1),
      idempotencyKey: 'large',
    });
    expect(tooMuch.status).toBe(413);
    expect((await shop.push({}, 'large')).status).toBe(201);
  });
});

describe('very deep and very wide JSON is refused cheaply', () => {
  const send = (raw: string) => shop.call('POST', '/api/v1/messages', { raw, idempotencyKey: 'odd' });

  test.each([
    ['a million brackets', '['.repeat(1_000_000)],
    ['a million objects', '{"a":'.repeat(300_000)],
    ['a million members', `[${'0,'.repeat(999_999)}0]`],
    ['a million names', `{${'"a":0,'.repeat(300_000)}"a":0}`],
  ])('%s', async (_, raw) => {
    expect(validationErrorsOf(await send(raw))).toMatchObject([{ type: 'json_invalid', input: null }]);
  });

  test('an unknown field may be nested 30 deep, and brackets in texts do not count', async () => {
    const nested = JSON.parse('['.repeat(30) + ']'.repeat(30));
    expect((await shop.push({ extra: nested, body: '['.repeat(5_000) })).status).toBe(201);
  });
});
