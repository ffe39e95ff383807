import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { later, MINUTE, SECOND } from '../../src/kit/clock.ts';
import type { ClaimCapacity } from '../../src/outbox/capacity.ts';
import { Claimer, SEND_LEASE_MS } from '../../src/outbox/claim.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { insertPush, insertRecipient, insertTestBusiness, type TestBusiness } from '../support/rows.ts';

let database: TestDatabase;
const now = new Date('2026-08-20T09:00:00.000Z');
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('truncate businesses cascade');
});

const capacity = (limit: number, given: Partial<ClaimCapacity> = {}): ClaimCapacity => ({
  channels: ['email', 'sms', 'whatsapp'],
  limit,
  full: [],
  ...given,
});

async function shopWith(emails: number, at = now): Promise<TestBusiness> {
  const shop = await insertTestBusiness(database.pool, now, { credits: 100 });
  for (let n = 0; n < emails; n += 1)
    await insertPush(database.pool, now, await insertRecipient(database.pool, now, shop), { sendAt: at });
  return shop;
}
const count = (sends: { business_id: string }[], { id }: TestBusiness): number =>
  sends.filter(({ business_id }) => business_id === id).length;

test('every business with due sends gets an equal share', async () => {
  const busy = await shopWith(30);
  const quiet = await shopWith(3);
  const { sends } = await new Claimer(database.pool).claim(capacity(10), now);
  expect([count(sends, busy), count(sends, quiet)]).toEqual([5, 3]);
});

test('with more businesses than fit into one claim, all get their turn', async () => {
  const shops: TestBusiness[] = [];
  for (let n = 0; n < 12; n += 1) shops.push(await shopWith(3));
  const claimer = new Claimer(database.pool);
  const claimed: { business_id: string }[] = [];
  for (let n = 0; n < 3; n += 1) claimed.push(...(await claimer.claim(capacity(4), now)).sends);
  expect(shops.map((shop) => count(claimed, shop))).toEqual(shops.map(() => 1));
});

test('a worker that claims until nothing is left finds everything that is due', async () => {
  await shopWith(4);
  for (let n = 0; n < 9; n += 1) await shopWith(1);
  const claimer = new Claimer(database.pool);
  let found = 0;
  for (let more = true; more; ) {
    const claim = await claimer.claim(capacity(9), now);
    found += claim.sends.length;
    ({ more } = claim);
  }
  expect(found).toBe(13);
});

test('two workers never claim the same send, and a lease that runs out makes it due again', async () => {
  await shopWith(20);
  const workers = [new Claimer(database.pool), new Claimer(database.pool)];
  const claims = await Promise.all(workers.map((worker) => worker.claim(capacity(50), now)));
  const ids = claims.flatMap(({ sends }) => sends.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  const rest = await workers[0]?.claim(capacity(50), later(now, SECOND));
  expect(ids.length + (rest?.sends.length ?? 0)).toBe(20);
  const again = await workers[1]?.claim(capacity(50), later(now, SEND_LEASE_MS + 2 * SECOND));
  expect(again?.sends).toHaveLength(20);
});

test('nothing is claimed before its time, on a channel without capacity, or for a business that has its fair share', async () => {
  await shopWith(2, later(now, MINUTE));
  const full = await shopWith(2);
  const claimer = new Claimer(database.pool);
  expect((await claimer.claim(capacity(10, { channels: ['sms'] }), now)).sends).toEqual([]);
  expect(
    (await claimer.claim(capacity(10, { full: [{ business_id: full.id, channel: 'email' }] }), now)).sends,
  ).toEqual([]);
  expect((await claimer.claim(capacity(10), now)).sends).toHaveLength(2);
  expect((await claimer.claim(capacity(10), later(now, MINUTE))).sends).toHaveLength(2 + 2);
});

test('deadlines and lost calls are found even when every channel is full', async () => {
  const shop = await insertTestBusiness(database.pool, now, { credits: 5 });
  const person = await insertRecipient(database.pool, now, shop, { phone: '+447700900123' });
  const { email, sms } = await insertPush(database.pool, now, person, { sms: true, escalateMinutes: 5 });
  await database.pool.query(
    `update sends set state = 'submitting', due_at = $2, attempt_token = 't' where id = $1`,
    [email, now],
  );
  const { sends } = await new Claimer(database.pool).claim(
    capacity(50, { channels: [] }),
    later(now, 5 * MINUTE),
  );
  expect(sends.map(({ id, state }) => [id, state]).sort()).toEqual(
    [
      [email, 'submitting'],
      [sms, 'held'],
    ].sort(),
  );
});
