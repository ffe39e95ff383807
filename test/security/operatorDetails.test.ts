import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runStatements } from '../support/cluster.ts';
import { startService, type TestService } from '../support/service.ts';
import { clusterUrl } from '../support/sharedResources.ts';

const TOKEN = '4b7e19c05ad83f62e1079bd4c8a2563f';
const WARNING = 'EMAIL_PROVIDER is sandbox: nothing is sent on that channel.';
/** As a proxy on this machine says that somebody elsewhere is calling. */
const ELSEWHERE = { 'x-forwarded-for': '203.0.113.9' };
const OPERATOR = { ...ELSEWHERE, authorization: `Bearer ${TOKEN}` };

let service: TestService;
let withoutToken: TestService;
beforeAll(async () => {
  service = await startService({ NODE_ENV: 'production', OPERATOR_TOKEN: TOKEN });
  withoutToken = await startService({ NODE_ENV: 'production' });
});
afterAll(() => Promise.all([service.close(), withoutToken.close()]));

const ask = async (path: string, headers: Record<string, string> = {}, url = service.url) => {
  const answer = await fetch(url + path, { headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

const STRANGERS = [
  ELSEWHERE,
  { 'x-forwarded-for': '127.0.0.1' },
  { forwarded: 'for=127.0.0.1' },
  { ...ELSEWHERE, authorization: `Bearer ${TOKEN}x` },
  { ...ELSEWHERE, authorization: `Bearer ${TOKEN.slice(0, -1)}` },
  { ...ELSEWHERE, authorization: `Basic ${TOKEN}` },
  { ...ELSEWHERE, authorization: TOKEN },
];

test.each(STRANGERS)('a stranger learns whether it is ready, and no more: %j', async (headers) => {
  const ready = await ask('/readyz', headers);
  expect([ready.status, ready.text]).toEqual([200, '{"ready":true}']);
  const metrics = await ask('/metrics', headers);
  expect(metrics.status).toBe(401);
  expect(metrics.headers.get('www-authenticate')).toBe('Bearer');
  expect(JSON.parse(metrics.text)).toMatchObject({ error_code: 'operator.token_required' });
  expect(metrics.text).not.toContain('waypost_');
});

test('a stranger cannot use a token where none was set', async () => {
  for (const authorization of ['Bearer null', 'Bearer undefined', 'Bearer ', `Bearer ${TOKEN}`]) {
    expect((await ask('/metrics', { ...ELSEWHERE, authorization }, withoutToken.url)).status).toBe(401);
  }
});

test('the operator’s token opens the details from elsewhere', async () => {
  const ready = await ask('/readyz', OPERATOR);
  expect(JSON.parse(ready.text)).toMatchObject({
    ready: true,
    database: 'reachable',
    migrations: 'current',
    warnings: expect.arrayContaining([WARNING]),
  });
  const metrics = await ask('/metrics', OPERATOR);
  expect([metrics.status, metrics.text.includes('waypost_http_request_seconds')]).toEqual([200, true]);
});

test('on this machine the details are open, with a token set or not', async () => {
  for (const { url } of [service, withoutToken]) {
    expect(JSON.parse((await ask('/readyz', {}, url)).text)).toMatchObject({ database: 'reachable' });
    expect((await ask('/metrics', {}, url)).status).toBe(200);
  }
});

test('a database that fails says nothing of itself to strangers', async () => {
  const name = new URL(service.database.url.replace('@/', '@localhost/')).pathname.slice(1);
  await runStatements(
    await clusterUrl(),
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
  onTestFinished(async () => {
    await runStatements(await clusterUrl(), `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  });
  const ready = await ask('/readyz', ELSEWHERE);
  expect([ready.status, ready.text]).toEqual([503, '{"ready":false}']);
  expect((await ask('/metrics', ELSEWHERE)).status).toBe(401);
  expect(JSON.parse((await ask('/readyz', OPERATOR)).text)).toMatchObject({ database: 'unreachable' });
});
