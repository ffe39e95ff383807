import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handleReports } from '../../src/callbacks/reports.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kit/clock.ts';
import { newId } from '../../src/kit/ids.ts';
import { type OutboxHarness, startOutboxHarness } from '../support/outboxHarness.ts';
import { insertRow, insertSend, type TestRecipient } from '../support/rows.ts';

let world: OutboxHarness;
beforeAll(async () => {
  world = await startOutboxHarness();
});
afterAll(() => world.close());

const report = (
  businessId: string,
  sendId: string,
  status: 'delivered' | 'bounced' | 'complained' | 'failed',
) =>
  handleReports(
    {
      pool: world.pool,
      clock: world.clock,
      hash: world.hash,
      onEvents: () => {},
      onSends: () => world.outbox.wake(),
    },
    [
      {
        provider: 'test',
        reportId: null,
        reference: `${businessId}-${sendId}`,
        status,
        errorCode: null,
        permanent: true,
      },
    ],
  );

describe('an email that goes out', () => {
  test('is reported delivered within a second, and costs nothing', async () => {
    const shop = await world.business({ credits: 5 });
    const ann = await world.recipient(shop);
    const { email } = await world.push(ann);
    await world.advance(SECOND);
    expect(await world.sendRow(email)).toMatchObject({ state: 'delivered', attempts: 1, charged: false });
    expect(await world.eventTypes(shop.id)).toEqual(['message.delivered']);
    expect(await world.credits(shop.id)).toEqual({ balance: 5, reserved: 0, ledger: 5 });
  });

  test('carries the inbox link, one-click unsubscribe headers and a Message-ID of its own', async () => {
    const shop = await world.business({ name: 'Acme Books' });
    const ann = await world.recipient(shop);
    const { email } = await world.push(ann);
    await world.advance(SECOND);
    const [mail] = await world.captured({ to: ann.email });
    const link = /http:\/\/waypost\.test\/i\/([\w-]{22})/.exec(mail?.text ?? '')?.[1] ?? '';
    expect(mail?.html).toContain(`/i/${link}`);
    expect(mail?.headers).toMatchObject({
      'Message-ID': `<${shop.id}-${email}@waypost.test>`,
      'List-Unsubscribe': `<http://waypost.test/unsubscribe/${shop.id}-${ann.id}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    const stored = await world.pool.query('select token_hash::text as hash from links where send_id = $1', [
      email,
    ]);
    expect(stored.rows).toHaveLength(1);
    expect(JSON.stringify(stored.rows)).not.toContain(link);
  });

  test('waits for send_at', async () => {
    const shop = await world.business();
    const ann = await world.recipient(shop);
    const { email } = await world.push(ann, { sendAt: new Date(world.now().getTime() + HOUR) });
    await world.advance(HOUR - SECOND);
    expect((await world.sendRow(email)).state).toBe('queued');
    await world.advance(2 * SECOND);
    expect((await world.sendRow(email)).state).toBe('delivered');
  });
});

describe('what an email shows of its message', () => {
  test('is what the message says when it goes out, to its first lines, in no text', async () => {
    const shop = await world.business({ name: 'Acme', credits: 5 });
    const ann = await world.recipient(shop, { phone: '+447700900123' });
    const { messageId } = await world.push(ann, {
      sms: true,
      sendAt: new Date(world.now().getTime() + HOUR),
      message: { body: 'It comes on Monday.', order_status: 'shipped' },
    });
    const body = `It comes on Tuesday.\nSee https://track.example/1\n${'word '.repeat(1_900)}end`;
    await world.pool.query('update messages set body = $2 where id = $1', [messageId, body]);
    await world.advance(2 * HOUR);
    const [mail] = await world.captured({ to: ann.email });
    expect(mail?.text).toMatch(
      /\n\n✓ Confirmed · ✓ Shipped · In transit · .*\n\nIt comes on Tuesday\.\nSee \[…\]\n(?:word )+word…\n\nRead it/,
    );
    expect(mail?.html).toContain('It comes on Tuesday.<br/>See […]');
    expect(`${mail?.text}${mail?.html}`).not.toMatch(/Monday|track\.example|end$/);
    const [text] = await world.captured({ to: ann.phone ?? '' });
    expect(text?.text).not.toMatch(/day/);
  });
});

describe('the parcels that an email shows', () => {
  const DAY_AHEAD = () => new Date(world.now().getTime() + 3 * DAY).toISOString().slice(0, 10);
  const parcel = (businessId: string, trackingNumber: string, columns: Record<string, unknown> = {}) =>
    insertRow(world.pool, 'shipments', {
      business_id: businessId,
      reference: '#1001',
      tracking_number: trackingNumber,
      id: newId(world.now()),
      carrier: `Carrier of ${trackingNumber}`,
      tracking_url: `https://track.example/${trackingNumber}`,
      updated_at: world.now(),
      ...columns,
    });
  const mailAbout = async (to: TestRecipient, message: Record<string, unknown>) => {
    await world.push(to, { message });
    await world.advance(SECOND);
    const [mail] = await world.captured({ to: to.email });
    return { text: mail?.text ?? '', html: mail?.html ?? '' };
  };

  test('are the one that the push named, else all of the order, in the order in which they were named', async () => {
    const shop = await world.business({ name: 'Acme' });
    for (const number of ['ZZ1', 'AA2', 'MM3']) {
      await parcel(shop.id, number, { expected_on: DAY_AHEAD() });
      await world.advance(SECOND);
    }
    const [ann, ben] = [await world.recipient(shop), await world.recipient(shop)];
    const named = await mailAbout(ann, { tracking_number: 'AA2' });
    expect(named.text).toMatch(/Expected delivery: .*\nCarrier: Carrier of AA2\nTracking number: AA2\n/);
    expect(named.text).toContain('Follow your parcel:\nhttps://track.example/AA2\n');
    expect(named.html).toContain('href="https://track.example/AA2"');
    expect(named.html).toContain('"@type":"ParcelDelivery"');
    expect(`${named.text}${named.html}`).not.toMatch(/ZZ1|MM3|Parcel 1/);
    expect(named.html).not.toContain(ann.email);

    const all = await mailAbout(ben, {});
    expect(all.text).toMatch(
      /Parcel 1 of 3[\s\S]*ZZ1[\s\S]*Parcel 2 of 3[\s\S]*AA2[\s\S]*Parcel 3 of 3[\s\S]*MM3/,
    );
  });

  test('are as known when it goes out, and those of no other order and no other shop', async () => {
    const [shop, other] = [await world.business(), await world.business()];
    await parcel(other.id, 'OTHERSHOP');
    await parcel(shop.id, 'OTHERORDER', { reference: '#1002' });
    await parcel(shop.id, 'HERS', { carrier: 'Before' });
    const ann = await world.recipient(shop);
    await world.push(ann, { sendAt: new Date(world.now().getTime() + HOUR) });
    await world.pool.query(`update shipments set carrier = 'After' where tracking_number = 'HERS'`);
    await world.advance(2 * HOUR);
    const [mail] = await world.captured({ to: ann.email });
    expect(mail?.text).toContain('Carrier: After\n');
    expect(mail?.text).not.toMatch(/OTHER|Before/);
  });

  test('are in no text', async () => {
    const shop = await world.business({ credits: 5 });
    await parcel(shop.id, 'AA2');
    const ann = await world.recipient(shop, { phone: '+447700900123' });
    await world.push(ann, { sms: true, message: { tracking_number: 'AA2' } });
    await world.advance(SECOND);
    const [text] = await world.captured({ to: ann.phone ?? '' });
    expect(text?.channel).toBe('sms');
    expect(text?.text).not.toContain('track');
  });

  test('are not read for a message about no order', async () => {
    const shop = await world.business();
    const ann = await world.recipient(shop);
    const mail = await mailAbout(ann, { reference: null });
    expect(mail.text).not.toContain('Tracking number');
    await world.pool.query('alter table shipments rename to shipments_away');
    try {
      await mailAbout(await world.recipient(shop), { reference: null, subject: 'Still goes out' });
    } finally {
      await world.pool.query('alter table shipments_away rename to shipments');
    }
    expect(await world.eventTypes(shop.id)).toEqual(['message.delivered', 'message.delivered']);
  });
});

describe('an email that is attempted and will never be delivered', () => {
  test('fails as esp_refused when the provider rejects it', async () => {
    const shop = await world.business();
    const { email } = await world.push(await world.recipient(shop, { email: 'refuse@example.com' }));
    await world.advance(SECOND);
    expect(await world.sendRow(email)).toMatchObject({
      state: 'rejected',
      reason: 'esp_refused',
      attempts: 1,
    });
    const [event] = await world.events(shop.id);
    expect(event).toMatchObject({
      type: 'message.failed',
      data: { reason: 'esp_refused', channel: 'email' },
    });
  });

  test('fails as retries_exhausted after five attempts over about half an hour', async () => {
    const shop = await world.business();
    const { email } = await world.push(await world.recipient(shop, { email: 'down@example.com' }));
    await world.advance(25 * MINUTE);
    expect(await world.sendRow(email)).toMatchObject({ state: 'queued', attempts: 4 });
    await world.advance(10 * MINUTE);
    expect(await world.sendRow(email)).toMatchObject({
      state: 'rejected',
      reason: 'retries_exhausted',
      attempts: 5,
    });
    expect(await world.eventTypes(shop.id)).toEqual(['message.failed']);
    expect(await world.captured({ to: 'down@example.com' })).toEqual([]);
  });

  test('fails as outcome_unknown when the provider stops answering, and is never sent a second time', async () => {
    const shop = await world.business();
    const ann = await world.recipient(shop, { email: 'unknown+once@example.com' });
    const { email } = await world.push(ann);
    await world.advance(DAY);
    expect(await world.sendRow(email)).toMatchObject({
      state: 'failed',
      reason: 'outcome_unknown',
      attempts: 1,
    });
    expect(await world.captured({ to: ann.email })).toHaveLength(1);
    expect(await world.eventTypes(shop.id)).toEqual(['message.failed']);
  });

  test('shows as delivered after all when the provider reports so later', async () => {
    const shop = await world.business();
    const { email } = await world.push(await world.recipient(shop, { email: 'unknown+late@example.com' }));
    await world.advance(HOUR);
    await report(shop.id, email, 'delivered');
    await report(shop.id, email, 'delivered');
    expect(await world.sendRow(email)).toMatchObject({ state: 'delivered', reason: null });
    expect(await world.eventTypes(shop.id)).toEqual(['message.failed', 'message.delivered']);
  });
});

test('an email that could not be handed over twice arrives by the third attempt, with one working link', async () => {
  const shop = await world.business();
  const ann = await world.recipient(shop, { email: 'flaky@example.com' });
  const { email } = await world.push(ann);
  await world.advance(HOUR);
  expect(await world.sendRow(email)).toMatchObject({ state: 'delivered', attempts: 3 });
  expect(await world.captured({ to: ann.email })).toHaveLength(1);
  const attempts = await world.pool.query(
    'select attempt, outcome from send_attempts where send_id = $1 order by attempt',
    [email],
  );
  expect(attempts.rows.map(({ outcome }) => outcome)).toEqual(['not_taken', 'not_taken', 'accepted']);
  expect((await world.pool.query('select 1 from links where send_id = $1', [email])).rowCount).toBe(1);
});

/** A sender that is not used yet. */
const UNVERIFIED = [
  ['business_senders', { channel: 'email', address: 'hi@unverified.example' }],
  [
    'sender_domains',
    {
      domain: 'unverified.example',
      selector: 'wp-1',
      public_key: 'MII',
      private_key_sealed: Buffer.alloc(32),
      created_at: new Date(0),
      check_due_at: new Date(0),
    },
  ],
] as const;

describe('what people do with an email', () => {
  test('a hard bounce suppresses the address for the business, and for others on the shared domain', async () => {
    const shop = await world.business();
    const bounced = await world.recipient(shop, { email: 'bounce@example.com' });
    const first = await world.push(bounced);
    await world.advance(SECOND);
    expect(await world.sendRow(first.email)).toMatchObject({ state: 'failed', reason: 'bounced' });
    expect(await world.eventTypes(shop.id)).toEqual(['message.bounced']);

    const again = await world.push(bounced);
    const other = await world.business();
    const elsewhere = await world.push(await world.recipient(other, { email: 'bounce@example.com' }));
    const ownDomain = await world.business();
    await insertRow(world.pool, 'business_senders', {
      business_id: ownDomain.id,
      channel: 'email',
      address: 'hi@own.example',
    });
    const own = await world.push(await world.recipient(ownDomain, { email: 'bounce@example.com' }));
    const unverified = await world.business();
    for (const [table, row] of UNVERIFIED)
      await insertRow(world.pool, table, { business_id: unverified.id, ...row });
    const shared = await world.push(await world.recipient(unverified, { email: 'bounce@example.com' }));
    await world.advance(SECOND);
    expect(await world.sendRow(again.email)).toMatchObject({ state: 'skipped', reason: 'suppressed' });
    expect(await world.sendRow(elsewhere.email)).toMatchObject({
      state: 'skipped',
      reason: 'platform_suppressed',
    });
    expect(await world.sendRow(own.email)).toMatchObject({ state: 'failed', reason: 'bounced' });
    expect((await world.sendRow(shared.email)).reason).toBe('platform_suppressed');
  });

  test('a complaint stops further email from that business alone', async () => {
    const shop = await world.business();
    const annoyed = await world.recipient(shop, { email: 'complain@example.com' });
    const first = await world.push(annoyed);
    await world.advance(SECOND);
    expect(await world.eventTypes(shop.id)).toEqual(['message.delivered', 'message.complained']);
    expect((await world.sendRow(first.email)).complained_at).not.toBeNull();

    const again = await world.push(annoyed);
    const elsewhere = await world.push(
      await world.recipient(await world.business(), { email: 'complain@example.com' }),
    );
    await world.advance(SECOND);
    expect(await world.sendRow(again.email)).toMatchObject({ state: 'skipped', reason: 'suppressed' });
    expect((await world.sendRow(elsewhere.email)).state).toBe('delivered');
  });

  test('a silent mailbox leaves it as sent', async () => {
    const shop = await world.business();
    const { email } = await world.push(await world.recipient(shop, { email: 'silent@example.com' }));
    await world.advance(DAY);
    expect((await world.sendRow(email)).state).toBe('accepted');
    expect(await world.eventTypes(shop.id)).toEqual([]);
  });
});

describe('an email is looked at again when it runs', () => {
  test.each([
    ['sending_paused', { paused: true }],
    ['business_inactive', { active: false }],
    ['plan_lapsed', { plan: 'lapsed' }],
    ['plan_lapsed', { plan: 'past_due', plan_period_end: new Date('2026-08-01T00:00:00Z') }],
  ])('%s stops it', async (reason, columns) => {
    const shop = await world.business(columns);
    const ann = await world.recipient(shop);
    const { email } = await world.push(ann);
    await world.advance(SECOND);
    expect(await world.sendRow(email)).toMatchObject({ state: 'skipped', reason, attempts: 0 });
    const notSent = (await world.events(shop.id)).filter(({ type }) => type === 'message.not_sent');
    expect(notSent).toEqual([
      { type: 'message.not_sent', data: expect.objectContaining({ reason, channel: 'email' }) },
    ]);
    expect(await world.captured({ to: ann.email })).toEqual([]);
  });

  test.each([
    ['message_retracted', { status: 'retracted' }],
    ['message_obsolete', { status: 'obsolete' }],
  ])('%s stops it', async (reason, columns) => {
    const shop = await world.business();
    const { email } = await world.push(await world.recipient(shop), { message: columns });
    await world.advance(SECOND);
    expect(await world.sendRow(email)).toMatchObject({ state: 'skipped', reason });
  });

  test('unsubscribed stops it, also when only the address is still known', async () => {
    const shop = await world.business();
    const gone = await world.push(await world.recipient(shop, { unsubscribed_at: world.now() }));
    const back = await world.recipient(shop);
    await insertRow(world.pool, 'suppressions', {
      business_id: shop.id,
      email_hash: world.hash('email', back.email),
      reason: 'unsubscribe',
      at: world.now(),
    });
    const again = await world.push(back);
    await world.advance(SECOND);
    expect(await world.sendRow(gone.email)).toMatchObject({ state: 'skipped', reason: 'unsubscribed' });
    expect(await world.sendRow(again.email)).toMatchObject({ state: 'skipped', reason: 'unsubscribed' });
  });

  test('the daily cap is final for a send: it is not tried again when the cap resets', async () => {
    const shop = await world.business({ daily_email_cap: 2 });
    const emails = [];
    for (let n = 0; n < 3; n += 1) emails.push((await world.push(await world.recipient(shop))).email);
    await world.advance(SECOND);
    const states = await Promise.all(emails.map((id) => world.sendRow(id)));
    expect(states.filter(({ state }) => state === 'delivered')).toHaveLength(2);
    expect(states.filter(({ reason }) => reason === 'daily_cap_reached')).toHaveLength(1);
    await world.advance(2 * DAY);
    expect(
      (await Promise.all(emails.map((id) => world.sendRow(id)))).filter(({ state }) => state === 'skipped'),
    ).toHaveLength(1);
    const tomorrow = await world.push(await world.recipient(shop));
    await world.advance(SECOND);
    expect((await world.sendRow(tomorrow.email)).state).toBe('delivered');
  });

  test('a second attempt needs no second place under the cap', async () => {
    const shop = await world.business({ daily_email_cap: 1 });
    const { email } = await world.push(await world.recipient(shop, { email: 'flaky+cap@example.com' }));
    await world.advance(HOUR);
    expect((await world.sendRow(email)).state).toBe('delivered');
  });
});

test('a later nudge of the same message goes out on its own after the first was not sent', async () => {
  const shop = await world.business({ paused: true });
  const ann = await world.recipient(shop);
  const { messageId, email } = await world.push(ann);
  await world.advance(SECOND);
  await world.pool.query('update businesses set paused = false where id = $1', [shop.id]);
  await world.advance(MINUTE);
  const again = await insertSend(world.pool, world.now(), { id: messageId, to: ann }, 'email');
  await world.advance(SECOND);
  expect((await world.sendRow(email)).state).toBe('skipped');
  expect((await world.sendRow(again)).state).toBe('delivered');
  expect(await world.eventTypes(shop.id)).toEqual(['message.not_sent', 'message.delivered']);
});
