import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { listen } from '../../clients/typescript/src/cli/listen.ts';
import { type ListenOptions, readListenOptions } from '../../clients/typescript/src/cli/options.ts';
import { verifyWebhook, type WaypostEvent } from '../../clients/typescript/src/index.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

let service: TestService;
let hooks: string;
/** The developer's own receiver: it verifies with the secret that was printed. */
let secret = '';
let status = 204;
let prefix = 'X-Service-';
let received: { event: WaypostEvent; body: string }[] = [];
const receiver = createServer(async (request, response) => {
  const body = await text(request);
  const event = await verifyWebhook(body, request.headers, secret, { headerPrefix: prefix });
  received.push({ event, body });
  response.writeHead(status).end();
});
beforeAll(async () => {
  service = await startService();
  hooks = `http://127.0.0.1:${await listenOnFreePort(receiver)}/hooks`;
});
afterAll(async () => {
  receiver.close();
  await service.close();
});

let printed: string[] = [];
let running: AbortController;
let ended: Promise<unknown>;
beforeEach(() => {
  printed = [];
  received = [];
  status = 204;
  running = new AbortController();
  ended = Promise.resolve();
});
afterEach(async () => {
  running.abort();
  await ended;
});

/** Starts it as the command line would, and waits until it follows. */
async function start(shop: Shop, args: string[] = [], forwardTo = hooks): Promise<void> {
  const env = { WAYPOST_API_KEY: shop.apiKey, WAYPOST_BASE_URL: shop.url };
  const options: ListenOptions | null = readListenOptions(
    ['listen', '--forward-to', forwardTo, ...args],
    env,
  );
  if (options === null) throw new Error('it would show the help');
  const print = (line: string): void => {
    secret = /the secret (whsec_\w+)$/.exec(line)?.[1] ?? secret;
    printed.push(line);
  };
  ended = listen(options, print, running.signal).catch((error: unknown) => error);
  await eventually(async () => expect(printed.at(-1)).toBe('Waiting for events. Ctrl-C stops.'));
}

const happen = async (shop: Shop, recipient_email: string): Promise<void> => {
  await shop.pushed({ recipient_email });
  await service.advance({ seconds: 3 });
};
const types = (): string[] => received.map(({ event }) => event.type);

test('each event is posted to the developer’s machine, signed with the secret that was printed', async () => {
  const shop = await service.business();
  await happen(shop, 'before@example.com');
  await start(shop);
  expect(secret).toMatch(/^whsec_[0-9a-z]{40}$/);
  await happen(shop, 'bounce@example.com');
  await eventually(async () => expect(types()).toEqual(['message.bounced']));
  const { items } = Object((await shop.get('/api/v1/events?types=message.bounced')).body);
  expect(received[0]?.body).toBe(JSON.stringify(items[0]));
  await eventually(async () =>
    expect(printed.at(-1)).toMatch(/^\d\d:\d\d:\d\d {2}message\.bounced +\w+ {2}204 {2}\d+ ms$/),
  );
});

test('nothing that it prints names a person, an API key or a text', async () => {
  const shop = await service.business();
  await happen(shop, 'before@example.com');
  await start(shop, ['--replay-last', '5']);
  expect(printed.join('\n')).not.toMatch(/@|way_live_|warehouse/);
});

test('the last events come first, only of the types that were asked for', async () => {
  const shop = await service.business();
  for (const person of ['one', 'bounce+1', 'two', 'bounce+2', 'three', 'bounce+3'])
    await happen(shop, `${person}@example.com`);
  await start(shop, ['--replay-last', '2', '--types', 'message.bounced']);
  expect(types()).toEqual(['message.bounced', 'message.bounced']);
  expect(received.map(({ event }) => Object(event.data).recipient_email)).toEqual([
    'bounce+2@example.com',
    'bounce+3@example.com',
  ]);
  await happen(shop, 'four@example.com');
  await happen(shop, 'bounce+4@example.com');
  await eventually(async () => expect(received).toHaveLength(3));
  expect(types()[2]).toBe('message.bounced');
});

test('a receiver that fails or is not there is shown, and the next event comes anyway', async () => {
  const shop = await service.business();
  await start(shop);
  status = 500;
  await happen(shop, 'ann@example.com');
  await eventually(async () => expect(printed.at(-1)).toMatch(/ 500 {2}\d+ ms$/));
  running.abort();
  await ended;
  running = new AbortController();
  printed = [];
  const closed = createServer();
  const port = await listenOnFreePort(closed);
  await new Promise((resolve) => closed.close(resolve));
  await start(shop, [], `http://127.0.0.1:${port}/hooks`);
  await happen(shop, 'bob@example.com');
  await eventually(async () => expect(printed.at(-1)).toMatch(/ ECONNREFUSED {2}\d+ ms$/));
});

test('headers have another prefix, and the secret is a given one, where that is asked for', async () => {
  const shop = await service.business();
  prefix = 'X-Acme-';
  await start(shop, ['--header-prefix', 'X-Acme-', '--secret', 'whsec_mine']);
  expect(secret).toBe('whsec_mine');
  await happen(shop, 'ann@example.com');
  await eventually(async () => expect(types()).toEqual(['message.delivered']));
  prefix = 'X-Service-';
});

test('a wrong key ends it with the reason', async () => {
  const shop = await service.business();
  const wrong = { ...shop, url: shop.url, apiKey: `${shop.apiKey}x` };
  const env = { WAYPOST_API_KEY: wrong.apiKey, WAYPOST_BASE_URL: wrong.url };
  const options = readListenOptions(['listen', '--forward-to', hooks], env);
  if (options === null) throw new Error('it would show the help');
  await expect(listen(options, () => {}, running.signal)).rejects.toThrow('401 business.invalid_api_key');
});
