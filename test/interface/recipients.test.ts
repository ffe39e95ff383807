import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';
import { FULL_PUSH, skippedOutcome } from './channelOutcomes.ts';
import { insertStop } from './recipientEvents.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 10 });
});

const OTHER_NUMBER = '+37255550177';
const path = (what: 'sms' | 'phone', email = 'ann@example.com') => `/api/v1/recipients/${email}/${what}`;
const view = async (email?: string) =>
  expectStatus<Record<string, unknown>>(200, await shop.get(path('sms', email)));
const setPhone = (phone: unknown, email?: string) => shop.put(path('phone', email), { phone });
const clearPhone = (email?: string) => shop.delete(path('phone', email));

describe('2.9 credits', () => {
  test.each([
    [0, true],
    [19, true],
    [20, false],
    [1_000, false],
  ])('a balance of %i: low is %s', async (credits, low_balance) => {
    const rich = await service.business({ credits });
    expect((await rich.get('/api/v1/credits')).body).toEqual({
      balance: credits,
      low_balance,
      threshold: 20,
    });
  });

  test('the threshold is the business’s own', async () => {
    await service.change(shop, { lowBalanceThreshold: 5 });
    expect((await shop.get('/api/v1/credits')).body).toEqual({
      balance: 10,
      low_balance: false,
      threshold: 5,
    });
  });
});

describe('2.10 the view', () => {
  test('200: a recipient without a number', async () => {
    await shop.pushed();
    expect(await view()).toEqual({
      recipient_email: 'ann@example.com',
      phone: null,
      sms_status: 'none',
      sms_status_at: null,
      sms_consent_at: null,
      sms_consent_source: null,
    });
  });

  test('200: a number from a push, masked', async () => {
    const { created_at } = await shop.pushed({ recipient_phone: PHONE_NUMBER });
    expect(await view()).toEqual({
      recipient_email: 'ann@example.com',
      phone: '+372 •••• 0134',
      sms_status: 'active',
      sms_status_at: created_at,
      sms_consent_at: created_at,
      sms_consent_source: 'push',
    });
  });

  test('the address in the path is trimmed and lower-cased', async () => {
    await shop.pushed();
    expect(await view('%20ANN%40Example.com%20')).toMatchObject({ recipient_email: 'ann@example.com' });
  });

  test('stopped: opted out', async () => {
    await shop.pushed({ recipient_phone: PHONE_NUMBER });
    await insertStop(service, shop, 'sms', PHONE_NUMBER);
    expect(await view()).toMatchObject({ sms_status: 'stopped' });
  });

  test('404: an address that was never messaged, on GET, PUT and DELETE', async () => {
    const answers = [await shop.get(path('sms')), await setPhone(PHONE_NUMBER), await clearPhone()];
    expect(answers.map(statusAndCode)).toEqual(Array(3).fill('404 recipient.not_found'));
    expect(statusAndCode(await shop.get(path('sms')))).toBe('404 recipient.not_found');
  });

  test('422: a blank or malformed address, before anything runs', async () => {
    for (const email of ['%20', 'ann', 'a@b']) {
      const answers = [
        await shop.get(path('sms', email)),
        await setPhone(PHONE_NUMBER, email),
        await clearPhone(email),
      ];
      for (const answer of answers)
        expect(validationErrorsOf(answer)).toMatchObject([{ type: 'value_error', loc: ['path', 'email'] }]);
    }
  });
});

describe('2.10 setting a number', () => {
  beforeEach(() => shop.pushed());

  test('200: an accepted number makes none into active', async () => {
    const answer = await setPhone('+372 5555 0134');
    const { sms_status_at, sms_consent_at, ...rest } = expectStatus<Record<string, unknown>>(200, answer);
    expect(rest).toEqual({
      recipient_email: 'ann@example.com',
      phone: '+372 •••• 0134',
      sms_status: 'active',
      sms_consent_source: 'api',
    });
    expect(sms_status_at).toBe(sms_consent_at);
    expect(await view()).toEqual(answer.body);
    expect((await shop.pushed({ channels: ['sms'] })).sms).toMatchObject({ queued: true });
  });

  test('the same number again changes nothing', async () => {
    const first = await setPhone(PHONE_NUMBER);
    expect((await setPhone('0037255550134')).text).toBe(first.text);
  });

  test('when and how consent came is written once', async () => {
    const first = await view();
    expect(first.sms_consent_at).toBeNull();
    await setPhone(PHONE_NUMBER);
    const { sms_consent_at } = await view();
    await shop.pushed({ recipient_phone: OTHER_NUMBER });
    await clearPhone();
    await shop.pushed({ recipient_phone: PHONE_NUMBER });
    expect(await view()).toMatchObject({
      sms_consent_at,
      sms_consent_source: 'api',
      phone: '+372 •••• 0134',
    });
  });

  test('an Idempotency-Key is harmless', async () => {
    for (const phone of [PHONE_NUMBER, OTHER_NUMBER]) {
      const answer = await shop.call('PUT', path('phone'), { body: { phone }, idempotencyKey: 'same' });
      expect(answer.body).toMatchObject({ phone: `+372 •••• ${phone.slice(-4)}` });
    }
  });

  test('2.10.1 409: a number held by another recipient of the business is refused and not moved', async () => {
    await shop.pushed({ recipient_email: 'bob@example.com', recipient_phone: PHONE_NUMBER });
    expect(statusAndCode(await setPhone(PHONE_NUMBER))).toBe('409 sms.phone_already_in_use');
    expect(await view()).toMatchObject({ phone: null, sms_status: 'none' });
    expect(await view('bob@example.com')).toMatchObject({ phone: '+372 •••• 0134' });
    await clearPhone('bob@example.com');
    expect((await setPhone(PHONE_NUMBER)).status).toBe(200);
  });

  test('another business’s recipient may hold it', async () => {
    const other = await service.business();
    await other.pushed({ recipient_phone: PHONE_NUMBER });
    expect((await setPhone(PHONE_NUMBER)).status).toBe(200);
  });

  test('2.10.3 changing a number clears WhatsApp consent', async () => {
    await shop.pushed(FULL_PUSH);
    await setPhone(OTHER_NUMBER);
    expect(
      (
        await shop.pushed({
          ...FULL_PUSH,
          recipient_phone: null,
          whatsapp_opt_in: null,
          channels: ['whatsapp'],
        })
      ).whatsapp,
    ).toMatchObject(skippedOutcome('not_opted_in'));
  });

  test('a recipient who stopped stays stopped when given another number', async () => {
    await setPhone(PHONE_NUMBER);
    await insertStop(service, shop, 'sms', PHONE_NUMBER);
    expect((await setPhone(OTHER_NUMBER)).body).toMatchObject({
      phone: '+372 •••• 0177',
      sms_status: 'stopped',
    });
    expect((await shop.pushed({ channels: ['sms'] })).sms).toMatchObject(skippedOutcome('stopped'));
  });

  test('a number that was stopped before is stopped for its next holder', async () => {
    await shop.pushed({ recipient_email: 'bob@example.com', recipient_phone: PHONE_NUMBER });
    await insertStop(service, shop, 'sms', PHONE_NUMBER);
    await clearPhone('bob@example.com');
    expect((await setPhone(PHONE_NUMBER)).body).toMatchObject({ sms_status: 'stopped' });
  });

  test.each(['', '55550134', '+449098790000', '+881612345678', 'x'.repeat(10_000)])(
    '422 sms.phone_invalid: %s',
    async (phone) => {
      expect(statusAndCode(await setPhone(phone))).toBe('422 sms.phone_invalid');
      expect(await view()).toMatchObject({ phone: null });
    },
  );

  test.each([
    [{}, 'missing'],
    [{ phone: null }, 'string_type'],
    [{ phone: 37255550134 }, 'string_type'],
    [{ recipient_phone: PHONE_NUMBER }, 'missing'],
  ])('422: %j', async (body, type) => {
    expect(validationErrorsOf(await shop.put(path('phone'), body))).toMatchObject([
      { type, loc: ['body', 'phone'] },
    ]);
  });
});

describe('2.10 clearing a number', () => {
  test('200: makes active into none; nothing can be texted', async () => {
    await shop.pushed({ recipient_phone: PHONE_NUMBER });
    expect((await clearPhone()).body).toMatchObject({ phone: null, sms_status: 'none' });
    expect((await shop.pushed({ channels: ['sms'] })).sms).toMatchObject(skippedOutcome('no_phone'));
  });

  test('a number that is not there is cleared all the same', async () => {
    await shop.pushed();
    expect((await clearPhone()).body).toMatchObject({ phone: null, sms_status: 'none', sms_status_at: null });
  });

  test('2.10.2 does not clear an opt-out', async () => {
    await shop.pushed({ recipient_phone: PHONE_NUMBER });
    await insertStop(service, shop, 'sms', PHONE_NUMBER);
    expect((await clearPhone()).body).toMatchObject({ phone: null, sms_status: 'stopped' });
    expect((await shop.pushed({ recipient_phone: PHONE_NUMBER, channels: ['sms'] })).sms).toMatchObject(
      skippedOutcome('stopped'),
    );
  });
});
