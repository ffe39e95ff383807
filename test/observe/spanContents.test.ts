import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { startTraceCollector, type TraceCollector } from '../support/traceCollector.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhookReceiver.ts';

/*
 * A busy service whose callers put secrets wherever they can. Spans leave the company: nothing of it may be in any byte that is
 * exported.
 */

let collector: TraceCollector;
let receiver: WebhookReceiver;
let service: TestService;
let shop: Shop;
/** What must not be exported, by what it is. */
const secrets: Record<string, string> = {
  address: 'canary.person@secret-mail.example',
  'part of the address': 'canary.person',
  number: '37255512345',
  subject: 'Canary subject',
  body: 'Canary body',
  'order reference': 'CANARY-REF-77',
  'idempotency key': 'canary-idempotency-key',
  'path of the endpoint': '/canary-hook-path',
  'description of the endpoint': 'Canary description',
  'unknown path': 'canary-unknown-path',
  'query of a page': 'canary-query',
  'request id': 'canary-request-id',
  'trace state': 'canary=state',
  'key name': 'Canary key name',
};

beforeAll(async () => {
  collector = await startTraceCollector();
  receiver = await startWebhookReceiver(secrets['path of the endpoint']);
  service = await startService({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    WEBHOOK_ALLOW_HOSTS: receiver.host,
  });
  shop = await service.business({ credits: 100 });
  secrets['API key'] = shop.apiKey;
  secrets['host of the endpoint'] = receiver.host;
});
afterAll(() => {
  collector.close();
  receiver.close();
});

const hostile = (change: Record<string, unknown> = {}, n = 0) =>
  shop.call('POST', '/api/v1/messages', {
    body: {
      recipient_email: secrets.address,
      recipient_phone: `+${secrets.number}`,
      subject: `${secrets.subject} ${n}`,
      body: secrets.body,
      reference: secrets['order reference'],
      channels: ['email', 'sms'],
      ...change,
    },
    idempotencyKey: `${secrets['idempotency key']}${n}`,
    headers: {
      'x-request-id': secrets['request id'] ?? '',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      tracestate: secrets['trace state'] ?? '',
      baggage: `who=${secrets.address}`,
    },
  });

test('no exported byte holds an address, a number, a text, a key, a link or a URL', async () => {
  const made = await shop.call('POST', '/api/v1/webhook-endpoints', {
    body: { url: receiver.url, description: secrets['description of the endpoint'] },
  });
  const { id: endpointId, secret } = Object(made.body);
  secrets['webhook secret'] = secret;
  await shop.post(`/api/v1/webhook-endpoints/${endpointId}/test`);

  const first = await hostile();
  expect(first.status).toBe(201);
  const { id } = Object(first.body);
  await hostile({ recipient_email: `bounce+${secrets.address}` }, 1);
  await hostile({ recipient_email: `refuse+${secrets.address}` }, 2);
  await hostile({ recipient_email: `down+${secrets.address}`, subject: 7 }, 3);
  await hostile({ recipient_phone: '+37255519003' }, 4);
  // Stopped by a gate just before its call.
  await hostile({ send_at: new Date(Date.now() + 3_600_000).toISOString(), channels: ['email'] }, 5);
  await eventually(async () => expect((await capturedMessages(service.url)).length).toBeGreaterThan(3));
  const captured = await capturedMessages(service.url);
  const [link = ''] =
    /http\S+\/i\/\S+/.exec(captured.find(({ text }) => text.includes('/i/'))?.text ?? '') ?? [];
  secrets.link = new URL(link).pathname.split('/').at(-1) ?? '';
  expect(secrets.link.length).toBeGreaterThan(15);
  await fetch(link);
  // What is due goes out first: the pause is for the one that is sent later.
  await service.advance({ seconds: 5 });
  await service.change(shop, { paused: true });
  await service.advance({ hours: 2 });

  await shop.get(`/api/v1/messages/${id}`);
  await shop.get(`/api/v1/recipients/${secrets.address}`);
  await shop.get(`/api/v1/messages?reference=${secrets['order reference']}`);
  await shop.call('POST', '/api/v1/keys', { body: { name: secrets['key name'] } });
  await fetch(`${service.url}/${secrets['unknown path']}?who=${secrets.address}`);
  await fetch(`${service.url}/docs?q=${secrets['query of a page']}`);
  await fetch(`${service.url}/dashboard/sign-in/${secrets['unknown path']}`);
  await eventually(async () => expect(receiver.received.length).toBeGreaterThan(3));
  await service.close();

  const spans = collector.spans();
  const names = new Set(spans.map(({ name }) => name));
  for (const name of [
    'POST /api/v1/messages',
    'nudge email',
    'nudge sms',
    'call sandbox',
    'report sms',
    'deliver webhook',
  ])
    expect(names).toContain(name);
  expect(
    spans.filter(({ attributes }) => attributes['waypost.skip_reason'] === 'sending_paused'),
  ).toMatchObject([{ name: 'nudge email', attributes: { 'waypost.outcome': 'skipped' }, failed: false }]);
  const exported = collector.bodies.join('\n').toLowerCase();
  const found = Object.entries(secrets).filter(([, text]) => exported.includes(text.toLowerCase()));
  expect(found.map(([what]) => what)).toEqual([]);
  expect(exported).not.toContain('@');
  expect(exported).not.toContain('http://');
  expect(exported).not.toContain('127.0.0.1');
});

test('every attribute is one of a known list', () => {
  const known = new Set([
    'error.type',
    'http.request.method',
    'http.request.resend_count',
    'http.response.status_code',
    'http.route',
    'messaging.destination.name',
    'messaging.message.id',
    'messaging.operation.name',
    'messaging.operation.type',
    'messaging.system',
    ...[
      'attempt',
      'business_id',
      'endpoint_id',
      'event_id',
      'event_type',
      'key_id',
      'message_id',
      'outcome',
    ].map((name) => `waypost.${name}`),
    ...['purpose', 'pushes', 'refusal', 'send_id', 'skip_reason', 'status'].map((name) => `waypost.${name}`),
  ]);
  const used = collector.spans().flatMap(({ attributes }) => Object.keys(attributes));
  expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([]);
});
