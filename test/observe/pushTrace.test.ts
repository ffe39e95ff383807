import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { migrate } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { postmarkRecord } from '../providers/callers.ts';
import { mockApi } from '../providers/mockApi.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { buildProgram, killAllPrograms, type Program, startProgram } from '../support/program.ts';
import { postmarkEnv } from '../support/providerEnvironments.ts';
import { startService } from '../support/service.ts';
import { ORDER_UPDATE, Shop } from '../support/shop.ts';
import { placeOf, spanNamed, startTraceCollector, type TraceCollector } from '../support/traceCollector.ts';
import { eventually } from '../support/waiting.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhookReceiver.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${CALLER}-01`;

let database: TestDatabase;
let collector: TraceCollector;
let receiver: WebhookReceiver;
let api: Program;
let shop: Shop;

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

beforeAll(async () => {
  await buildProgram();
  database = await testDatabase();
  collector = await startTraceCollector();
  receiver = await startWebhookReceiver();
  await migrate(database.url);
  const env = {
    DATABASE_URL: database.url,
    SECRET_KEY: '4b7e19c05ad83f62e1079bd4c8a2563f',
    WEBHOOK_ALLOW_HOSTS: receiver.host,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=shops',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  [api] = await Promise.all([
    startProgram({ ...env, ROLES: 'api', LOG_LEVEL: 'info' }),
    startProgram({ ...env, ROLES: 'worker', OTEL_SERVICE_NAME: 'waypost-worker' }),
  ]);
  const { businessId, apiKey } = await createBusiness(database.pool, systemClock, { name: 'Acme Books' });
  shop = new Shop(api.url, businessId, apiKey);
  await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url: receiver.url } });
});
afterAll(async () => {
  await killAllPrograms();
  collector.close();
  receiver.close();
  await database.drop();
});

const push = (headers: Record<string, string>, change: Record<string, unknown> = {}) =>
  shop.call('POST', '/api/v1/messages', {
    body: { ...ORDER_UPDATE, ...change },
    idempotencyKey: crypto.randomUUID(),
    headers,
  });

const inTrace = (traceId: string) => collector.spans().filter((span) => span.traceId === traceId);

test('one trace leads from the caller through request, nudge, provider call, report and webhook, across processes', async () => {
  const { body } = await push({ traceparent: TRACEPARENT });
  const { id } = Object(body);
  const spans = await eventually(async () => {
    const found = inTrace(TRACE);
    expect(found.length).toBeGreaterThanOrEqual(5);
    return found;
  });

  const request = spanNamed(spans, 'POST /api/v1/messages');
  expect(request).toMatchObject({
    kind: 'server',
    parentSpanId: CALLER,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/v1/messages',
      'http.response.status_code': 201,
      'waypost.business_id': shop.businessId,
    },
    resource: {
      'service.name': 'waypost',
      'waypost.process': 'api',
      'deployment.environment.name': 'test',
    },
  });
  const nudge = spanNamed(spans, 'nudge email');
  expect(nudge).toMatchObject({
    kind: 'consumer',
    parentSpanId: request.spanId,
    attributes: { 'waypost.message_id': id, 'waypost.outcome': 'accepted', 'waypost.attempt': 1 },
    resource: { 'service.name': 'waypost-worker', 'waypost.process': 'worker' },
  });
  expect(spanNamed(spans, 'call sandbox')).toMatchObject({
    kind: 'client',
    parentSpanId: nudge.spanId,
    attributes: { 'waypost.send_id': nudge.attributes['waypost.send_id'], 'waypost.outcome': 'accepted' },
  });
  expect(spanNamed(spans, 'report email')).toMatchObject({
    kind: 'consumer',
    parentSpanId: request.spanId,
    attributes: { 'waypost.status': 'delivered' },
  });
  const delivery = spanNamed(spans, 'deliver webhook');
  expect(delivery).toMatchObject({
    kind: 'client',
    parentSpanId: request.spanId,
    attributes: { 'waypost.event_type': 'message.delivered', 'http.response.status_code': 200 },
  });
  expect(spans.filter(({ failed }) => failed)).toEqual([]);
  expect(spans).toHaveLength(5);

  const [received] = receiver.received.filter(({ body: event }) => event.includes(id));
  expect(received?.headers.traceparent).toBe(placeOf(delivery));
  expect(collector.headers.every((sent) => sent['x-tenant'] === 'shops')).toBe(true);
});

test('the commit is a trace of its own, linked to the requests of its pushes, and they to it', async () => {
  const before = collector.spans().length;
  const ofThisTest = (name: string) =>
    collector
      .spans()
      .slice(before)
      .filter((span) => span.name === name);
  let pushed = 0;
  // On a busy machine pushes may arrive one by one: until some have shared a commit.
  do {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => push({}, { recipient_email: `p${n}@example.com` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    pushed += answers.length;
    await eventually(async () => {
      const linked = ofThisTest('commit pushes').flatMap(({ links }) => links);
      const requests = ofThisTest('POST /api/v1/messages');
      expect(requests).toHaveLength(pushed);
      expect(new Set(linked)).toEqual(new Set(requests.map(({ traceId, spanId }) => `${traceId}/${spanId}`)));
    });
  } while (!ofThisTest('commit pushes').some(({ links }) => links.length > 1));

  const requests = ofThisTest('POST /api/v1/messages');
  const commits = ofThisTest('commit pushes');
  expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(pushed);
  for (const { links } of requests)
    expect(commits.map(({ traceId, spanId }) => `${traceId}/${spanId}`)).toContain(links[0]);
  for (const { parentSpanId, attributes, links } of commits)
    expect([parentSpanId, attributes['waypost.pushes']]).toEqual(['', links.length]);
});

test.each([
  'nonsense',
  `00-${'0'.repeat(32)}-${CALLER}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `ff-${TRACE}-${CALLER}-01`,
  `00-${TRACE}-${CALLER}`,
  `00-${TRACE.toUpperCase()}-${CALLER}-01`,
  `00-${TRACE}-${CALLER}-01, 00-${TRACE}-${CALLER}-01`,
])('a malformed traceparent is ignored: %s', async (traceparent) => {
  const before = collector.spans().length;
  expect((await push({ traceparent })).status).toBe(201);
  const request = await eventually(async () =>
    spanNamed(collector.spans().slice(before), 'POST /api/v1/messages'),
  );
  expect([request.parentSpanId, request.traceId === TRACE]).toEqual(['', false]);
});

test('a caller that does not sample is followed: nothing is exported, and the webhook says so', async () => {
  const unsampled = 'aaaabbbbccccddddaaaabbbbccccdddd';
  const { body } = await push({ traceparent: `00-${unsampled}-${CALLER}-00` });
  const received = await eventually(async () => {
    const found = receiver.received.find((one) => one.body.includes(Object(body).id));
    if (!found) throw new Error('no webhook yet');
    return found;
  });
  expect(received.headers.traceparent).toMatch(new RegExp(`^00-${unsampled}-[0-9a-f]{16}-00$`));
  expect(inTrace(unsampled)).toEqual([]);
});

test('a batch gives its trace to every message; an update in place gives the message its own', async () => {
  const traceId = 'c'.repeat(32);
  await shop.call('POST', '/api/v1/messages/batch', {
    body: { items: [ORDER_UPDATE, { ...ORDER_UPDATE, recipient_email: 'bob@example.com' }] },
    idempotencyKey: crypto.randomUUID(),
    headers: { traceparent: `00-${traceId}-${CALLER}-01` },
  });
  await eventually(async () =>
    expect(inTrace(traceId).filter(({ name }) => name === 'nudge email')).toHaveLength(2),
  );

  const change = { kind: 'updateable', notify: true, recipient_email: 'cat@example.com' };
  const traces = ['d'.repeat(32), 'e'.repeat(32)];
  for (const trace of traces) {
    await push({ traceparent: `00-${trace}-${CALLER}-01` }, change);
    await eventually(async () => spanNamed(inTrace(trace), 'nudge email'));
  }
});

test('a call that the provider refuses is a failed span, in the same trace', async () => {
  const trace = 'f'.repeat(32);
  await push(
    { traceparent: `00-${trace}-${CALLER}-01` },
    { recipient_email: 'refuse@example.com', reference: '#7' },
  );
  const call = await eventually(async () => spanNamed(inTrace(trace), 'call sandbox'));
  expect(call).toMatchObject({ failed: true, attributes: { 'waypost.outcome': 'refused' } });
});

test('log lines name the trace, health checks have none, and a stranger’s page does not continue a trace', async () => {
  await eventually(async () => expect(api.printed()).toContain(`"trace_id":"${TRACE}"`));
  const traceparent = `00-${'9'.repeat(32)}-${CALLER}-01`;
  await fetch(`${api.url}/healthz`, { headers: { traceparent } });
  await fetch(`${api.url}/metrics`, { headers: { traceparent } });
  await fetch(`${api.url}/docs`, { headers: { traceparent } });
  await fetch(`${api.url}/nowhere/secret-path`, { headers: { traceparent } });
  await eventually(async () => {
    const names = collector.spans().map(({ name }) => name);
    expect(names).toContain('GET /docs');
    expect(names).toContain('GET');
  });
  expect(collector.spans().filter(({ name }) => /health|metrics|secret/.test(name))).toEqual([]);
  expect(inTrace('9'.repeat(32))).toEqual([]);
});

test('a provider’s report is part of the push’s trace and linked to the request that brought it; a stop sends what is left', async () => {
  const own = await startTraceCollector();
  const postmark = await mockApi({
    status: 200,
    body: JSON.stringify({ MessageID: 'pm-1', ErrorCode: 0, Message: 'OK' }),
  });
  const service = await startService({
    ...postmarkEnv(postmark.url),
    OTEL_EXPORTER_OTLP_ENDPOINT: own.url,
  });
  const customer = await service.business();
  const { id } = await customer.pushed();
  const reference = await eventually(async () => {
    const { rows } = await service.pool.query(
      `select business_id || '-' || id as reference from sends where message_id = $1 and state = 'accepted'`,
      [id],
    );
    if (rows.length === 0) throw new Error('not accepted yet');
    return String(rows[0].reference);
  });
  expect((await postmarkRecord(service.url, reference, 'Delivery')).status).toBe(200);
  await service.close();

  const spans = own.spans();
  const request = spanNamed(spans, 'POST /api/v1/messages');
  const callback = spanNamed(spans, 'POST /callbacks/postmark');
  expect(spanNamed(spans, 'report email')).toMatchObject({
    traceId: request.traceId,
    parentSpanId: request.spanId,
    links: [`${callback.traceId}/${callback.spanId}`],
    attributes: { 'messaging.system': 'postmark', 'waypost.status': 'delivered' },
  });
  expect(callback.traceId).not.toBe(request.traceId);
  expect(spanNamed(spans, 'call postmark')).toMatchObject({ traceId: request.traceId });
  own.close();
});
