import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { findCallers, keyHash } from '../../src/businesses/keys.ts';
import { listKeys } from '../../src/businesses/keysSql.ts';
import { readSettings } from '../../src/businesses/sql.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const make = (asked: Parameters<typeof createBusiness>[2]) =>
  createBusiness(database.pool, systemClock, asked);
const one = async (sql: string, ...values: unknown[]) => (await database.pool.query(sql, values)).rows[0];

test('a new account has email on, paid channels on request, no warm-up, no credits and every country', async () => {
  const { businessId } = await make({ name: 'Shop' });
  const [settings] = await readSettings(database.pool, [businessId]);
  expect(settings).toMatchObject({
    name: 'Shop',
    active: true,
    paused: false,
    plan: 'active',
    periodEnd: null,
    smsMode: 'on_request',
    whatsappMode: 'on_request',
    warmup: false,
    countries: null,
    emailAllowance: null,
    dailyEmailCap: null,
    paidPerRecipientHour: null,
    lowBalanceThreshold: 20,
    replyForward: 'off',
  });
  expect(settings?.smsEnabledAt).toEqual(settings?.createdAt);
  expect(
    await one('select balance, reserved from credit_accounts where business_id = $1', businessId),
  ).toEqual({
    balance: 0,
    reserved: 0,
  });
  expect(
    await one(
      'select sum(emails_in_period)::int as emails from usage_slots where business_id = $1',
      businessId,
    ),
  ).toEqual({ emails: 0 });
});

test('its first key works at once and has no parent', async () => {
  const { businessId, keyId, apiKey } = await make({ name: 'Shop' });
  expect(await findCallers(database.pool, [keyHash(apiKey)])).toEqual([
    { keyId, businessId, active: true, access: 'full' },
  ]);
  expect(await listKeys(database.pool, businessId)).toMatchObject([{ id: keyId, minted_by: null }]);
});

test('credits to begin with are a grant in the ledger, whose sum is the balance', async () => {
  for (const credits of [0, 1, 250]) {
    const { businessId } = await make({ name: 'Shop', credits });
    const sum = await one(
      'select coalesce(sum(amount), 0)::int as sum, count(*) as rows from credit_ledger where business_id = $1',
      businessId,
    );
    const account = await one('select balance from credit_accounts where business_id = $1', businessId);
    expect([sum, account]).toEqual([{ sum: credits, rows: credits === 0 ? 0 : 1 }, { balance: credits }]);
  }
});

test('SMS that is not enabled yet has no day from which its warm-up counts', async () => {
  const made = await make({
    name: 'Shop',
    smsMode: 'not_enabled',
    whatsappMode: 'off',
    countries: ['EE', 'FI'],
  });
  const [settings] = await readSettings(database.pool, [made.businessId]);
  expect(settings).toMatchObject({
    smsMode: 'not_enabled',
    whatsappMode: 'off',
    smsEnabledAt: null,
    countries: ['EE', 'FI'],
  });
});
