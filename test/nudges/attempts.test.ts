import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addressedTo, handleInboundSms } from '../../src/callbacks/inboundSms.ts';
import { handleReports } from '../../src/callbacks/reports.ts';
import { MINUTE, SECOND } from '../../src/kit/clock.ts';
import type { AnyOutbound, Provider, ProviderResponse, Providers } from '../../src/providers/provider.ts';
import { enterPhone } from '../../src/recipients/phones.ts';
import { type OutboxHarness, silentLog, startOutboxHarness } from '../support/outboxHarness.ts';
import { insertSend } from '../support/rows.ts';
import { eventually } from '../support/waiting.ts';

/** A provider that answers as the test says, when the test says so. */
class Scripted {
  readonly got: AnyOutbound[] = [];
  answer: (message: AnyOutbound, signal: AbortSignal) => Promise<ProviderResponse> = async ({
    reference,
  }) => ({
    outcome: 'accepted',
    providerId: reference,
  });
  timeoutMs = 5_000;

  asProviders(): Providers {
    const provider = <Message extends AnyOutbound>(): Provider<Message> => ({
      name: 'scripted',
      maxConcurrent: 10,
      timeoutMs: this.timeoutMs,
      send: (message, signal) => {
        this.got.push(message);
        return this.answer(message, signal);
      },
    });
    return { email: provider(), sms: provider(), whatsapp: provider() };
  }
}

let world: OutboxHarness;
let scripted: Scripted;
async function start(script = new Scripted()): Promise<void> {
  scripted = script;
  world = await startOutboxHarness({ providers: script.asProviders(), log: silentLog });
}
beforeEach(() => start());
afterEach(() => world.close());

async function text() {
  const shop = await world.business({ credits: 5 });
  const person = await world.recipient(shop, { phone: '+447700900222' });
  return { shop, person, ...(await world.push(person, { sms: true })) };
}
const deps = () => ({
  pool: world.pool,
  clock: world.clock,
  hash: world.hash,
  onEvents: () => {},
  onSends: () => world.outbox.wake(),
});

/** An answer that the test gives when it likes. */
function later(): { promise: Promise<ProviderResponse>; give: (answer: ProviderResponse) => void } {
  let give: (answer: ProviderResponse) => void = () => {};
  const promise = new Promise<ProviderResponse>((resolve) => {
    give = resolve;
  });
  return { promise, give };
}

describe('a call', () => {
  test('that throws has an unknown outcome: it has not said that nothing was taken', async () => {
    scripted.answer = async () => {
      throw new Error('socket hang up');
    };
    const { sms } = await text();
    await world.advance(MINUTE);
    expect(await world.sendRow(sms)).toMatchObject({
      state: 'failed',
      error_code: 'sms.submit_outcome_unknown',
      attempts: 1,
    });
  });

  test('that gets no answer ends at its timeout, even when the provider ignores the signal', async () => {
    await world.close();
    const impatient = new Scripted();
    impatient.timeoutMs = 50;
    impatient.answer = () => new Promise(() => {});
    await start(impatient);
    const { sms } = await text();
    await world.outbox.drain();
    expect(await world.sendRow(sms)).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  });

  test('carries the same reference on every attempt, and a link of its own', async () => {
    scripted.answer = async ({ attempt, reference }) =>
      attempt < 3
        ? { outcome: 'not_taken', errorCode: 'ECONNREFUSED' }
        : { outcome: 'accepted', providerId: reference };
    const { shop, sms } = await text();
    await world.advance(10 * MINUTE);
    const calls = scripted.got.filter(({ channel }) => channel === 'sms');
    expect(calls.map(({ reference }) => reference)).toEqual([1, 2, 3].map(() => `${shop.id}-${sms}`));
    expect(new Set(calls.map((call) => call.text)).size).toBe(3);
    expect((await world.pool.query('select 1 from links where send_id = $1', [sms])).rowCount).toBe(1);
  });

  test('refused for now is tried again; over the provider’s limits for good, it says platform_limited and is refunded', async () => {
    scripted.answer = async () => ({ outcome: 'refused', because: 'over_limits', errorCode: '429' });
    const { shop, sms } = await text();
    await world.advance(10 * MINUTE);
    expect(await world.sendRow(sms)).toMatchObject({
      state: 'rejected',
      reason: 'platform_limited',
      attempts: 3,
    });
    expect(await world.credits(shop.id)).toEqual({ balance: 5, reserved: 0, ledger: 5 });
  });

  test('refused for an address that does not exist suppresses the address', async () => {
    scripted.answer = async () => ({ outcome: 'refused', because: 'address', errorCode: '550 5.1.1' });
    const shop = await world.business();
    const person = await world.recipient(shop);
    const first = await world.push(person);
    await world.advance(SECOND);
    const second = await world.push(person);
    await world.advance(SECOND);
    expect(await world.sendRow(first.email)).toMatchObject({ state: 'rejected', reason: 'esp_refused' });
    expect(await world.sendRow(second.email)).toMatchObject({ state: 'skipped', reason: 'suppressed' });
  });
});

describe('while a call is under way', () => {
  test('its credit is spent and the send is submitting, visibly to everybody', async () => {
    const { promise, give } = later();
    scripted.answer = () => promise;
    const { shop, sms } = await text();
    world.outbox.wake();
    await eventually(async () => expect((await world.sendRow(sms)).state).toBe('submitting'));
    expect(await world.credits(shop.id)).toEqual({ balance: 4, reserved: 0, ledger: 4 });
    give({ outcome: 'accepted', providerId: 'p' });
    await world.outbox.drain();
    expect((await world.sendRow(sms)).state).toBe('accepted');
  });

  test('a report that comes before the answer counts, and the answer only adds the attempt', async () => {
    const { promise, give } = later();
    scripted.answer = () => promise;
    const { shop, sms } = await text();
    world.outbox.wake();
    await eventually(async () => expect((await world.sendRow(sms)).state).toBe('submitting'));
    await handleReports(deps(), [
      {
        provider: 'scripted',
        reportId: 'r1',
        reference: `${shop.id}-${sms}`,
        status: 'delivered',
        errorCode: null,
      },
    ]);
    give({ outcome: 'accepted', providerId: 'p' });
    await world.outbox.drain();
    expect(await world.sendRow(sms)).toMatchObject({ state: 'delivered', attempt_token: null });
    expect(
      (await world.pool.query('select outcome from send_attempts where send_id = $1', [sms])).rows,
    ).toEqual([{ outcome: 'accepted' }]);
    expect((await world.eventTypes(shop.id)).filter((type) => type === 'sms.delivered')).toHaveLength(1);
  });

  test('an erasure takes the rows, the answer changes nothing, and a late report creates nothing', async () => {
    const { promise, give } = later();
    scripted.answer = () => promise;
    const { shop, sms } = await text();
    world.outbox.wake();
    await eventually(async () => expect(scripted.got).toHaveLength(2));
    await eventually(async () => expect((await world.sendRow(sms)).state).toBe('submitting'));
    await world.pool.query('delete from links');
    await world.pool.query('delete from sends');
    await world.pool.query('delete from messages');
    await world.pool.query('delete from recipients');
    give({ outcome: 'accepted', providerId: 'p' });
    await world.outbox.drain();
    await handleReports(deps(), [
      {
        provider: 'scripted',
        reportId: null,
        reference: `${shop.id}-${sms}`,
        status: 'bounced',
        errorCode: null,
        permanent: true,
      },
    ]);
    for (const table of [
      'sends',
      'send_attempts',
      'events',
      'message_events',
      'suppressions',
      'platform_suppressions',
    ]) {
      expect((await world.pool.query(`select 1 from ${table}`)).rowCount).toBe(0);
    }
  });

  test('STOP is too late for it, but not for its next attempt', async () => {
    const { promise, give } = later();
    scripted.answer = ({ channel, reference }) =>
      channel === 'sms' ? promise : Promise.resolve({ outcome: 'accepted', providerId: reference });
    const { shop, person, sms } = await text();
    world.outbox.wake();
    await eventually(async () => expect((await world.sendRow(sms)).state).toBe('submitting'));
    await handleInboundSms(deps(), {
      from: person.phone ?? '',
      body: 'STOP',
      audience: addressedTo(shop.id),
      source: null,
    });
    expect((await world.sendRow(sms)).state).toBe('submitting');
    give({ outcome: 'not_taken', errorCode: 'ECONNREFUSED' });
    await world.advance(10 * MINUTE);
    expect(await world.sendRow(sms)).toMatchObject({ state: 'skipped', reason: 'stopped', attempts: 1 });
    expect(await world.credits(shop.id)).toEqual({ balance: 5, reserved: 0, ledger: 5 });
    expect(scripted.got.filter(({ channel }) => channel === 'sms')).toHaveLength(1);
  });

  test('that took nothing makes way for a newer one that waits meanwhile, and its credit is given back', async () => {
    const { promise, give } = later();
    scripted.answer = ({ channel, reference }) =>
      channel === 'email' ? Promise.resolve({ outcome: 'accepted', providerId: reference }) : promise;
    const { shop, person, messageId, sms } = await text();
    world.outbox.wake();
    await eventually(async () => expect((await world.sendRow(sms)).state).toBe('submitting'));
    const due_at = new Date(world.now().getTime() + MINUTE);
    const newer = await insertSend(world.pool, world.now(), { id: messageId, to: person }, 'sms', { due_at });
    give({ outcome: 'not_taken', errorCode: 'ECONNREFUSED' });
    await eventually(async () =>
      expect(await world.sendRow(sms)).toMatchObject({
        state: 'cancelled',
        reason: 'superseded',
        charged: false,
      }),
    );
    expect(await world.credits(shop.id)).toEqual({ balance: 5, reserved: 1, ledger: 5 });
    scripted.answer = async ({ reference }) => ({ outcome: 'accepted', providerId: reference });
    await world.advance(2 * MINUTE);
    expect((await world.sendRow(newer)).state).toBe('accepted');
    expect(await world.credits(shop.id)).toEqual({ balance: 4, reserved: 0, ledger: 4 });
  });

  test('what the carrier says of a number is not held against the one that the person was given meanwhile', async () => {
    const { promise, give } = later();
    scripted.answer = ({ channel, reference }) =>
      channel === 'email' ? Promise.resolve({ outcome: 'accepted', providerId: reference }) : promise;
    const { shop, person, sms } = await text();
    world.outbox.wake();
    await eventually(async () => expect((await world.sendRow(sms)).state).toBe('submitting'));
    const name = { businessId: shop.id, email: person.email };
    await enterPhone(deps(), name, '+447700900333', { source: 'api', actor: 'key:k' });
    give({ outcome: 'refused', because: 'stopped', errorCode: '21610' });
    await eventually(async () => expect((await world.sendRow(sms)).state).toBe('rejected'));
    const { rows } = await world.pool.query('select phone, sms_status from recipients where id = $1', [
      person.id,
    ]);
    expect(rows).toEqual([{ phone: '+447700900333', sms_status: 'active' }]);
    // It waits for the number that it is about.
    const stops = await world.pool.query(`select encode(number_hash, 'hex') as hash from stops`);
    expect(stops.rows).toEqual([{ hash: world.hash.hex('phone', person.phone ?? '') }]);
  });

  test('the outbox stops only once it has ended', async () => {
    const { promise, give } = later();
    scripted.answer = () => promise;
    const { sms } = await text();
    world.outbox.wake();
    await eventually(async () => expect((await world.sendRow(sms)).state).toBe('submitting'));
    const stopped = world.outbox.stop();
    give({ outcome: 'accepted', providerId: 'p' });
    await stopped;
    expect((await world.sendRow(sms)).state).toBe('accepted');
  });
});

test('a stop breaks off calls that do not end: what was surely not taken waits again, the rest is unknown', async () => {
  await world.close();
  const slow = new Scripted();
  slow.timeoutMs = MINUTE;
  slow.answer = ({ channel }, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () =>
        resolve({ outcome: channel === 'email' ? 'not_taken' : 'unknown', errorCode: 'aborted' }),
      );
    });
  await start(slow);
  const { email, sms } = await text();
  world.outbox.wake();
  await eventually(async () => expect(slow.got).toHaveLength(2));
  await world.outbox.stop();
  expect(await world.sendRow(email)).toMatchObject({ state: 'queued', lease: null, attempts: 1 });
  expect(await world.sendRow(sms)).toMatchObject({
    state: 'failed',
    error_code: 'sms.submit_outcome_unknown',
    attempts: 1,
  });
});
