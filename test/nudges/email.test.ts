import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handleReports } from '../../src/callbacks/reports.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kit/clock.ts';
import { type OutboxHarness, startOutboxHarness } from '../support/outboxHarness.ts';
import { insertRow, insertSend } from '../support/rows.ts';

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
    await world.advance(SECOND);
    expect(await world.sendRow(again.email)).toMatchObject({ state: 'skipped', reason: 'suppressed' });
    expect(await world.sendRow(elsewhere.email)).toMatchObject({
      state: 'skipped',
      reason: 'platform_suppressed',
    });
    expect(await world.sendRow(own.email)).toMatchObject({ state: 'failed', reason: 'bounced' });
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
