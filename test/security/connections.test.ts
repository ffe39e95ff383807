import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRawConnection, type RawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import { ORDER_UPDATE, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

/** What production has, only sooner; src/api/connectionPhase.test.ts shows that production's are 60 s at most. */
const SOON = {
  headMs: 300,
  requestMs: 2_000,
  keepAliveMs: 300,
  checkEveryMs: 50,
  lingerMs: 300,
  drainMs: 500,
  unreadAnswerMs: 500,
};
/** Far more than these times together, for a busy machine, and far less than a peer would hold on. */
const WITHIN_MS = 15_000;
const DRIP_EVERY_MS = 40;

const connectionsOf = ({ app }: TestService): Promise<number> =>
  new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

const untilGone = (service: TestService): Promise<void> =>
  eventually(async () => expect(await connectionsOf(service)).toBe(0), WITHIN_MS);

describe('whatever the peer does, a connection is gone soon after', () => {
  let service: TestService;
  let shop: Shop;
  beforeAll(async () => {
    service = await startService({ ROLES: 'api' }, { httpLimits: SOON });
    shop = await service.business();
    // The push below leaves no connection behind, so that those of a test can be counted.
    await untilGone(service);
  });
  afterAll(() => service.close());

  const head = (key: string, framing: string): string =>
    `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: slow\r\n` +
    `Content-Type: application/json\r\n${framing}\r\n\r\n`;
  const answered = (status: number) => new RegExp(`^HTTP/1\\.1 ${status} `);

  test.each<[string, string, () => string, RegExp | null]>([
    ['a head that stops', 'x', () => 'GET /api/v1/credits HTTP/1.1\r\nHost: x\r\nX-Slow: ', answered(400)],
    ['a body that stops', ' ', () => `${head(shop.apiKey, 'Content-Length: 100000')}{`, answered(400)],
    [
      'a body in chunks that stops',
      '1\r\n \r\n',
      () => `${head(shop.apiKey, 'Transfer-Encoding: chunked')}1\r\n{\r\n`,
      answered(400),
    ],
    [
      'a body that is refused: 401',
      ' ',
      () => `${head('unknown', 'Content-Length: 100000')}{`,
      answered(401),
    ],
    [
      'a body that is refused: 413',
      ' ',
      () => `${head('unknown', 'Content-Length: 9000000')}{`,
      answered(413),
    ],
    [
      'a body in chunks that is refused',
      '1\r\n \r\n',
      () => `${head('unknown', 'Transfer-Encoding: chunked')}1\r\n{\r\n`,
      answered(401),
    ],
    [
      'a body for an address that does not exist',
      ' ',
      () => 'POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{',
      answered(404),
    ],
    [
      'a body of a type that is not taken',
      ' ',
      () => head(shop.apiKey, 'Content-Length: 100000').replace('application/json', 'text/plain'),
      answered(415),
    ],
    ['noise', 'x', () => 'hello\r\n\r\n', answered(400)],
    ['nothing but empty lines', '\r\n', () => '\r\n', null],
    ['empty lines after an answer', '\r\n', () => 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', answered(200)],
  ])('after %s, silent or trickling', async (_, drip, bytes, answer) => {
    for (const trickles of [false, true]) {
      const connection = await openRawConnection(service.url, { keepsOpen: true });
      connection.send(bytes());
      const timer = setInterval(() => trickles && connection.send(drip), DRIP_EVERY_MS);
      try {
        if (answer !== null) expect(await connection.until(answer)).toMatch(answer);
        await untilGone(service);
      } finally {
        clearInterval(timer);
      }
    }
  });

  test('a timeout after the answer adds no second answer', async () => {
    const connection = await openRawConnection(service.url, { keepsOpen: true });
    connection.send(`${head('unknown', 'Content-Length: 100000')}{`);
    const timer = setInterval(() => connection.send(' '), DRIP_EVERY_MS);
    const received = await connection.closed;
    clearInterval(timer);
    expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('after an answer that is not read', async () => {
    for (let n = 0; n < 60; n += 1)
      await shop.pushed({ recipient_email: `p${n}@example.com`, body: 'x'.repeat(10_000) });
    await untilGone(service);
    const connection = await openRawConnection(service.url, { keepsOpen: true });
    connection.pause();
    const read = `GET /api/v1/messages?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\n\r\n`;
    connection.send(read.repeat(30));
    await untilGone(service);
  });
});

test('a body that is not wanted is read only so far, and a client that sends a whole one still gets its answer', async () => {
  const limits = { drainBytes: 4 * 1024 * 1024, checkEveryMs: 20 };
  const service = await startService({ ROLES: 'api' }, { httpLimits: limits });
  try {
    const flood = await openRawConnection(service.url, { keepsOpen: true });
    flood.send('POST /api/v1/keys HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    await flood.until(/^HTTP\/1\.1 401 /);
    const chunk = `${(256 * 1024).toString(16)}\r\n${' '.repeat(256 * 1024)}\r\n`;
    const timer = setInterval(() => flood.send(chunk), 10);
    await flood.closed;
    clearInterval(timer);

    const patient = await openRawConnection(service.url);
    const content = JSON.stringify(ORDER_UPDATE).padEnd(3 * 1024 * 1024);
    patient.send(
      `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: ${content.length}\r\n\r\n${content}` +
        'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(await patient.closed).toMatch(/^HTTP\/1\.1 413 .*HTTP\/1\.1 200 /s);
  } finally {
    await service.close();
  }
});

describe('the number of connections is bounded', () => {
  const open = (service: TestService, count: number): Promise<RawConnection[]> =>
    Promise.all(Array.from({ length: count }, () => openRawConnection(service.url)));
  const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

  test('from one address: further ones are closed, and those that are there are served', async () => {
    const service = await startService(
      { ROLES: 'api', TRUSTED_PROXIES: '10.0.0.0/8' },
      { httpLimits: { connectionsPerAddress: 5 } },
    );
    try {
      const connections = await open(service, 5);
      await eventually(async () => expect(await connectionsOf(service)).toBe(5));
      const [sixth] = await open(service, 1);
      expect(await sixth?.closed).toBe('');
      for (const { send, until } of connections) {
        send(HEALTH);
        await until(/^HTTP\/1\.1 200 /);
      }
      connections[0]?.destroy();
      await eventually(async () => {
        const [next] = await open(service, 1);
        next?.send(HEALTH);
        await next?.until(/^HTTP\/1\.1 200 /);
      });
    } finally {
      await service.close();
    }
  });

  test('from trusted proxies only by the number in all', async () => {
    const service = await startService({ ROLES: 'api' }, { httpLimits: { connectionsPerAddress: 5 } });
    try {
      for (const { send, until } of await open(service, 12)) {
        send(HEALTH);
        await until(/^HTTP\/1\.1 200 /);
      }
    } finally {
      await service.close();
    }
  });

  test('in all: a newcomer takes the place of the oldest connection without a request in progress', async () => {
    const service = await startService({ ROLES: 'api' }, { httpLimits: { connections: 10 } });
    try {
      const shop = await service.business();
      const [busy] = await open(service, 1);
      busy?.send(
        `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\nIdempotency-Key: slow\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${JSON.stringify(ORDER_UPDATE).length}\r\n\r\n`,
      );
      const idle = await open(service, 9);
      await eventually(async () => expect(await connectionsOf(service)).toBeGreaterThanOrEqual(10));
      for (const newcomer of await open(service, 5)) {
        newcomer.send(HEALTH);
        await newcomer.until(/^HTTP\/1\.1 200 /);
      }
      await Promise.any(idle.map(({ closed }) => closed));
      expect(await connectionsOf(service)).toBeLessThanOrEqual(10);
      busy?.send(JSON.stringify(ORDER_UPDATE));
      await busy?.until(/^HTTP\/1\.1 201 /);
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      expect(metrics).toMatch(/waypost_http_connections_refused_total\{limit="connections"\} [1-9]/);
    } finally {
      await service.close();
    }
  });
});
