import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '../../src/db/transaction.ts';
import { DAY, HOUR } from '../../src/kit/clock.ts';
import { ApiError } from '../../src/kit/errors.ts';
import { lockNumber } from '../../src/kit/ids.ts';
import { enterPhone, removePhone, viewSms } from '../../src/recipients/phones.ts';
import { type DomainShop, latch, openDomainShop, STARTED_AT } from '../messages/domainShop.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { untilLockWait } from '../support/databaseLocks.ts';
import { NUMBER } from '../support/pushState.ts';

let database: TestDatabase;
let shop: DomainShop;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  shop = await openDomainShop(database.pool);
});

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const OTHER_NUMBER = '+37255550135';

const deps = () => ({ pool: database.pool, clock: shop.clock, hash: shop.hash });
const BY_KEY = { source: 'api', actor: 'key:k' } as const;
const set = async (text: string, email = ANN) =>
  (await enterPhone(deps(), { businessId: shop.businessId, email }, text, BY_KEY)).view;
const clear = async (email = ANN) =>
  (await removePhone(deps(), { businessId: shop.businessId, email }, BY_KEY)).view;
const view = (email = ANN) => viewSms(database.pool, shop.businessId, email);

const recipient = async (email = ANN) => {
  const { rows } = await database.pool.query(
    'select * from recipients where business_id = $1 and email = $2',
    [shop.businessId, email],
  );
  return rows[0];
};
const stop = (channel: 'sms' | 'whatsapp', number: string, madeBy = 'text') =>
  database.pool.query('insert into stops values ($1, $2, $3, $4, $5)', [
    shop.businessId,
    channel,
    shop.hash('phone', number),
    madeBy,
    STARTED_AT,
  ]);
const consentLog = async () => {
  const { rows } = await database.pool.query(
    'select channel, action, source from consent_log where business_id = $1 order by id',
    [shop.businessId],
  );
  return rows;
};
const audit = async () => {
  const { rows } = await database.pool.query(
    `select actor, action, recipient_id, subject, detail from audit_entries
     where business_id = $1 and recipient_id is not null order by id`,
    [shop.businessId],
  );
  return rows;
};
const now = () => shop.clock.now().toISOString();

describe('the SMS view', () => {
  test('of someone who never had a number has no consent either way', async () => {
    await shop.push();
    expect(await view()).toEqual({
      recipient_email: ANN,
      phone: null,
      sms_status: 'none',
      sms_status_at: null,
      sms_consent_at: null,
      sms_consent_source: null,
    });
  });

  test('of someone whose number came with a push says so, and shows the number masked', async () => {
    await shop.push({ phone: NUMBER });
    expect(await view()).toEqual({
      recipient_email: ANN,
      phone: '+372 •••• 0134',
      sms_status: 'active',
      sms_status_at: STARTED_AT.toISOString(),
      sms_consent_at: STARTED_AT.toISOString(),
      sms_consent_source: 'push',
    });
  });

  test('of an address that was never messaged, or only by another business, is not found', async () => {
    const other = await openDomainShop(database.pool);
    await other.push({ recipientEmail: BOB });
    await expect(view(BOB)).rejects.toThrow('recipient.not_found');
    await expect(view('nobody@example.com')).rejects.toThrow('recipient.not_found');
  });
});

describe('setting a number', () => {
  test('stores it as E.164 with its country and makes none into active', async () => {
    await shop.push();
    shop.advance(HOUR);
    expect(await set('00372 5555-0134')).toEqual({
      recipient_email: ANN,
      phone: '+372 •••• 0134',
      sms_status: 'active',
      sms_status_at: now(),
      sms_consent_at: now(),
      sms_consent_source: 'api',
    });
    expect(await recipient()).toMatchObject({ phone: '+37255550134', phone_country: 'EE' });
    expect(await consentLog()).toEqual([{ channel: 'sms', action: 'granted', source: 'api' }]);
  });

  test('is noted in the audit, without the number', async () => {
    await shop.push();
    await set(NUMBER.number);
    const { id } = await recipient();
    expect(await audit()).toEqual([
      { actor: 'key:k', action: 'phone_set', recipient_id: id, subject: ANN, detail: {} },
    ]);
  });

  test.each([
    '',
    'call me',
    '+372',
    '+1 800 555 0199',
    '+870 773 111 632',
    '55550134',
    '+372 5555 0134 ext 7',
  ])('refuses what cannot be a person’s number, before it looks for the person: "%s"', async (text) => {
    await expect(set(text, 'nobody@example.com')).rejects.toThrow('sms.phone_invalid');
  });

  test('of an unknown address is refused, and makes no recipient', async () => {
    await expect(set(NUMBER.number, 'nobody@example.com')).rejects.toThrow('recipient.not_found');
    expect(await recipient('nobody@example.com')).toBeUndefined();
  });

  test('refuses a number of another recipient of the business and does not move it', async () => {
    await shop.push({ phone: NUMBER });
    await shop.push({ recipientEmail: BOB });
    await expect(set(NUMBER.number, BOB)).rejects.toThrow('sms.phone_already_in_use');
    expect(await recipient()).toMatchObject({ phone: NUMBER.number });
    expect(await recipient(BOB)).toMatchObject({ phone: null, sms_status: 'none' });
    expect(await audit()).toEqual([]);
  });

  test('accepts a number that a recipient of another business has', async () => {
    const other = await openDomainShop(database.pool);
    await other.push({ phone: NUMBER });
    await shop.push();
    expect(await set(NUMBER.number)).toMatchObject({ sms_status: 'active' });
  });

  test('again to the same number changes nothing and is noted nowhere', async () => {
    await shop.push({ phone: NUMBER });
    const before = await recipient();
    const log = await consentLog();
    shop.advance(HOUR);
    expect(await set('+372 5555 0134')).toEqual(await view());
    expect(await recipient()).toEqual(before);
    expect(await consentLog()).toEqual(log);
    expect(await audit()).toEqual([]);
  });

  test('keeps when and how a number was first accepted, whatever follows', async () => {
    await shop.push({ phone: NUMBER });
    shop.advance(DAY);
    await set(OTHER_NUMBER);
    await clear();
    shop.advance(DAY);
    expect(await set(NUMBER.number)).toMatchObject({
      sms_status: 'active',
      sms_status_at: now(),
      sms_consent_at: STARTED_AT.toISOString(),
      sms_consent_source: 'push',
    });
  });

  test('to another one clears WhatsApp consent', async () => {
    await shop.push({ phone: NUMBER, whatsappOptIn: { source: 'checkout' } });
    shop.advance(HOUR);
    await set(OTHER_NUMBER);
    expect(await recipient()).toMatchObject({
      whatsapp_status: 'none',
      whatsapp_status_at: shop.clock.now(),
    });
    expect((await consentLog()).at(-1)).toEqual({
      channel: 'whatsapp',
      action: 'cleared',
      source: 'number changed',
    });
  });

  test('does not lift a stop: someone stopped stays stopped with another number', async () => {
    await shop.push({ phone: NUMBER });
    await database.pool.query(
      `update recipients set sms_status = 'stopped', sms_stopped_by = 'inbox' where business_id = $1`,
      [shop.businessId],
    );
    expect(await set(OTHER_NUMBER)).toMatchObject({ sms_status: 'stopped', phone: '+372 •••• 0135' });
    expect(await recipient()).toMatchObject({ sms_stopped_by: 'inbox' });
  });

  test('that was stopped before, by whomever held it, brings the stop along with how it was made', async () => {
    await stop('sms', NUMBER.number, 'dashboard');
    await stop('whatsapp', NUMBER.number);
    await shop.push();
    expect(await set(NUMBER.number)).toMatchObject({ sms_status: 'stopped', sms_status_at: now() });
    expect(await recipient()).toMatchObject({ sms_stopped_by: 'dashboard', whatsapp_status: 'stopped' });
    expect((await consentLog()).map(({ channel, action }) => `${channel} ${action}`)).toEqual([
      'sms stopped',
      'whatsapp stopped',
    ]);
  });

  test('leaves waiting sends as they are: they are judged when they run', async () => {
    const { id } = await shop.push({ phone: NUMBER, channels: ['sms'] });
    const before = await shop.sends(id);
    await set(OTHER_NUMBER);
    expect(await shop.sends(id)).toEqual(before);
    expect(await shop.credits()).toEqual({ balance: 10, reserved: 1 });
  });
});

describe('clearing a number', () => {
  test('makes active into none and keeps when consent was first given', async () => {
    await shop.push({ phone: NUMBER, whatsappOptIn: { source: 'checkout' } });
    shop.advance(HOUR);
    expect(await clear()).toEqual({
      recipient_email: ANN,
      phone: null,
      sms_status: 'none',
      sms_status_at: now(),
      sms_consent_at: STARTED_AT.toISOString(),
      sms_consent_source: 'push',
    });
    expect(await recipient()).toMatchObject({ phone: null, phone_country: null, whatsapp_status: 'none' });
    expect((await consentLog()).slice(-2)).toEqual([
      { channel: 'sms', action: 'cleared', source: 'number cleared' },
      { channel: 'whatsapp', action: 'cleared', source: 'number cleared' },
    ]);
    expect(await audit()).toMatchObject([{ actor: 'key:k', action: 'phone_cleared', subject: ANN }]);
  });

  test('does not clear an opt-out: someone who texted STOP stays stopped', async () => {
    await shop.push({ phone: NUMBER });
    await stop('sms', NUMBER.number);
    await database.pool.query(
      `update recipients set sms_status = 'stopped', sms_stopped_by = 'text', sms_status_at = $2 where business_id = $1`,
      [shop.businessId, STARTED_AT],
    );
    shop.advance(HOUR);
    expect(await clear()).toMatchObject({
      phone: null,
      sms_status: 'stopped',
      sms_status_at: STARTED_AT.toISOString(),
    });
    const { rows } = await database.pool.query('select made_by from stops where business_id = $1', [
      shop.businessId,
    ]);
    expect(rows).toEqual([{ made_by: 'text' }]);
  });

  test('of someone without a number changes nothing', async () => {
    await shop.push();
    expect(await clear()).toEqual(await view());
    expect(await audit()).toEqual([]);
  });

  test('of an unknown address is refused', async () => {
    await expect(clear('nobody@example.com')).rejects.toThrow('recipient.not_found');
  });

  test('frees the number for another recipient', async () => {
    await shop.push({ phone: NUMBER });
    await shop.push({ recipientEmail: BOB });
    await clear();
    expect(await set(NUMBER.number, BOB)).toMatchObject({ phone: '+372 •••• 0134', sms_status: 'active' });
  });
});

describe('at the same moment', () => {
  const codeOf = (error: unknown): string => {
    if (error instanceof ApiError) return error.code;
    throw error;
  };

  test('the same number for ten recipients: one gets it, the others are told', async () => {
    const emails = Array.from({ length: 10 }, (_, index) => `person${index}@example.com`);
    for (const recipientEmail of emails) await shop.push({ recipientEmail });
    const outcomes = await Promise.all(
      emails.map((email) => set(NUMBER.number, email).then(({ phone }) => phone, codeOf)),
    );
    expect(outcomes.filter((outcome) => outcome === '+372 •••• 0134')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'sms.phone_already_in_use')).toHaveLength(9);
    expect(await audit()).toHaveLength(1);
  });

  test('two who both found the number free: the loser is told once the winner has committed', async () => {
    await shop.push();
    await shop.push({ recipientEmail: BOB });
    const [written, mayCommit] = [latch(), latch()];
    const winner = transaction(database.pool, async (tx) => {
      await tx.query(
        `update recipients set phone = $3, phone_country = 'EE' where business_id = $1 and email = $2`,
        [shop.businessId, BOB, NUMBER.number],
      );
      written.open();
      await mayCommit.opened;
    });
    await written.opened;
    const loser = set(NUMBER.number).catch(codeOf);
    await untilLockWait(database.pool);
    mayCommit.open();
    await winner;
    expect(await loser).toBe('sms.phone_already_in_use');
    expect(await recipient()).toMatchObject({ phone: null, sms_status: 'none', sms_consent_at: null });
  });

  test('a push or an erasure of the same recipient comes wholly before or after', async () => {
    await shop.push();
    const holder = await database.pool.connect();
    let done = false;
    try {
      await holder.query('begin');
      await holder.query('select pg_advisory_xact_lock($1)', [lockNumber('recipient', shop.businessId, ANN)]);
      const setting = set(NUMBER.number).then(() => {
        done = true;
      });
      await untilLockWait(database.pool);
      expect(done).toBe(false);
      await holder.query('commit');
      await setting;
    } finally {
      holder.release();
    }
    expect(done).toBe(true);
  });

  test('setting and clearing one recipient’s number many times ends in one of the two', async () => {
    await shop.push();
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? set(NUMBER.number) : clear())),
    );
    const { phone, sms_status } = await view();
    expect([
      ['+372 •••• 0134', 'active'],
      [null, 'none'],
    ]).toContainEqual([phone, sms_status]);
  });

  test('pushes with the number and calls that set it elsewhere: it is held once', async () => {
    await shop.push();
    await shop.push({ recipientEmail: BOB });
    await Promise.all([
      shop.push({ recipientEmail: BOB, phone: NUMBER }),
      set(NUMBER.number).catch(codeOf),
      shop.push({ recipientEmail: 'carol@example.com', phone: NUMBER }),
    ]);
    const { rows } = await database.pool.query(
      'select email from recipients where business_id = $1 and phone = $2',
      [shop.businessId, NUMBER.number],
    );
    expect(rows).toHaveLength(1);
  });
});
