import { expect, onTestFinished, test } from 'vitest';
import { mockApi } from '../providers/mockApi.ts';
import { nameServer } from '../support/nameServer.ts';
import { postmarkEnv } from '../support/providerEnvironments.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

/** What the network of the service knows; a merchant must learn nothing of it. */
const PRIVATE: Record<string, string[]> = {
  'database.corp.example': ['10.0.0.7'],
  'loopback.corp.example': ['127.0.0.1', '::1'],
  'metadata.corp.example': ['169.254.169.254'],
  'ula.corp.example': ['fd00::7'],
  'mixed.corp.example': ['93.184.216.34', '192.168.1.7'],
};
const UNKNOWN = 'nobody.corp.example';
const NAMES = [...Object.keys(PRIVATE), UNKNOWN];

/** A service with providers that are not the sandbox's, which asks a name server that the test may change. */
async function installation(names: Record<string, string[]>): Promise<{ service: TestService; shop: Shop }> {
  const mail = await mockApi({ status: 200, body: { ErrorCode: 0, Message: 'OK', MessageID: 'm1' } });
  const service = await startService(postmarkEnv(mail.url), { nameServers: [await nameServer(names)] });
  onTestFinished(() => service.close());
  return { service, shop: await service.business() };
}

const create = (shop: Shop, host: string) =>
  shop.call('POST', '/api/v1/webhook-endpoints', { body: { url: `https://${host}/hook` } });

test('creating an endpoint does not tell a name that does not resolve from one at a private address', async () => {
  const { shop } = await installation(PRIVATE);
  const answers = new Set<string>();
  for (const host of NAMES) {
    const { status, text } = await create(shop, host);
    answers.add(`${status} ${text.replaceAll(host, 'HOST')}`);
  }
  expect([...answers]).toEqual([expect.stringMatching(/^422 .*"loc":\["body","url"\]/)]);
  expect((await shop.get('/api/v1/webhook-endpoints')).body).toEqual({ items: [] });
});

test('neither does a test of an endpoint, nor what is told of its deliveries', async () => {
  const names: Record<string, string[]> = Object.fromEntries(NAMES.map((host) => [host, ['93.184.216.34']]));
  const { service, shop } = await installation(names);
  const ids = new Map<string, string>();
  for (const host of NAMES) ids.set(host, expectStatus<{ id: string }>(201, await create(shop, host)).id);

  // The names change their answers, as their owner may make them do at any time.
  for (const host of NAMES) delete names[host];
  Object.assign(names, PRIVATE);
  const results = new Set<string>();
  for (const id of ids.values()) {
    const tested = await shop.call('POST', `/api/v1/webhook-endpoints/${id}/test`);
    const { duration_ms: _, ...result } = expectStatus<{ duration_ms: number }>(200, tested);
    results.add(JSON.stringify(result));
  }
  expect([...results]).toEqual([expect.stringContaining('"delivered":false')]);

  await service.change(shop, { paused: true });
  await shop.pushed();
  const errors = await eventually(async () => {
    const listed = await shop.get('/api/v1/webhook-endpoints');
    const { items } = expectStatus<{ items: { last_error: string | null }[] }>(200, listed);
    const found = items.map(({ last_error }) => last_error);
    expect(found).not.toContain(null);
    return found;
  });
  expect(new Set(errors).size).toBe(1);
  const attempts = await service.pool.query(
    'select distinct error from webhook_attempts where business_id = $1',
    [shop.businessId],
  );
  expect(attempts.rowCount).toBe(1);
});
