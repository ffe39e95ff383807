import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { migrate } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { buildProgram, killAllPrograms, startProgram } from '../support/program.ts';
import { scratchFolder } from '../support/scratchFolder.ts';
import { ORDER_UPDATE, Shop } from '../support/shop.ts';
import { startTraceCollector } from '../support/traceCollector.ts';
import { eventually } from '../support/waiting.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhookReceiver.ts';

const RECORDER = pathToFileURL(join(import.meta.dirname, '../support/loadedModules.mjs')).href;
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

let database: TestDatabase;
let receiver: WebhookReceiver;
let folder: { path: string; remove(): Promise<void> };

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

beforeAll(async () => {
  await buildProgram();
  database = await testDatabase();
  await migrate(database.url);
  receiver = await startWebhookReceiver();
  folder = await scratchFolder();
});
afterAll(async () => {
  await killAllPrograms();
  receiver.close();
  await folder.remove();
  await database.drop();
});

/** A program that took a push and delivered its webhook: which packages of OpenTelemetry it loaded, and what came of the push. */
async function runWith(env: Record<string, string>) {
  const list = join(folder.path, `${Object.keys(env).length}.json`);
  const program = await startProgram(
    {
      DATABASE_URL: database.url,
      SECRET_KEY: '4b7e19c05ad83f62e1079bd4c8a2563f',
      WEBHOOK_ALLOW_HOSTS: receiver.host,
      LOG_LEVEL: 'info',
      LOADED_MODULES: list,
      ...env,
    },
    { nodeFlags: ['--no-opt', '--import', RECORDER] },
  );
  const { businessId, apiKey } = await createBusiness(database.pool, systemClock, { name: 'Acme Books' });
  const shop = new Shop(program.url, businessId, apiKey);
  await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url: receiver.url } });
  const { body } = await shop.call('POST', '/api/v1/messages', {
    body: ORDER_UPDATE,
    idempotencyKey: 'one',
    headers: { traceparent: TRACEPARENT },
  });
  const { id } = Object(body);
  const webhook = await eventually(async () => {
    const found = receiver.received.find((one) => one.body.includes(id));
    if (!found) throw new Error('no webhook yet');
    return found;
  });
  const metrics = await fetch(`${program.url}/metrics`, {
    headers: { accept: 'application/openmetrics-text' },
  });
  const { rows } = await database.pool.query('select trace_context from messages where id = $1', [id]);
  const text = await metrics.text();
  expect(await program.end()).toBe(0);
  const files: string[] = JSON.parse(await readFile(list, 'utf8'));
  const packages = files.flatMap((file) => /node_modules\/(@opentelemetry\/[^/]+)/.exec(file)?.[1] ?? []);
  return {
    packages: [...new Set(packages)].sort(),
    header: webhook.headers.traceparent,
    stored: rows[0]?.trace_context,
    log: program.printed(),
    metrics: text,
  };
}

test('without an endpoint no SDK is loaded, nothing is stored or sent, and a traceparent is ignored', async () => {
  const off = await runWith({});
  // The API alone, which the library for metrics loads for itself.
  expect(off.packages).toEqual(['@opentelemetry/api']);
  expect(off.header).toBeUndefined();
  expect(off.stored).toBeNull();
  expect(off.log).toContain('request served');
  expect(off.log).not.toContain('trace_id');
  expect(off.metrics).not.toContain('trace_id');
});

test('with one the same program loads the SDK, and does all of it', async () => {
  const collector = await startTraceCollector();
  const on = await runWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  expect(on.packages).toContain('@opentelemetry/sdk-trace-base');
  expect(on.packages).toContain('@opentelemetry/exporter-trace-otlp-http');
  expect(on.header).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
  expect(on.stored).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
  expect(on.log).toContain('"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"');
  expect(on.metrics).toContain('# {trace_id="4bf92f3577b34da6a3ce929d0e0e4736"}');
  // Sent by the stop, long before the queue's own delay.
  expect(collector.spans().map(({ name }) => name)).toContain('deliver webhook');
  collector.close();
});
