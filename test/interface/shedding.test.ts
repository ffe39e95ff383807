import { afterAll, beforeAll, expect, test } from 'vitest';
import { REQUEST_BODY_MAX } from '../../src/config/limits.ts';
import { BODIES_MAX } from '../../src/http/admission.ts';
import { openConnection, type RawConnection } from '../helpers/rawConnection.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { type Shop, verdictOf } from '../helpers/shop.ts';
import { eventually } from '../helpers/waiting.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business();
});
afterAll(() => service.close());

const FIT = BODIES_MAX / REQUEST_BODY_MAX;

/** A push that announces the largest body there may be, and never sends it. */
async function hog(framing: string): Promise<RawConnection> {
  const connection = await openConnection(service.url);
  connection.send(
    `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\nIdempotency-Key: hog\r\n` +
      `Content-Type: application/json\r\n${framing}\r\n\r\n`,
  );
  return connection;
}

test.each([
  ['announced', `Content-Length: ${REQUEST_BODY_MAX}`],
  ['in chunks', 'Transfer-Encoding: chunked'],
])(
  'bodies (%s) that together would take too much memory are turned away, and nobody once they are gone',
  async (_, framing) => {
    const hogs = await Promise.all(Array.from({ length: FIT + 1 }, () => hog(framing)));
    // Whichever came last. The others have taken all there is.
    await Promise.any(hogs.map(({ until }) => until(/^HTTP\/1\.1 503 .*retry-after: 1\r\n/is)));
    expect(verdictOf(await shop.push())).toBe('503 common.unavailable');
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);

    for (const connection of hogs) connection.end();
    await Promise.all(hogs.map(({ closed }) => closed));
    await eventually(async () => expect(verdictOf(await shop.push())).toBe('201'));
  },
);
