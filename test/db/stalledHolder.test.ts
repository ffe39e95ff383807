import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool } from '../../src/db/pool.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('a push is accepted although another process stalls in a transaction that locks its account', async () => {
  const shop = await service.business({ credits: 5 });
  const text = { channels: ['sms'], recipient_phone: '+447700900123' };
  const stalled = openPool(service.database.url, { max: 1, name: 'stalled', onError: () => {} });
  const client = await stalled.connect();
  client.on('error', () => {});
  await client.query('begin');
  await client.query('select from credit_accounts where business_id = $1 for update', [shop.businessId]);

  const result = await shop.pushed(text);
  expect(result.sms).toMatchObject({ queued: true });

  await expect(client.query('commit')).rejects.toThrow();
  client.release(true);
  await stalled.end();
});
