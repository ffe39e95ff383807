import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRawConnection, type RawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Shop, statusAndCode } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

const KiB = 1024;
/** Small, so that a few bodies fill it. One shop gets half. */
const BODY_BYTES = 1_024 * KiB;
const SENT = 100 * KiB;

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' }, { httpLimits: { bodyBytes: BODY_BYTES } });
  shop = await service.business();
});
afterAll(() => service.close());

/** A push whose body has arrived but for its end. */
async function hog(framing: string, part: string): Promise<RawConnection> {
  const connection = await openRawConnection(service.url);
  connection.send(
    `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\nIdempotency-Key: hog\r\n` +
      `Content-Type: application/json\r\n${framing}\r\n\r\n${part}`,
  );
  return connection;
}

const BYTES = ' '.repeat(SENT);

test.each([
  ['with a length', `Content-Length: ${2 * SENT}`, BYTES],
  ['in chunks', 'Transfer-Encoding: chunked', `${SENT.toString(16)}\r\n${BYTES}\r\n`],
])(
  'bodies (%s) that together would take too much memory are turned away, and nobody once they are gone',
  async (_, framing, part) => {
    const hogs = await Promise.all(Array.from({ length: 6 }, () => hog(framing, part)));
    // Whichever came last. The others have taken all that the shop may have.
    await Promise.any(hogs.map(({ until }) => until(/^HTTP\/1\.1 503 .*retry-after: 1\r\n/is)));
    const large = { extra: 'x'.repeat(60 * KiB) };
    expect(statusAndCode(await shop.push(large))).toBe('503 common.unavailable');
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);

    for (const connection of hogs) connection.end();
    await Promise.all(hogs.map(({ closed }) => closed));
    await eventually(async () => expect(statusAndCode(await shop.push(large))).toBe('201'));
  },
);
