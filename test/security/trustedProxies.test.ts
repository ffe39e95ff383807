import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomToken } from '../../src/kit/ids.ts';
import { startService, type TestService } from '../support/service.ts';

/** Requests come from loopback, as from a proxy on the same machine. */
let trusting: TestService;
let doubting: TestService;
beforeAll(async () => {
  trusting = await startService({ ROLES: 'api' });
  doubting = await startService({ ROLES: 'api', TRUSTED_PROXIES: '10.0.0.0/8' });
});
afterAll(async () => {
  await trusting.close();
  await doubting.close();
});

const MORE_THAN_ALLOWED = 70;

const guess = async ({ url }: TestService, forwardedFor: string): Promise<number> => {
  const answer = await fetch(`${url}/i/${randomToken()}`, { headers: { 'x-forwarded-for': forwardedFor } });
  await answer.text();
  return answer.status;
};

async function guesses(service: TestService, forwardedFor: (count: number) => string): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < MORE_THAN_ALLOWED; count += 1)
    statuses.push(await guess(service, forwardedFor(count)));
  return statuses;
}

test('behind a trusted proxy each client is throttled on its own', async () => {
  expect(await guesses(trusting, () => '203.0.113.9')).toContain(429);
  expect(await guess(trusting, '203.0.113.10')).toBe(404);
});

test('an address that the client wrote itself changes nothing: the one that the proxy added counts', async () => {
  expect(await guesses(trusting, (count) => `198.51.100.${count}, 203.0.113.11`)).toContain(429);
});

test('X-Forwarded-For from anyone else is not believed', async () => {
  expect(await guesses(doubting, (count) => `198.51.100.${count}`)).toContain(429);
});

test('the log shows that refused requests come from one source, and holds no address', async () => {
  const paths = ['/i/nothing', '/api/v1/messages/x', '/nowhere'];
  for (const path of paths) {
    for (const client of ['203.0.113.20', '203.0.113.21', '203.0.113.20'])
      await fetch(trusting.url + path, { headers: { 'x-forwarded-for': client } });
    const lines = trusting.logged.filter(({ message }) => message === 'request served').slice(-3);
    const [first, second, third] = lines.map(({ fields }) => fields.source);
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(first).toBe(third);
    expect(first).not.toBe(second);
  }
  const shop = await trusting.business();
  await shop.pushed();
  await shop.get('/api/v1/messages/unknown');
  await fetch(`${trusting.url}/healthz`);
  for (const { fields } of trusting.logged.slice(-3)) expect(fields).not.toHaveProperty('source');
  expect(JSON.stringify(trusting.logged)).not.toMatch(/203\.0\.113|198\.51\.100|127\.0\.0\.1/);
});
