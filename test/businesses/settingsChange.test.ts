import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import type { SettingsChange } from '../../src/businesses/settings.ts';
import { changeSettings } from '../../src/businesses/settingsChange.ts';
import { readSettings } from '../../src/businesses/sql.ts';
import { transaction } from '../../src/db/transaction.ts';
import { DAY, later, systemClock } from '../../src/kit/clock.ts';
import { OperatorError } from '../../src/kit/errors.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let database: TestDatabase;
let businessId: string;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  ({ businessId } = await createBusiness(database.pool, systemClock, { name: 'Shop', credits: 10 }));
});

const change = (changes: SettingsChange, id = businessId) =>
  transaction(database.pool, (tx) => changeSettings(tx, systemClock.now(), id, changes, 'operator'));
const rows = async (sql: string) => (await database.pool.query(sql, [businessId])).rows;
const audited = () =>
  rows(`select detail from audit_entries where business_id = $1 and action = 'settings.changed' order by id`);

test('every setting that may be changed is read back as it was written', async () => {
  const periodEnd = later(systemClock.now(), DAY);
  const wanted: Required<SettingsChange> = {
    name: 'Käsitöö & Co',
    contactEmail: 'owner@shop.example',
    supportEmail: 'help@shop.example',
    shopUrl: 'https://shop.example/',
    colour: '#1f6feb',
    logo: 'a.png',
    language: 'fi',
    active: false,
    paused: true,
    plan: 'past_due',
    periodEnd,
    emailAllowance: 5,
    dailyEmailCap: 0,
    smsMode: 'off',
    whatsappMode: 'on',
    warmup: true,
    countriesCeiling: ['EE', 'GB'],
    ownCountries: ['GB', 'FI'],
    paidPerRecipientHourCeiling: 3,
    ownPaidPerRecipientHour: 2,
    lowBalanceThreshold: 7,
    replyForward: 'link_only',
    quietHours: '21:00-08:00',
    quietHoursExcept: ['out_for_delivery'],
    replyAck: 'off',
    replyAckCredits: 2,
    trackingNudges: ['exception'],
    trackingChannels: ['sms'],
    trackingEscalateMinutes: 30,
  };
  const { after } = await change(wanted);
  expect(after).toMatchObject(wanted);
  expect(await readSettings(database.pool, [businessId])).toEqual([after]);

  const cleared: SettingsChange = { contactEmail: null, colour: null, periodEnd: null, emailAllowance: null };
  const limits: SettingsChange = {
    dailyEmailCap: null,
    countriesCeiling: null,
    ownCountries: null,
    paidPerRecipientHourCeiling: null,
    ownPaidPerRecipientHour: null,
  };
  await change({ ...cleared, ...limits });
  expect(await readSettings(database.pool, [businessId])).toMatchObject([
    { ...cleared, ...limits, countries: null, paidPerRecipientHour: null },
  ]);
});

test('the audit says what changed, from what to what, and nothing when nothing did', async () => {
  await change({ paused: true, smsMode: 'off' });
  await change({ paused: true });
  expect(await audited()).toEqual([
    { detail: { paused: { from: false, to: true }, smsMode: { from: 'on_request', to: 'off' } } },
  ]);
});

test('changes made at once all hold: none is lost to another', async () => {
  await Promise.all([
    change({ paused: true }),
    change({ warmup: true }),
    change({ smsMode: 'off' }),
    change({ emailAllowance: 9 }),
    change({ replyForward: 'full' }),
  ]);
  expect(await readSettings(database.pool, [businessId])).toMatchObject([
    { paused: true, warmup: true, smsMode: 'off', emailAllowance: 9, replyForward: 'full' },
  ]);
});

test('a period that begins starts its counters at zero; one that is cut short keeps them', async () => {
  const now = systemClock.now();
  const count = () =>
    rows(`select sum(emails_in_period)::int as emails_in_period, bool_or(allowance_reported) as allowance_reported
      from business_usage join usage_slots using (business_id) where business_id = $1`);
  const setEmails = (emails: number) =>
    database.pool.query('update usage_slots set emails_in_period = $2 where business_id = $1 and slot = 3', [
      businessId,
      emails,
    ]);
  await setEmails(40);
  await database.pool.query('update business_usage set allowance_reported = true where business_id = $1', [
    businessId,
  ]);
  await change({ emailAllowance: 50 });
  expect(await count()).toEqual([{ emails_in_period: 40, allowance_reported: true }]);
  await change({ periodEnd: later(now, 30 * DAY) });
  expect(await count()).toEqual([{ emails_in_period: 0, allowance_reported: false }]);
  await setEmails(4);
  await change({ periodEnd: later(now, 20 * DAY) });
  expect(await count()).toEqual([{ emails_in_period: 4, allowance_reported: false }]);
});

test('a threshold that the balance is not below lets the low-balance event fire again', async () => {
  const told = () => rows('select low_balance_notified from credit_accounts where business_id = $1');
  await database.pool.query('update credit_accounts set low_balance_notified = true where business_id = $1', [
    businessId,
  ]);
  await change({ lowBalanceThreshold: 11 });
  expect(await told()).toEqual([{ low_balance_notified: true }]);
  await change({ lowBalanceThreshold: 10 });
  expect(await told()).toEqual([{ low_balance_notified: false }]);
});

test('a business that is not there is the operator’s mistake', async () => {
  await expect(change({ paused: true }, 'nobody')).rejects.toThrow(
    new OperatorError('No business has the id "nobody".'),
  );
});
