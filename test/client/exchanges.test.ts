import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { receiverKey, selfSignedCertificate } from '../support/certificates.ts';
import { freePort } from '../support/freePort.ts';
import { startLoopbackServer } from '../support/loopback.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { answer, hang, OK, serverOf } from './answers.ts';
import { type Driver, type Outcome, startDriver } from './driver.ts';
import { drivenClients } from './languages.ts';

/** What the clients of other languages make of servers, over real connections. */
const PUSH = { recipient_email: 'ann@example.com', subject: 'Order #1001', body: 'It has shipped.' };
const API_KEY = 'way_live_0123456789abcdefghijklmnopqrstuvwxyz0123';

const drip: RequestListener = (_request, response) => {
  response.writeHead(200);
  const dripping = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(dripping));
};
const inParts: RequestListener = (_request, response) => {
  response.writeHead(200).write('{"bal');
  setTimeout(() => response.end('ance":1}'), 20);
};
const cut: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-length': '100' }).write('{"balance":1}');
  setTimeout(() => response.socket?.destroy(), 20);
};
const reset: RequestListener = (request) => void request.socket.resetAndDestroy();

for (const { language, kind, title } of drivenClients(shortOrLong(1, 2)))
  describe.skipIf(!language.isThere)(title, () => {
    let driver: Driver;
    beforeAll(() => {
      driver = startDriver(language);
    });
    afterAll(() => driver.close());

    const run = (base_url: string, method: string, args: unknown[], options = {}): Promise<Outcome> =>
      driver.run({ kind, base_url, api_key: API_KEY, method, args, options });
    const balance = (url: string, options = {}) => run(url, 'credits.get', [], options);

    test('an answer that comes in parts is read, and one that is cut off is asked for again', async () => {
      const { url, requests } = await serverOf(cut, inParts);
      expect(await balance(url)).toMatchObject({
        result: { balance: 1 },
        retries: ['credits.get 1 client.connection_failed'],
      });
      expect(requests).toHaveLength(2);
    });

    test('a redirect is not followed: the address is wrong, and no other gets the key', async () => {
      const elsewhere = await serverOf(OK);
      const { url, requests } = await serverOf(answer(302, '', { location: elsewhere.url }));
      const { error } = await balance(url);
      expect(error).toMatchObject({ name: 'UnexpectedAnswerError', status: 302, attempts: 1 });
      expect([requests.length, elsewhere.requests.length]).toEqual([1, 0]);
    });

    test.each([
      ['a page with 200', answer(200, '<html>Sign in</html>')],
      ['a page with 404', answer(404, 'Not found')],
    ])('%s is not of Waypost, and not asked for again', async (_what, page) => {
      const { url, requests } = await serverOf(page);
      expect((await balance(url)).error).toMatchObject({
        name: 'UnexpectedAnswerError',
        message: expect.stringContaining('the address of the service?'),
      });
      expect(requests).toHaveLength(1);
    });

    test.each([
      ['says nothing', hang],
      ['drips', drip],
    ])('a server that %s is out of time at the deadline, with one key', async (_what, slow) => {
      const { url, requests } = await serverOf(slow);
      const options = { deadline_seconds: 3, attempt_seconds: 1 };
      const { error } = await run(url, 'messages.push', [PUSH], options);
      expect(error).toMatchObject({ name: 'TimeoutError', code: 'client.timeout' });
      expect(error?.attempts).toBeGreaterThan(1);
      const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']));
      expect([...keys]).toEqual([error?.idempotency_key]);
    });

    test('the server says how long to wait', async () => {
      const { url } = await serverOf(answer(429, {}, { 'retry-after': '1' }), OK);
      const began = performance.now();
      expect(await balance(url)).toMatchObject({ result: { balance: 1 } });
      expect(performance.now() - began).toBeGreaterThan(1_000);
    });

    test('what the server could not recognise is sent again only if nothing was sent', async () => {
      const { url, requests } = await serverOf(reset);
      expect((await run(url, 'keys.create', [])).error).toMatchObject({ code: 'client.connection_failed' });
      expect(requests).toHaveLength(1);
      const nobody = `http://127.0.0.1:${await freePort()}`;
      const { error, retries } = await run(nobody, 'keys.create', [], { deadline_seconds: 1.5 });
      expect(error).toMatchObject({ code: 'client.connection_failed', status: null });
      expect(retries?.[0]).toBe('keys.create 1 client.connection_failed');
      expect(error?.printed).not.toContain(API_KEY);
    });

    test('a server that nobody vouches for gets nothing', async () => {
      const requests: string[] = [];
      const server = createServer(
        { key: receiverKey, cert: selfSignedCertificate },
        ({ url = '' }) => void requests.push(url),
      );
      const { port, connections } = await startLoopbackServer(server);
      const { error } = await balance(`https://localhost:${port}`, { max_retries: 0 });
      expect(error).toMatchObject({ name: 'ConnectionError', code: 'client.connection_failed' });
      expect([connections(), requests]).toEqual([1, []]);
    });
  });
