import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { BatchError, type PushResult, type Time, type Waypost } from '../../clients/typescript/src/index.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { eventually } from '../support/waiting.ts';
import { clientOf } from './clientOf.ts';
import { type FaultyServer, type ServerFault, serverFaults, startFaultyServer } from './faultyServer.ts';

/** The real service behind a proxy that fails in every way: nothing is doubled, and nothing is given up. */
let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Pauses are a fiftieth of what they would be. */
const shortenedTime: Time = {
  now: () => performance.now(),
  random: Math.random,
  sleep: (ms, signal) => sleep(ms / 50, undefined, signal ? { signal } : {}),
};

const push = (name: string) => ({
  recipient_email: `${name}@example.com`,
  subject: `Order of ${name}`,
  body: 'It has shipped.',
});

async function behindFaults(
  nextFault: () => ServerFault | null,
): Promise<{ shop: Shop; waypost: Waypost; faulty: FaultyServer }> {
  const shop = await service.business();
  const faulty = await startFaultyServer({ target: service.url, nextFault });
  onTestFinished(() => faulty.close());
  const options = { time: shortenedTime, attemptTimeoutMs: 1_500 };
  return { shop, faulty, waypost: clientOf({ url: faulty.url, apiKey: shop.apiKey }, options) };
}

/** The recipients of everything stored, through a client without faults. */
async function stored(shop: Shop): Promise<string[]> {
  const found: string[] = [];
  for await (const { recipient_email } of clientOf(shop).messages.list({ limit: 100 }))
    found.push(recipient_email);
  return found.sort();
}

const AT_ONCE = 20;
const anyFault = (): ServerFault => serverFaults[Math.floor(Math.random() * serverFaults.length)] ?? '503';

test.each(serverFaults)('%s four times in a row: one message, and its one result', async (fault) => {
  let left = 4;
  const { shop, waypost, faulty } = await behindFaults(() => (left-- > 0 ? fault : null));
  const result = await waypost.messages.push(push('ann'));
  expect(result).toMatchObject({ created: true, nudged: true, recipient_email: 'ann@example.com' });
  expect(faulty.requests.length).toBeGreaterThanOrEqual(5);
  expect(new Set(faulty.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect(await stored(shop)).toEqual(['ann@example.com']);
});

test('many pushes at once through faults of every kind: each message once, each person nudged once', async () => {
  const { shop, waypost, faulty } = await behindFaults(() => (Math.random() < 0.6 ? anyFault() : null));
  const names = Array.from({ length: shortOrLong(60, 300) }, (_, index) => `person${index}`);
  const results: PushResult[] = [];
  while (results.length < names.length) {
    const next = names.slice(results.length, results.length + AT_ONCE);
    results.push(...(await Promise.all(next.map((name) => waypost.messages.push(push(name))))));
  }
  const expected = names.map((name) => `${name}@example.com`);
  expect(results.map(({ recipient_email }) => recipient_email)).toEqual(expected);
  expect(await stored(shop)).toEqual([...expected].sort());
  const kinds = new Set(faulty.requests.flatMap(({ fault }) => fault ?? []));
  expect([...kinds].sort()).toEqual([...serverFaults].sort());
  await service.advance({ seconds: 5 });
  const mails = (await clientOf(shop).sandbox.outbox({ channel: 'email' })).filter(
    ({ business_id }) => business_id === shop.businessId,
  );
  expect(mails.map(({ to }) => to).sort()).toEqual([...expected].sort());
});

test('a long batch through faults is stored once, in order', async () => {
  let left = 12;
  const { shop, waypost } = await behindFaults(() => (left-- > 0 ? anyFault() : null));
  const names = Array.from({ length: 230 }, (_, index) => `batched${index}`);
  const result = await waypost.messages.pushBatch(names.map((name) => ({ ...push(name), notify: false })));
  expect(result.items.map((item) => item.result?.recipient_email)).toEqual(
    names.map((name) => `${name}@example.com`),
  );
  expect((await stored(shop)).length).toBe(230);
});

test('a batch that fails for good says what was stored, and goes on from there with its key', async () => {
  let calls = 0;
  const { shop, waypost } = await behindFaults(() => {
    calls += 1;
    return calls === 1 ? null : '503';
  });
  const pushes = Array.from({ length: 150 }, (_, index) => ({ ...push(`half${index}`), notify: false }));
  const error = await waypost.messages.pushBatch(pushes, { deadlineMs: 3_000 }).catch((one: unknown) => one);
  if (!(error instanceof BatchError)) throw error;
  expect(error).toMatchObject({ code: 'common.unavailable', status: 503 });
  expect(error.results.map(({ index, ok }) => ok && index)).toEqual([...Array(100).keys()]);
  expect(await stored(shop)).toHaveLength(100);
  const { idempotencyKey } = error;
  if (idempotencyKey === null) throw new Error('it has no key');
  const whole = await clientOf(shop).messages.pushBatch(pushes, { idempotencyKey });
  expect(whole.items.slice(0, 100)).toEqual(error.results);
  expect(await stored(shop)).toHaveLength(150);
});

test('what is retried until the deadline and lost is not doubled by the next try with its key', async () => {
  const { shop, waypost } = await behindFaults(() => 'reset after');
  const lost: { idempotencyKey: string | null } = await waypost.messages
    .push(push('ann'), { deadlineMs: 500 })
    .then(
      () => Promise.reject(new Error('it did not fail')),
      (error) => error,
    );
  await eventually(async () => expect(await stored(shop)).toEqual(['ann@example.com']));
  const idempotencyKey = lost.idempotencyKey ?? '';
  const again = await clientOf(shop).messages.push(push('ann'), { idempotencyKey });
  expect(again.created).toBe(true);
  expect(await stored(shop)).toEqual(['ann@example.com']);
});

test('a tracking event whose answers are lost is told once, and its repetition says what the first one did', async () => {
  let left = 3;
  const { shop, waypost } = await behindFaults(() => (left-- > 0 ? 'reset after' : null));
  const at = new Date().toISOString();
  const event = {
    tracking_number: 'JD01',
    status: 'delivered',
    at,
    recipient_email: 'ann@example.com',
  } as const;
  const result = await waypost.orders.reportTracking('#1001', event);
  expect(result).toMatchObject({ is_first: true, nudged: true });
  expect(await stored(shop)).toEqual(['ann@example.com']);
});
