import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { migrate } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { buildProgram, killAllPrograms, type Program, startProgram } from '../support/program.ts';
import { Shop } from '../support/shop.ts';
import { startTraceCollector, type TraceCollector } from '../support/traceCollector.ts';
import { eventually } from '../support/waiting.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let database: TestDatabase;
let collector: TraceCollector;
let program: Program;
beforeAll(async () => {
  await buildProgram();
  database = await testDatabase();
  collector = await startTraceCollector();
  await migrate(database.url);
  program = await startProgram({
    DATABASE_URL: database.url,
    SECRET_KEY: '4b7e19c05ad83f62e1079bd4c8a2563f',
    PROCESSES: '2',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
});
afterAll(async () => {
  await killAllPrograms();
  collector.close();
  await database.drop();
});

const metrics = async (accept: string) => {
  const response = await fetch(`${program.url}/metrics`, { headers: { accept } });
  return { type: response.headers.get('content-type'), text: await response.text() };
};

test('one scrape of several processes has the sums, and exemplars of the API and of the worker', async () => {
  const { businessId, apiKey } = await createBusiness(database.pool, systemClock, { name: 'Acme Books' });
  const shop = new Shop(program.url, businessId, apiKey);
  const PUSHES = 8;
  for (let n = 0; n < PUSHES; n += 1) await shop.pushed({ recipient_email: `p${n}@example.com` });
  await eventually(async () => {
    const { type, text } = await metrics('application/openmetrics-text');
    expect(type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(text).toContain(`route="/api/v1/messages",status="201"} ${PUSHES}\n`);
    expect(text).toContain(`waypost_sends_total{channel="email",outcome="accepted"} ${PUSHES}\n`);
    expect(text).toMatch(
      /waypost_http_request_seconds_bucket\{.*route="\/api\/v1\/messages".* # \{trace_id="/,
    );
    expect(text).toMatch(/waypost_provider_call_seconds_bucket\{.* # \{trace_id="/);
    expect(text).toMatch(/\nwaypost_processes 3\n/);
    expect(text).toMatch(/\nwaypost_database_answers 1\n/);
    expect(text.endsWith('\n# EOF\n')).toBe(true);
  });
});

test('the plain text has the same sums, and no exemplars', async () => {
  const { type, text } = await metrics('text/plain');
  expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text).toContain('\nwaypost_sends_total{channel="email",outcome="accepted"} 8\n');
  expect(text).not.toContain('trace_id');
  expect(text).not.toContain('# EOF');
});
