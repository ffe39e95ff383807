import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kit/clock.ts';
import { type OutboxHarness, startOutboxHarness } from '../support/outboxHarness.ts';
import { insertRow } from '../support/rows.ts';

let world: OutboxHarness;
beforeAll(async () => {
  world = await startOutboxHarness();
});
afterAll(() => world.close());

const paidChannels = ['sms', 'whatsapp'] as const;

/** A person whose number ends so, with a shop that has credits. */
async function personEndingIn(ending: string, columns = {}) {
  const shop = await world.business({ credits: 10, ...columns });
  return { shop, person: await world.recipient(shop, { phone: `+4477009${ending.padStart(5, '1')}` }) };
}

const paidEvents = async (businessId: string) =>
  (await world.events(businessId)).filter(({ type }) => !type.startsWith('message.'));

describe.each(paidChannels)('a message by %s', (channel) => {
  test('is charged when it is sent, and reported delivered', async () => {
    const { shop, person } = await personEndingIn('0123');
    const made = await world.push(person, { [channel]: true });
    expect(await world.credits(shop.id)).toEqual({ balance: 10, reserved: 1, ledger: 10 });
    await world.advance(SECOND);
    expect(await world.sendRow(made[channel])).toMatchObject({
      state: 'delivered',
      charged: true,
      reserved: false,
    });
    expect(await world.credits(shop.id)).toEqual({ balance: 9, reserved: 0, ledger: 9 });
    expect(await paidEvents(shop.id)).toEqual([
      {
        type: `${channel}.delivered`,
        data: {
          message_id: made.messageId,
          recipient_email: person.email,
          recipient_phone: '+44 •••• 0123',
          country_code: 'GB',
          credits_charged: 1,
          channel,
          error_code: null,
        },
      },
    ]);
  });

  test('that got no answer is never submitted again, ends failed, and its credit is kept', async () => {
    const { shop, person } = await personEndingIn('9002');
    const made = await world.push(person, { [channel]: true });
    await world.advance(DAY);
    expect(await world.sendRow(made[channel])).toMatchObject({
      state: 'failed',
      error_code: `${channel}.submit_outcome_unknown`,
      attempts: 1,
      charged: true,
    });
    expect(await world.credits(shop.id)).toMatchObject({ balance: 9, ledger: 9 });
    expect(await world.captured({ to: person.phone ?? '', channel })).toHaveLength(1);
    expect(await paidEvents(shop.id)).toMatchObject([
      {
        type: `${channel}.failed`,
        data: { error_code: `${channel}.submit_outcome_unknown`, credits_charged: 1 },
      },
    ]);
  });

  test('that the provider refuses ends rejected, and the credit is refunded', async () => {
    const { shop, person } = await personEndingIn('9001');
    const made = await world.push(person, { [channel]: true });
    await world.advance(HOUR);
    expect(await world.sendRow(made[channel])).toMatchObject({
      state: 'rejected',
      error_code: `${channel}.submit_refused`,
      charged: false,
    });
    expect(await world.credits(shop.id)).toEqual({ balance: 10, reserved: 0, ledger: 10 });
    expect(await paidEvents(shop.id)).toMatchObject([
      { type: `${channel}.rejected`, data: { error_code: `${channel}.submit_refused`, credits_charged: 0 } },
    ]);
  });

  test('that never reaches the provider is given up after three attempts over about five minutes, and refunded', async () => {
    const { shop, person } = await personEndingIn('9007');
    const made = await world.push(person, { [channel]: true });
    await world.advance(4 * MINUTE);
    expect(await world.sendRow(made[channel])).toMatchObject({ state: 'queued', attempts: 2, charged: true });
    await world.advance(2 * MINUTE);
    expect(await world.sendRow(made[channel])).toMatchObject({
      state: 'rejected',
      error_code: `${channel}.never_submitted`,
      attempts: 3,
      charged: false,
    });
    expect(await world.credits(shop.id)).toEqual({ balance: 10, reserved: 0, ledger: 10 });
    expect(await world.captured({ to: person.phone ?? '' })).toEqual([]);
    expect((await paidEvents(shop.id)).map(({ type }) => type)).toEqual([`${channel}.rejected`]);
  });

  test('that the provider could not be reached for twice goes out by the third attempt, charged once', async () => {
    const { shop, person } = await personEndingIn('9006');
    const made = await world.push(person, { [channel]: true });
    await world.advance(HOUR);
    expect(await world.sendRow(made[channel])).toMatchObject({ state: 'delivered', attempts: 3 });
    expect(await world.credits(shop.id)).toEqual({ balance: 9, reserved: 0, ledger: 9 });
  });

  test('that was taken and later reported failed keeps its credit', async () => {
    const { shop, person } = await personEndingIn('9003');
    const made = await world.push(person, { [channel]: true });
    await world.advance(SECOND);
    expect(await world.sendRow(made[channel])).toMatchObject({
      state: 'failed',
      error_code: 'handset_unreachable',
      charged: true,
    });
    expect(await world.credits(shop.id)).toMatchObject({ balance: 9, ledger: 9 });
    expect((await paidEvents(shop.id)).map(({ type }) => type)).toEqual([`${channel}.failed`]);
  });

  test('without any report stays queued', async () => {
    const { shop, person } = await personEndingIn('9004');
    const made = await world.push(person, { [channel]: true });
    await world.advance(DAY);
    expect((await world.sendRow(made[channel])).state).toBe('accepted');
    expect(await paidEvents(shop.id)).toEqual([]);
  });
});

test('a WhatsApp message that is read says so, after it was delivered', async () => {
  const { shop, person } = await personEndingIn('9008');
  const { whatsapp } = await world.push(person, { whatsapp: true });
  await world.advance(SECOND);
  expect((await world.sendRow(whatsapp)).state).toBe('read');
  expect((await paidEvents(shop.id)).map(({ type }) => type)).toEqual([
    'whatsapp.delivered',
    'whatsapp.read',
  ]);
});

test('a number learned not to be on WhatsApp is refunded, remembered for 30 days, and texted all the same', async () => {
  const { shop, person } = await personEndingIn('9005');
  const first = await world.push(person, { whatsapp: true });
  await world.advance(SECOND);
  expect(await world.sendRow(first.whatsapp)).toMatchObject({ state: 'rejected', charged: false });
  expect(await world.credits(shop.id)).toEqual({ balance: 10, reserved: 0, ledger: 10 });

  const second = await world.push(person, { whatsapp: true, sms: true });
  await world.advance(SECOND);
  expect(await world.sendRow(second.whatsapp)).toMatchObject({ state: 'skipped', reason: 'not_reachable' });
  expect((await world.sendRow(second.sms)).state).toBe('delivered');

  await world.advance(31 * DAY);
  const third = await world.push(person, { whatsapp: true });
  await world.advance(SECOND);
  expect((await world.sendRow(third.whatsapp)).state).toBe('rejected');
});

describe('what a text says', () => {
  test('is the service’s own words by status and reference, with a link, and never subject or body', async () => {
    const { person } = await personEndingIn('0130');
    await world.push(person, {
      sms: true,
      message: {
        subject: 'SUBJECT-CANARY',
        body: 'BODY-CANARY',
        reference: '#77',
        order_status: 'ready_for_pickup',
      },
    });
    await world.advance(SECOND);
    const [text] = await world.captured({ to: person.phone ?? '' });
    expect(text?.text).toMatch(/your order #77 is ready for pickup/i);
    expect(text?.text).toMatch(/http:\/\/waypost\.test\/i\/[\w-]{22}/);
    expect(text?.text).not.toMatch(/CANARY/);
  });

  test('a WhatsApp message fills the template of its status', async () => {
    const { person } = await personEndingIn('0131');
    await world.push(person, {
      whatsapp: true,
      message: { subject: 'SUBJECT-CANARY', reference: '#78' },
    });
    await world.advance(SECOND);
    const [captured] = await world.captured({ to: person.phone ?? '', channel: 'whatsapp' });
    expect(captured?.template).toMatchObject({
      language: 'en',
      parameters: ['Acme Books', '#78', expect.stringContaining('/i/')],
    });
    expect(JSON.stringify(captured)).not.toContain('CANARY');
  });
});

describe('a paid message is looked at again when it runs', () => {
  const cases: [string, 'sms' | 'whatsapp', Record<string, unknown>, Record<string, unknown>][] = [
    ['sending_paused', 'sms', { paused: true }, {}],
    ['sending_paused', 'whatsapp', { active: false }, {}],
    ['sms_not_enabled', 'sms', { sms_mode: 'not_enabled' }, {}],
    ['whatsapp_not_enabled', 'whatsapp', { whatsapp_mode: 'not_enabled' }, {}],
    ['sms_disabled', 'sms', { sms_mode: 'off' }, {}],
    ['whatsapp_disabled', 'whatsapp', { whatsapp_mode: 'off' }, {}],
    ['unsubscribed', 'sms', {}, { unsubscribed_at: new Date('2026-08-01T00:00:00Z') }],
    ['unsubscribed', 'whatsapp', {}, { unsubscribed_at: new Date('2026-08-01T00:00:00Z') }],
    ['no_phone', 'sms', {}, { phone: null, phone_country: null, sms_status: 'none' }],
    ['stopped', 'sms', {}, { sms_status: 'stopped', sms_stopped_by: 'inbox' }],
    ['stopped', 'whatsapp', {}, { whatsapp_status: 'stopped' }],
    ['not_opted_in', 'whatsapp', {}, { whatsapp_status: 'none' }],
    ['country_not_allowed', 'sms', { countries: ['EE', 'FI'] }, {}],
    ['country_not_allowed', 'whatsapp', { countries: ['EE', 'FI'] }, {}],
    ['country_not_allowed', 'sms', { countries: ['US'] }, { phone_country: 'US' }],
    ['country_not_allowed', 'sms', {}, { phone_country: 'CA' }],
  ];
  let number = 200;
  test.each(cases)('%s stops %s', async (reason, channel, account, person) => {
    number += 1;
    const shop = await world.business({ credits: 3, ...account });
    const who = await world.recipient(shop, {
      phone: `+4477009${String(number).padStart(5, '0')}`,
      ...person,
    });
    const made = await world.push(who, { [channel]: true });
    await world.advance(SECOND);
    expect(await world.sendRow(made[channel])).toMatchObject({
      state: 'skipped',
      reason,
      attempts: 0,
      charged: false,
    });
    expect(await world.credits(shop.id)).toEqual({ balance: 3, reserved: 0, ledger: 3 });
    expect(await paidEvents(shop.id)).toEqual([]);
  });

  test.each([
    ['no reference', { reference: null }],
    ['no order status', { order_status: null }],
    ['an order status that is not known', { order_status: 'teleported' }],
    ['a reference a phone could turn into a link', { reference: 'evil.com/x' }],
  ])('template_not_sendable: %s', async (_, columns) => {
    const { shop, person } = await personEndingIn('0140');
    const { whatsapp } = await world.push(person, { whatsapp: true, message: columns });
    await world.advance(SECOND);
    expect(await world.sendRow(whatsapp)).toMatchObject({
      state: 'skipped',
      reason: 'template_not_sendable',
    });
    expect(await world.credits(shop.id)).toEqual({ balance: 10, reserved: 0, ledger: 10 });
  });

  test('template_not_sendable: the business name cannot be displayed, or the template is still in review', async () => {
    const unnamed = await personEndingIn('0141', { name: 'shop.example' });
    const hidden = await world.push(unnamed.person, { whatsapp: true });
    await world.pool.query(
      `update whatsapp_templates set state = 'in_review' where order_status = 'delayed'`,
    );
    const waiting = await personEndingIn('0142');
    const inReview = await world.push(waiting.person, {
      whatsapp: true,
      message: { order_status: 'delayed' },
    });
    await world.advance(SECOND);
    expect(await world.sendRow(hidden.whatsapp)).toMatchObject({
      state: 'skipped',
      reason: 'template_not_sendable',
    });
    expect(await world.sendRow(inReview.whatsapp)).toMatchObject({
      state: 'skipped',
      reason: 'template_not_sendable',
    });
  });

  test('stopped: a stop kept by number alone counts, also for the next holder', async () => {
    const { shop, person } = await personEndingIn('0143');
    await insertRow(world.pool, 'stops', {
      business_id: shop.id,
      channel: 'sms',
      number_hash: world.hash('phone', person.phone ?? ''),
      made_by: 'text',
      at: world.now(),
    });
    const { sms } = await world.push(person, { sms: true });
    await world.advance(SECOND);
    expect(await world.sendRow(sms)).toMatchObject({ state: 'skipped', reason: 'stopped' });
  });

  test('sms_warmup_cap_reached: 50 texts a day for the first fourteen days, then as many as you like', async () => {
    const shop = await world.business({ credits: 100, warmup: true });
    await world.pool.query(
      `update usage_slots set day = $2, texts_today = 49 where business_id = $1 and slot = 0`,
      [shop.id, world.now()],
    );
    const people = [
      await world.recipient(shop, { phone: '+447700950001' }),
      await world.recipient(shop, { phone: '+447700950002' }),
    ];
    const texts = [];
    for (const person of people) texts.push((await world.push(person, { sms: true })).sms);
    await world.advance(SECOND);
    const rows = await Promise.all(texts.map((id) => world.sendRow(id)));
    expect(rows.map(({ state, reason }) => reason ?? state).sort()).toEqual([
      'delivered',
      'sms_warmup_cap_reached',
    ]);

    await world.advance(14 * DAY);
    await world.pool.query(
      `update usage_slots set day = $2, texts_today = 50 where business_id = $1 and slot = 0`,
      [shop.id, world.now()],
    );
    const [person] = people;
    if (!person) throw new Error('nobody');
    const later = await world.push(person, { sms: true });
    await world.advance(SECOND);
    expect((await world.sendRow(later.sms)).state).toBe('delivered');
  });

  test('rate_limited: more paid messages to one person in an hour than the operator allows', async () => {
    const { shop, person } = await personEndingIn('0150', { paid_per_recipient_hour: 2 });
    const first = await world.push(person, { sms: true, whatsapp: true });
    await world.advance(SECOND);
    const second = await world.push(person, { sms: true });
    await world.advance(SECOND);
    expect((await world.sendRow(first.sms)).state).toBe('delivered');
    expect(await world.sendRow(second.sms)).toMatchObject({ state: 'skipped', reason: 'rate_limited' });
    await world.advance(HOUR);
    const third = await world.push(person, { sms: true });
    await world.advance(SECOND);
    expect((await world.sendRow(third.sms)).state).toBe('delivered');
    expect(await world.credits(shop.id)).toEqual({ balance: 7, reserved: 0, ledger: 7 });
  });

  test('an unsubscribed or lapsed plan: a lapsed plan stops email alone', async () => {
    const { shop, person } = await personEndingIn('0151', { plan: 'lapsed' });
    const made = await world.push(person, { sms: true });
    await world.advance(SECOND);
    expect(await world.sendRow(made.email)).toMatchObject({ state: 'skipped', reason: 'plan_lapsed' });
    expect((await world.sendRow(made.sms)).state).toBe('delivered');
    expect(await world.credits(shop.id)).toMatchObject({ balance: 9 });
  });
});
