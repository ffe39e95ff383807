import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool } from '../../src/db/pool.ts';
import { startService, type TestService } from '../support/service.ts';
import type { ApiResponse } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

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

test('a push whose statement is cancelled is answered 503 with Retry-After, and is taken when it is sent again', async () => {
  const shop = await service.business();
  const client = await service.database.pool.connect();
  await client.query('begin');
  await client.query('lock table messages');
  let answer: ApiResponse | undefined;
  try {
    const waiting = shop.push({}, 'order-1001').then((received) => {
      answer = received;
    });
    // As the server itself does when a statement has run for too long.
    await eventually(async () => {
      await client.query(
        `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(answer).toBeDefined();
    });
    await waiting;
  } finally {
    await client.query('rollback');
    client.release();
  }
  expect([answer?.status, answer?.headers.get('retry-after')]).toEqual([503, '1']);
  await shop.pushed({}, 'order-1001');
});
