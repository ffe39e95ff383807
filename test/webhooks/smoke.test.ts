import { afterAll, beforeAll, expect, test } from 'vitest';
import { verify } from '../../src/webhooks/signature.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { openMerchant } from './merchant.ts';

let database: TestDatabase;
beforeAll(async () => { database = await testDatabase(); });
afterAll(() => database.drop());

test('smoke', async () => {
  const shop = await openMerchant(database);
  const r = await shop.receiver();
  const e = await shop.endpoint(r.url);
  const w = shop.start();
  const ids = await shop.tell({}, {}, {});
  w.wake();
  await w.drain();
  expect(r.ids()).toEqual(ids);
  console.log(r.received[0], shop.logged);
  expect(verify(e.secret, r.received[0]?.headers['x-service-signature'] ?? '', r.received[0]?.body ?? '', Date.now()/1000)).toBe(true);
  console.log(await shop.rows('select * from webhook_attempts'), await shop.rows('select * from webhook_deliveries'), await shop.rows('select * from webhook_endpoints'));
});
