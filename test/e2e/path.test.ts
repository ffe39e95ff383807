import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { openBrowser, type TestBrowser, browserTest as test } from '../support/browser.ts';
import { startLoopbackServer } from '../support/loopback.ts';
import { startService } from '../support/service.ts';
import { verify } from '../support/verifySignature.ts';
import { eventually } from '../support/waiting.ts';

/** The whole way of one update: push, store, nudge, capture, link, inbox, opened, webhook. */
let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A merchant's server that takes whatever it is told. */
async function hooks(): Promise<{ port: number; received: Received[] }> {
  const received: Received[] = [];
  const { port } = await startLoopbackServer(
    createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        received.push({ headers: request.headers, body });
        response.writeHead(204).end();
      });
    }),
  );
  return { port, received };
}

test('an update reaches a person’s inbox, and the merchant hears that they opened it', async () => {
  const { port, received } = await hooks();
  const service = await startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
  onTestFinished(() => service.close());
  const shop = await service.business({ name: 'Acme Books' });
  const endpoint = await shop.call('POST', '/api/v1/webhook-endpoints', {
    body: { url: `http://127.0.0.1:${port}/hooks` },
  });
  expect(endpoint.status).toBe(201);
  const { secret } = Object(endpoint.body);

  const pushed = await shop.push({
    body: 'It left our warehouse this morning. Track: https://carrier.example/1001',
  });
  expect(pushed.status).toBe(201);
  const { id } = Object(pushed.body);
  const nudge = await eventually(async () => {
    const { rows } = await service.pool.query('select * from sandbox_messages where message_id = $1', [id]);
    expect(rows).toHaveLength(1);
    return rows[0];
  });
  expect(nudge).toMatchObject({
    channel: 'email',
    recipient: 'ann@example.com',
    subject: 'Your order #1001 has shipped',
  });
  const link = /https?:\/\/\S+\/i\/\S+/.exec(nudge.text)?.[0] ?? '';

  const person = await browser.newProfile();
  const page = await person.newPage();
  await page.goto(link);
  await page.waitForURL(/\/inbox/);
  await page.getByText('It left our warehouse this morning.').waitFor();
  expect(page.url()).not.toContain(link.split('/').at(-1));

  const opened = await eventually(async () => {
    const found = received.find(({ headers }) => headers['x-service-event'] === 'message.opened');
    if (!found) throw new Error('no message.opened yet');
    return found;
  });
  const envelope = JSON.parse(opened.body);
  expect(Object.keys(envelope)).toEqual(['data', 'id', 'occurred_at', 'type']);
  expect(envelope).toMatchObject({
    type: 'message.opened',
    data: { message_id: id, recipient_email: 'ann@example.com' },
  });
  expect(opened.headers['x-service-delivery']).toBe(envelope.id);
  const signature = String(opened.headers['x-service-signature']);
  const sentAt = Number(/^t=(\d+)/.exec(signature)?.[1]);
  expect(verify(secret, signature, opened.body, sentAt)).toBe(true);
  expect(verify(secret, signature, `${opened.body} `, sentAt)).toBe(false);

  await eventually(async () =>
    expect((await shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({
      delivery: { opened: true, delivered: true },
    }),
  );
  await eventually(() => {
    const told = received.map(({ headers }) => headers['x-service-event']).sort();
    expect(told).toEqual(['message.delivered', 'message.opened']);
  });
});
