import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BATCH_BODY_MAX } from '../../src/config/limits.ts';
import { pauseBeforeCommit, untilPaused } from '../support/databaseLocks.ts';
import { openRawConnection, type RawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import { ORDER_UPDATE, type Shop, statusAndCode } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

const SOCKETS = 64;

async function metricOf(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

/** The bytes of bodies and answers that the service holds, according to its own metrics. */
const heldBytes = (url: string): Promise<number> => metricOf(url, 'waypost_http_held_bytes');

async function statusesOf(connections: readonly RawConnection[]): Promise<string[]> {
  return Promise.all(connections.map(async ({ until }) => (await until(/^HTTP\/1\.1 \d{3} /)).slice(9, 12)));
}

async function moreKeys(shop: Shop, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { key }: { key: string } = JSON.parse((await shop.call('POST', '/api/v1/keys')).text);
    keys.push(key);
  }
  return keys;
}

const head = (key: string, framing: string, path = '/api/v1/messages/batch'): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: slow\r\n` +
  `Content-Type: application/json\r\n${framing}\r\n\r\n`;

describe('slow bodies of one shop', () => {
  let service: TestService;
  let hostile: Shop;
  let other: Shop;
  beforeAll(async () => {
    service = await startService({ ROLES: 'api' });
    [hostile, other] = [await service.business(), await service.business()];
    // The process knows the key, so what is slow counts as the shop's from the start.
    await hostile.pushed();
  });
  afterAll(() => service.close());

  test.each([
    ['announced and never sent', `Content-Length: ${BATCH_BODY_MAX}`, '{"items": [ '],
    ['in chunks that never end', 'Transfer-Encoding: chunked', 'c\r\n{"items": [ \r\n'],
  ])(`${SOCKETS} of them, %s, are not felt by another shop`, async (_, framing, part) => {
    const keys = [hostile.apiKey, ...(await moreKeys(hostile, 3))];
    const connections = await Promise.all(
      Array.from({ length: SOCKETS }, () => openRawConnection(service.url)),
    );
    for (const [n, { send }] of connections.entries())
      send(head(keys[n % keys.length] ?? '', framing) + part);
    await eventually(async () => expect(await heldBytes(service.url)).toBeGreaterThanOrEqual(SOCKETS * 12));
    expect(await heldBytes(service.url)).toBeLessThan(SOCKETS * 100);
    for (let n = 0; n < 5; n += 1) expect(statusAndCode(await other.push())).toBe('201');
    expect(statusAndCode(await other.batch([{}, {}]))).toBe('200');
    expect(statusAndCode(await hostile.push())).toBe('201');
    for (const { end } of connections) end();
    await eventually(async () => expect(await heldBytes(service.url)).toBe(0));
  });
});

describe('what one shop may take of a small process', () => {
  const REQUESTS = 40;
  const BODY_BYTES = 4 * 1024 * 1024;
  let service: TestService;
  let hostile: Shop;
  let other: Shop;
  beforeAll(async () => {
    service = await startService(
      { ROLES: 'api' },
      { httpLimits: { requests: REQUESTS, bodyBytes: BODY_BYTES, lingerMs: 100 } },
    );
    [hostile, other] = [await service.business(), await service.business()];
    await hostile.pushed();
    await other.pushed();
  });
  afterAll(() => service.close());
  let connections: RawConnection[] = [];
  afterEach(async () => {
    for (const { end } of connections) end();
    await eventually(async () => expect(await heldBytes(service.url)).toBe(0));
    await eventually(async () => expect(statusAndCode(await hostile.push())).toBe('201'));
  });

  test('half of the requests, whatever the number of its keys: further ones are a 503 for it alone', async () => {
    const keys = [hostile.apiKey, ...(await moreKeys(hostile, 3))];
    for (const key of keys) await hostile.with(key).push();
    connections = await Promise.all(
      Array.from({ length: REQUESTS / 2 }, () => openRawConnection(service.url)),
    );
    for (const [n, { send }] of connections.entries())
      send(`${head(keys[n % keys.length] ?? '', 'Content-Length: 1000')} `);
    await eventually(async () => expect(await heldBytes(service.url)).toBe(REQUESTS / 2));
    for (const key of keys)
      expect(statusAndCode(await hostile.with(key).push())).toBe('503 common.unavailable');
    const answers = await Promise.all(Array.from({ length: 5 }, () => other.push()));
    expect(answers.map(statusAndCode)).toEqual(Array.from(answers, () => '201'));
  });

  test('half of the bytes: its bodies in chunks are refused as they arrive, and another shop’s are not', async () => {
    const chunk = `${(512 * 1024).toString(16)}\r\n${' '.repeat(512 * 1024)}\r\n`;
    connections = await Promise.all(Array.from({ length: 12 }, () => openRawConnection(service.url)));
    for (const { send } of connections) send(head(hostile.apiKey, 'Transfer-Encoding: chunked') + chunk);
    await Promise.any(connections.map(({ until }) => until(/^HTTP\/1\.1 503 .*retry-after: 1\r\n/is)));
    expect(await heldBytes(service.url)).toBeLessThanOrEqual(BODY_BYTES / 2);
    expect(statusAndCode(await other.push({ body: 'x'.repeat(10_000) }))).toBe('201');
  });

  test('bodies in single bytes take no more memory than they count', async () => {
    const bytes = 200_000;
    const content = JSON.stringify({ items: [] }).padEnd(bytes, ' ');
    const connection = await openRawConnection(service.url);
    connections = [connection];
    connection.send(
      head(hostile.apiKey, 'Transfer-Encoding: chunked') +
        [...content].map((character) => `1\r\n${character}\r\n`).join(''),
    );
    await eventually(async () => expect(await heldBytes(service.url)).toBe(bytes));
    connection.send('0\r\n\r\n');
    expect(await statusesOf([connection])).toEqual(['422']);
  });

  test('what callers left behind counts until it is done', async () => {
    const hold = await pauseBeforeCommit(service.pool);
    const content = JSON.stringify(ORDER_UPDATE);
    connections = await Promise.all(
      Array.from({ length: REQUESTS / 2 }, () => openRawConnection(service.url)),
    );
    const whole = head(hostile.apiKey, `Content-Length: ${content.length}`, '/api/v1/messages') + content;
    for (const [n, { send }] of connections.entries())
      send(whole.replace('Key: slow', `Key: left behind ${n}`));
    await eventually(async () => expect(await heldBytes(service.url)).toBe((REQUESTS / 2) * content.length));
    for (const { destroy } of connections) destroy();
    await eventually(async () =>
      expect(await metricOf(service.url, 'waypost_http_connections')).toBeLessThan(10),
    );
    expect(statusAndCode(await hostile.get('/api/v1/credits'))).toBe('503 common.unavailable');
    expect(statusAndCode(await other.get('/api/v1/credits'))).toBe('200');
    await hold.release();
  });

  test('requests behind another one on a connection are over when the caller goes', async () => {
    const hold = await pauseBeforeCommit(service.pool);
    const content = JSON.stringify(ORDER_UPDATE);
    const read = `GET /api/v1/credits HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hostile.apiKey}\r\n\r\n`;
    const pipelining = await openRawConnection(service.url);
    pipelining.send(
      head(hostile.apiKey, `Content-Length: ${content.length}`, '/api/v1/messages') +
        content +
        read.repeat(15),
    );
    await untilPaused(service.pool);
    pipelining.destroy();
    await pipelining.closed;
    await hold.release();
    // The push itself counts until it is done.
    await eventually(async () => expect(await heldBytes(service.url)).toBe(0));

    connections = await Promise.all(
      Array.from({ length: REQUESTS / 2 }, () => openRawConnection(service.url)),
    );
    for (const { send } of connections) send(`${head(hostile.apiKey, 'Content-Length: 1000')} `);
    await eventually(async () => expect(await heldBytes(service.url)).toBe(REQUESTS / 2));
  });
});

test('a key that was revoked soon takes nothing of its business any more', async () => {
  const service = await startService({ ROLES: 'api' });
  try {
    const shop = await service.business();
    const [leaked = ''] = await moreKeys(shop, 1);
    await shop.with(leaked).pushed();
    const { items }: { items: { id: string }[] } = JSON.parse((await shop.get('/api/v1/keys')).text);
    expect((await shop.delete(`/api/v1/keys/${items[0]?.id}`)).status).toBe(204);
    // Never completed, so no operation ever asks whether the key still counts.
    await eventually(async () => {
      const connection = await openRawConnection(service.url);
      connection.send(`${head(leaked, 'Content-Length: 1000')} `);
      const status = await Promise.race([statusesOf([connection]), later(1_000)]);
      connection.destroy();
      expect(status).toEqual(['401']);
    });
    expect(statusAndCode(await shop.push())).toBe('201');
  } finally {
    await service.close();
  }
});

const later = (ms: number): Promise<string[]> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms, ['no answer']);
  });
