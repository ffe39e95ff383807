import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { signWebhook, type WaypostEvent } from '../../clients/typescript/src/index.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import { eventually } from '../support/waiting.ts';
import { clientOf } from './clientOf.ts';

type Handle = (event: WaypostEvent) => unknown;
type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;
type WebHandler = (request: Request) => Response | Promise<Response>;

/** The examples, as what listens to a port. Next.js and Hono take and give what the web has. */
const frameworks: Record<string, (secret: string, handle: Handle) => Promise<NodeHandler>> = {
  express: async (secret, handle) => {
    const { receiver }: { receiver(...args: [string, Handle]): NodeHandler } = await example('express');
    return receiver(secret, handle);
  },
  fastify: async (secret, handle) => {
    const { receiver } = await example<{
      receiver(...args: [string, Handle]): { ready(): Promise<void>; routing: NodeHandler };
    }>('fastify');
    const app = receiver(secret, handle);
    await app.ready();
    return (request, response) => app.routing(request, response);
  },
  next: async (secret, handle) => {
    const { receiver }: { receiver(...args: [string, Handle]): WebHandler } = await example('next');
    return onNode(receiver(secret, handle));
  },
  hono: async (secret, handle) => {
    const { receiver } = await example<{ receiver(...args: [string, Handle]): { fetch: WebHandler } }>(
      'hono',
    );
    return onNode(receiver(secret, handle).fetch);
  },
};

async function example<Module>(name: string): Promise<Module> {
  const module: Module = await import(`../../clients/typescript/examples/${name}.mjs`);
  return module;
}

const onNode =
  (handler: WebHandler): NodeHandler =>
  async (request, response) => {
    const init = {
      method: 'POST',
      headers: new Headers(Object(request.headers)),
      body: await buffer(request),
    };
    const answer = await handler(new Request(`http://localhost${request.url}`, init));
    response.writeHead(answer.status).end(await answer.text());
  };

let service: TestService;
let server: Server;
let hooks: string;
let handler: NodeHandler = (_request, response) => void response.writeHead(503).end();
beforeAll(async () => {
  server = createServer((request, response) => handler(request, response));
  const port = await listenOnFreePort(server);
  hooks = `http://127.0.0.1:${port}/hooks`;
  service = await startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
});
afterAll(async () => {
  server.close();
  await service.close();
});

describe.each(Object.entries(frameworks))('the receiver with %s', (_name, receiverWith) => {
  const handled: WaypostEvent[] = [];
  beforeEach(() => {
    // The examples print their own faults.
    vi.spyOn(console, 'error').mockImplementation(() => {});
    handled.length = 0;
  });

  test('gets each event once, also if it is delivered twice', async () => {
    const waypost = clientOf(await service.business());
    const endpoint = await waypost.webhookEndpoints.create({ url: hooks });
    handler = await receiverWith(endpoint.secret, (event) => void handled.push(event));
    const { id } = await waypost.messages.push({
      recipient_email: 'ann@example.com',
      subject: 'Õie order 🎁',
      body: 'It has shipped.',
    });
    await eventually(async () => expect(handled.map(({ type }) => type)).toEqual(['message.delivered']));
    expect(handled[0]).toMatchObject({ data: { message_id: id, subject: 'Õie order 🎁' } });
    const untilAnswered = (...statuses: number[]) =>
      eventually(async () => {
        const { value } = await waypost.webhookEndpoints.deliveries(endpoint.id).pages().next();
        expect(value?.items[0]?.attempts.map(({ status_code }) => status_code)).toEqual(statuses);
      });
    await untilAnswered(204);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(await waypost.webhookEndpoints.replay(endpoint.id, { since, only: 'all' })).toEqual({ queued: 1 });
    await untilAnswered(204, 204);
    expect(handled).toHaveLength(1);
    await waypost.webhookEndpoints.delete(endpoint.id);
  });

  test('refuses what is not signed with its secret, and says why', async () => {
    const body = JSON.stringify({ id: 'e1', type: 'ping', occurred_at: '2026-08-20T09:15:00Z', data: {} });
    handler = await receiverWith('whsec_one', (event) => void handled.push(event));
    const post = async (headers: Record<string, string>) => {
      const answer = await fetch(hooks, { method: 'POST', headers, body });
      return `${answer.status} ${await answer.text()}`;
    };
    expect(await post({ 'content-type': 'application/json' })).toMatch(
      /^400 The header X-Service-Signature is/,
    );
    expect(await post(await signWebhook(body, 'whsec_two'))).toMatch(/^400 The signature does not fit/);
    expect(handled).toEqual([]);
    expect(await post(await signWebhook(body, 'whsec_one'))).toBe('204 ');
    expect(handled.map(({ id }) => id)).toEqual(['e1']);
  });

  test('answers 500 when the event is genuine and its own work fails, and takes it when it comes again', async () => {
    const body = JSON.stringify({ id: 'e2', type: 'ping', occurred_at: '2026-08-20T09:15:00Z', data: {} });
    let isDown = true;
    handler = await receiverWith('whsec_one', async (event) => {
      if (isDown) throw new Error('the database of ann@example.com is down');
      handled.push(event);
    });
    const post = async () => {
      const answer = await fetch(hooks, {
        method: 'POST',
        headers: await signWebhook(body, 'whsec_one'),
        body,
      });
      return [answer.status, await answer.text()];
    };
    const [status, text] = await post();
    expect(status).toBe(500);
    expect(text).not.toContain('ann@');
    isDown = false;
    expect(await post()).toEqual([204, '']);
    expect(handled.map(({ id }) => id)).toEqual(['e2']);
  });

  test('answers 500, and not that a request is forged, when its secret is not set', async () => {
    const missing: string = Object({}).secret;
    handler = await receiverWith(missing, () => {});
    const headers = await signWebhook('{"id":"e3","type":"ping"}', 'whsec_one');
    expect((await fetch(hooks, { method: 'POST', headers, body: '{"id":"e3","type":"ping"}' })).status).toBe(
      500,
    );
  });
});

test('each example is about fifteen lines', () => {
  for (const name of Object.keys(frameworks)) {
    const path = new URL(`../../clients/typescript/examples/${name}.mjs`, import.meta.url);
    const lines = readFileSync(path, 'utf8').split('\n');
    const code = lines.filter((line) => !/^\s*(\/|\}|$|import )/.test(line));
    expect(code.length, name).toBeLessThanOrEqual(15);
  }
});
