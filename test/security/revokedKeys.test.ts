import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const mint = async (shop: Shop, body: object = {}) =>
  expectStatus<{ id: string; key: string }>(201, await shop.call('POST', '/api/v1/keys', { body }));

test('what was revoked or deleted is removed in time, and nothing that lives notices', async () => {
  const shop = await service.business();
  const stolen = await mint(shop, { name: 'Stolen' });
  const thief = shop.with(stolen.key);
  const child = await mint(thief, { name: 'Child' });
  const detached = await mint(thief, { name: 'Detached', detach: true });
  const { id: endpoint } = expectStatus<{ id: string }>(
    201,
    await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url: 'https://93.184.216.34/hook' } }),
  );
  expect((await shop.delete(`/api/v1/keys/${stolen.id}`)).status).toBe(204);
  expect((await shop.delete(`/api/v1/webhook-endpoints/${endpoint}`)).status).toBe(204);

  const kept = async () => {
    const { rows } = await service.pool.query<{ id: string }>(
      `select id from api_keys where business_id = $1 and revoked_at is not null
       union all select id from webhook_endpoints where business_id = $1`,
      [shop.businessId],
    );
    return rows.map(({ id }) => id).sort();
  };
  await service.advance({ days: 59 });
  expect(await kept()).toEqual([stolen.id, child.id, endpoint].sort());
  await service.advance({ days: 2 });
  expect(await kept()).toEqual([stolen.id, child.id].sort());
  // A key waits for its children: each look takes one generation.
  await service.advance({ days: 30 });
  await service.advance({ days: 1 });
  await eventually(async () => expect(await kept()).toEqual([]));

  expect(statusAndCode(await thief.get('/api/v1/keys'))).toBe('401 business.invalid_api_key');
  expect(statusAndCode(await shop.with(child.key).get('/api/v1/keys'))).toBe('401 business.invalid_api_key');
  for (const path of [`keys/${stolen.id}`, `webhook-endpoints/${endpoint}`])
    expect((await shop.delete(`/api/v1/${path}`)).status).toBe(404);
  const { items } = expectStatus<{ items: { id: string; minted_by: string | null }[] }>(
    200,
    await shop.with(detached.key).get('/api/v1/keys'),
  );
  expect(items.find(({ id }) => id === detached.id)?.minted_by).toBe(stolen.id);
  const audit = await service.pool.query(
    `select from audit_entries where business_id = $1 and action = 'key.revoked' and detail ->> 'key_id' = $2`,
    [shop.businessId, stolen.id],
  );
  expect(audit.rowCount).toBe(1);
});
