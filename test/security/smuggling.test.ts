import { afterAll, beforeAll, expect, test } from 'vitest';
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

const HIDDEN = JSON.stringify({ ...ORDER_UPDATE, subject: 'Hidden in another request' });

/** A whole push that a proxy in front would take for a part of the body. */
const hidden = (): string =>
  `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\nIdempotency-Key: hidden\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(HIDDEN)}\r\n\r\n${HIDDEN}`;

/** A request with these headers, behind whose apparent end the hidden one stands. */
const request = (headers: string, body = ''): string =>
  `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\nIdempotency-Key: seen\r\n` +
  `Content-Type: application/json\r\n${headers}\r\n\r\n${body}`;

const LAST_CHUNK = '0\r\n\r\n';

test.each([
  ['a length and chunks', () => request('Content-Length: 5\r\nTransfer-Encoding: chunked', LAST_CHUNK)],
  ['chunks and a length', () => request('Transfer-Encoding: chunked\r\nContent-Length: 5', LAST_CHUNK)],
  ['two lengths', () => request('Content-Length: 0\r\nContent-Length: 5')],
  ['two lengths in one', () => request('Content-Length: 0, 5')],
  ['a signed length', () => request('Content-Length: +0')],
  ['a hexadecimal length', () => request('Content-Length: 0x0')],
  ['an unknown coding', () => request('Transfer-Encoding: xchunked', LAST_CHUNK)],
  ['chunks that are not last', () => request('Transfer-Encoding: chunked, identity', LAST_CHUNK)],
  ['a coding with a tab', () => request('Transfer-Encoding:\tchunked\r\nContent-Length: 5', LAST_CHUNK)],
  ['a space before the colon', () => request('Transfer-Encoding : chunked', LAST_CHUNK)],
  ['a folded header', () => request('Content-Length: 0\r\nX-Folded: a\r\n Transfer-Encoding: chunked')],
  ['a header that begins with a space', () => request(' Content-Length: 0')],
  ['bare line feeds', () => request('Content-Length: 0').replaceAll('\r\n', '\n')],
  ['a bare carriage return', () => request('Content-Length: 0\rTransfer-Encoding: chunked')],
  [
    'a chunk larger than there are numbers',
    () => request('Transfer-Encoding: chunked', 'FFFFFFFFFFFFFFFFF\r\n'),
  ],
  ['a negative chunk', () => request('Transfer-Encoding: chunked', '-1\r\n\r\n')],
  [
    'a chunk that is longer than it says',
    () => request('Transfer-Encoding: chunked', '1\r\n{}\r\n0\r\n\r\n'),
  ],
])('%s: what hides behind is never acted on', async (_, seen) => {
  const connection = await openRawConnection(service.url);
  connection.send(seen() + hidden());
  const received = await connection.closed;
  const statuses = [...received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => status);
  expect(statuses).toEqual(['400']);
  expect((await shop.get('/api/v1/messages')).body).toEqual({ items: [], next_cursor: null });
});

test('thousands of headers are one refusal or one answer, and the next caller is served', async () => {
  const connection = await openRawConnection(service.url);
  connection.send(
    `GET /api/v1/credits HTTP/1.1\r\nHost: x\r\n${'a:b\r\n'.repeat(6_000)}Connection: close\r\n\r\n`,
  );
  expect(await connection.closed).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect((await shop.get('/api/v1/credits')).status).toBe(200);
});

test('a HEAD that cannot be understood is refused without a body', async () => {
  const connection = await openRawConnection(service.url);
  connection.send(`HEAD /api/v1/credits?${'x'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const received = await connection.closed;
  expect(received).toMatch(/^HTTP\/1\.1 400 /);
  expect(received).toMatch(/\r\n\r\n$/);
});
