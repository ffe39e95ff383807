import { afterAll, beforeAll, expect, test } from 'vitest';
import { viewCredits } from '../../src/businesses/credits.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { NUMBER } from '../support/pushState.ts';
import { openDomainShop } from './domainShop.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test.each([
  [0, true],
  [19, true],
  [20, false],
  [1000, false],
])('a balance of %i: low is %s', async (credits, low_balance) => {
  const { businessId } = await openDomainShop(database.pool, { credits });
  expect(await viewCredits(database.pool, businessId)).toEqual({
    balance: credits,
    low_balance,
    threshold: 20,
  });
});

test('the threshold is the business’s own', async () => {
  const shop = await openDomainShop(database.pool, { credits: 30 });
  await shop.setBusiness({ low_balance_threshold: 31 });
  expect(await viewCredits(database.pool, shop.businessId)).toEqual({
    balance: 30,
    low_balance: true,
    threshold: 31,
  });
});

test('what is set aside for a queued text is not spent yet', async () => {
  const shop = await openDomainShop(database.pool, { credits: 30 });
  await shop.push({ channels: ['sms'], phone: NUMBER });
  expect(await shop.credits()).toEqual({ balance: 30, reserved: 1 });
  expect(await viewCredits(database.pool, shop.businessId)).toMatchObject({ balance: 30 });
});
