import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { canary, startLoopbackServer } from '../../test/support/loopback.ts';
import { httpReceiver, pauseFor, poster, repeat, tcpReceiver } from '../../test/support/receivers.ts';
import { verify } from '../../test/support/verifySignature.ts';
import { createGuardedClient, MAX_ANSWER_HEADER_BYTES } from './guardedClient.ts';
import { MAX_BODY_LEFT_BYTES, MAX_BODY_LEFT_MS, postWebhook } from './post.ts';
import { createAllowList } from './publicAddress.ts';
import { responseParts } from './responseText.ts';
import { signedWebhookHeaders, signingKeys } from './signature.ts';

/** Long enough for a loaded machine to answer, short enough to wait for. */
const SHORT_MS = 400;
const OK = 'HTTP/1.1 200 OK\r\n';
const INTERIM = 'HTTP/1.1 103 Early Hints\r\n\r\n';
const CLOSED = 'the connection was closed before an answer';

describe('a delivery', () => {
  test('arrives as a POST with the very bytes and headers that were signed', async () => {
    const seen: { request: IncomingMessage; body: string }[] = [];
    const receiver = await httpReceiver(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(Buffer.from(chunk));
      seen.push({ request, body: Buffer.concat(chunks).toString() });
      response.end();
    });
    const rawBody = '{"data":{"reference":"Õie 🎁"},"id":"e1","type":"ping"}';
    const secret = 'whsec_0123456789abcdefghijklmnopqrstuvwxyz0123';
    const headers = signedWebhookHeaders({
      keys: signingKeys(secret),
      eventId: 'e1',
      eventType: 'ping',
      unixSeconds: 1_700_000_000,
      rawBody,
    });
    const answer = await receiver.post({ path: '/hooks?shop=1', headers, body: rawBody });

    expect(answer).toMatchObject({ delivered: true, statusCode: 200, error: null });
    expect(seen.map(({ request }) => [request.method, request.url])).toEqual([['POST', '/hooks?shop=1']]);
    const [arrived] = seen;
    if (!arrived) throw new Error('nothing arrived');
    expect(arrived.body).toBe(rawBody);
    expect(arrived.request.headers).toMatchObject({ ...headers, 'content-type': 'application/json' });
    const signature = String(arrived.request.headers['x-service-signature']);
    expect(verify(secret, signature, arrived.body, 1_700_000_100)).toBe(true);
  });

  test.each([200, 201, 202, 204, 299])('is a success when %i comes back', async (statusCode) => {
    const receiver = await httpReceiver((_, response) => response.writeHead(statusCode).end());
    expect(await receiver.post()).toMatchObject({ delivered: true, statusCode, error: null });
  });

  test.each([304, 400, 401, 404, 410, 429, 500, 503])(
    'is a failure when %i comes back',
    async (statusCode) => {
      const receiver = await httpReceiver((_, response) => response.writeHead(statusCode).end());
      expect(await receiver.post()).toMatchObject({
        delivered: false,
        statusCode,
        error: `answered ${statusCode}`,
      });
    },
  );

  test.each([301, 302, 303, 307, 308])(
    'is a failure on a redirect, %i, which is not followed',
    async (statusCode) => {
      const trap = await canary();
      const location = `http://127.0.0.1:${trap.port}/`;
      const redirect: RequestListener = (_, response) => response.writeHead(statusCode, { location }).end();
      const receiver = await httpReceiver(redirect, [trap.port]);
      const error = `answered ${statusCode} (redirects are not followed)`;
      expect(await receiver.post()).toMatchObject({ delivered: false, statusCode, error });
      await sleep(50);
      expect(trap.connections()).toBe(0);
    },
  );

  test('may be answered slowly, and says how long it took', async () => {
    const receiver = await httpReceiver((_, response) => setTimeout(() => response.end(), 150));
    const answer = await receiver.post({ timeoutMs: 5_000 });
    expect(answer.delivered).toBe(true);
    expect(answer.durationMs).toBeGreaterThanOrEqual(140);
    expect(answer.durationMs).toBeLessThan(5_000);
    expect(Number.isInteger(answer.durationMs)).toBe(true);
  });

  test('has 10 seconds when nothing else is said', async () => {
    let written = () => {};
    const requestWritten = new Promise<void>((done) => {
      written = done;
    });
    const receiver = await tcpReceiver((socket) => socket.once('data', written));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    let error: string | null = 'still waiting';
    const done = receiver.post({ timeoutMs: null }).then((answer) => {
      error = answer.error;
    });
    await requestWritten;
    await vi.advanceTimersByTimeAsync(9_999);
    expect(error).toBe('still waiting');
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect(error).toBe('timed out after 10 s');
  });
});

describe('a delivery ends on time, whatever is slow', () => {
  const slow: [string, (socket: Socket) => void][] = [
    ['nothing is answered', () => {}],
    ['a header comes letter by letter', (socket) => repeat(socket, `${OK}x-slow: `, 'a', 20)],
    ['header after header comes', (socket) => repeat(socket, OK, 'x-more: 1\r\n', 20)],
    ['one interim answer follows another', (socket) => repeat(socket, INTERIM, INTERIM, 20)],
    ['the request is not read until much later', (socket) => pauseFor(socket, SHORT_MS + 200)],
  ];
  test.each(slow)('%s', async (_, behave) => {
    const receiver = await tcpReceiver(behave);
    const answer = await receiver.post({ timeoutMs: SHORT_MS, body: 'x'.repeat(8 * 1024 * 1024) });
    expect(answer).toMatchObject({ delivered: false, statusCode: null, error: 'timed out after 0.4 s' });
    expect(answer.durationMs).toBeGreaterThanOrEqual(SHORT_MS - 10);
    expect(answer.durationMs).toBeLessThan(SHORT_MS + 2_000);
    await vi.waitFor(() => expect(receiver.open()).toBe(0), 3_000);
  });

  test('the TLS handshake hangs', async () => {
    const receiver = await tcpReceiver(() => {});
    const answer = await receiver.post({ scheme: 'https', timeoutMs: SHORT_MS });
    expect(answer.error).toBe('timed out after 0.4 s');
  });
});

describe('a receiver that breaks off', () => {
  const broken: [string, (socket: Socket) => void, string][] = [
    ['resets', (socket) => socket.once('data', () => socket.resetAndDestroy()), CLOSED],
    ['closes without a word', (socket) => socket.once('data', () => socket.end()), CLOSED],
    ['closes in the middle of its headers', (socket) => socket.end(`${OK}x-a: `), CLOSED],
    [
      'speaks another protocol',
      (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
      'the answer is not valid HTTP',
    ],
    [
      'sends headers without end',
      (socket) => repeat(socket, OK, `x-more: ${'a'.repeat(1_000)}\r\n`, 1),
      'the answer’s headers are too large',
    ],
    [
      'sends one huge header',
      (socket) => socket.write(`${OK}x-huge: ${'a'.repeat(MAX_ANSWER_HEADER_BYTES)}\r\n\r\n`),
      'the answer’s headers are too large',
    ],
  ];
  test.each(broken)('%s: the delivery failed, and says why', async (_, behave, error) => {
    const receiver = await tcpReceiver(behave);
    expect(await receiver.post()).toMatchObject({ delivered: false, statusCode: null, error });
    await vi.waitFor(() => expect(receiver.open()).toBe(0), 3_000);
  });

  test('is not there at all: connection refused', async () => {
    const gone = createTcpServer();
    const { port } = await startLoopbackServer(gone);
    await new Promise((closed) => gone.close(closed));
    expect(await poster([port])()).toMatchObject({
      delivered: false,
      statusCode: null,
      error: 'connection refused',
    });
  });

  test('has no TLS where HTTPS was asked for', async () => {
    const receiver = await httpReceiver((_, response) => response.end());
    expect((await receiver.post({ scheme: 'https' })).error).toBe('TLS: the handshake failed');
  });

  test('a URL nobody can call is a failure like any other, not an exception', async () => {
    const client = createGuardedClient({
      resolve: () => Promise.resolve([]),
      allowHosts: createAllowList([]),
    });
    onTestFinished(() => client.destroy());
    const results = await Promise.all(
      ['', 'no url', 'https://shop.example/'].map((url) =>
        postWebhook(client, { url, headers: {}, body: '{}' }),
      ),
    );
    expect(results.map((result) => result.error)).toEqual([
      'the request failed',
      'the request failed',
      'the host does not resolve to a public address',
    ]);
  });
});

describe('what the endpoint said', () => {
  const said: [string, RequestListener, string | null][] = [
    [
      'a refusal with its body',
      (_, response) => response.writeHead(500).end('No table “orders”'),
      'No table “orders”',
    ],
    ['a refusal without one', (_, response) => response.writeHead(500).end(), ''],
    ['a success with a body', (_, response) => response.end('ok'), 'ok'],
    ['nothing beside a success', (_, response) => response.writeHead(204).end(), null],
    [
      'a body that follows its status',
      (_, response) => {
        response.writeHead(500).flushHeaders();
        setTimeout(() => response.end('later'), 30);
      },
      'later',
    ],
    [
      'a body that breaks off',
      (_, response) => {
        response.writeHead(500, { 'content-length': 100 }).write('half');
        setTimeout(() => response.destroy(), 20);
      },
      'half',
    ],
    [
      'the first 2 KB of 10 MB',
      (_, response) => response.writeHead(500).end('x'.repeat(10_000_000)),
      'x'.repeat(2_048),
    ],
    [
      'NUL, and bytes that are no text',
      (_, response) => response.writeHead(500).end(Buffer.from([0, 97, 255])),
      'a\ufffd',
    ],
    [
      'a script',
      (_, response) => response.writeHead(500).end('<script>alert(1)</script>'),
      '<script>alert(1)</script>',
    ],
  ];
  test.each(said)('is kept: %s', async (_, behave, body) => {
    const receiver = await httpReceiver(behave);
    const { response } = await receiver.post();
    expect(response && responseParts(response).body).toBe(body);
    await vi.waitFor(() => expect(receiver.open()).toBeLessThanOrEqual(1), 3_000);
  });

  test('comes with its headers, and none of its secrets', async () => {
    const headers = { 'x-powered-by': 'PHP', 'set-cookie': ['a=hunter2', 'b=hunter3'] };
    const receiver = await httpReceiver((_, response) => response.writeHead(403, headers).end('Who?'));
    const { response } = await receiver.post();
    expect(response).toMatch(/^x-powered-by: PHP\nset-cookie: \(left out\)\nset-cookie: \(left out\)\n/);
    expect(response).not.toContain('hunter');
  });

  test('does not change what its status decided, nor how long that took', async () => {
    const receiver = await httpReceiver(
      (_, response) => void response.writeHead(500).write('and then nothing'),
    );
    const answer = await receiver.post();
    expect(answer).toMatchObject({ statusCode: 500, error: 'answered 500' });
    expect(answer.durationMs).toBeLessThan(400);
    expect(answer.response).toContain('and then nothing');
  });
});

describe('the answer’s body decides nothing', () => {
  test('a small one is let run out, and the connection serves the next delivery', async () => {
    const receiver = await httpReceiver((_, response) => response.end('ok'.repeat(100)));
    for (let delivery = 0; delivery < 3; delivery += 1) {
      expect((await receiver.post()).delivered).toBe(true);
      await sleep(50);
    }
    expect(receiver.connections()).toBe(1);
  });

  /** With the time after which the connection must be gone: at once where size alone decides. */
  const costly: [string, RequestListener, number][] = [
    [
      'announced as huge',
      (_, response) => void response.writeHead(200, { 'content-length': 1_000_000_000 }).write('a'),
      MAX_BODY_LEFT_MS - 100,
    ],
    [
      'endless',
      (_, response) => {
        response.writeHead(200);
        const more = () => {
          while (!response.destroyed && response.write('a'.repeat(MAX_BODY_LEFT_BYTES))) {}
        };
        response.on('drain', more);
        more();
      },
      MAX_BODY_LEFT_MS - 100,
    ],
    [
      'begun and never ended',
      (_, response) => void response.writeHead(200).write('a'),
      MAX_BODY_LEFT_MS + 3_000,
    ],
  ];
  test.each(costly)(
    'one that is %s counts at once as delivered, and soon loses its connection',
    async (_, behave, goneAfterMs) => {
      const receiver = await httpReceiver(behave);
      const answer = await receiver.post();
      expect(answer).toMatchObject({ delivered: true, statusCode: 200, error: null });
      expect(answer.durationMs).toBeLessThan(MAX_BODY_LEFT_MS);
      await vi.waitFor(() => expect(receiver.open()).toBe(0), goneAfterMs);
    },
  );
});
