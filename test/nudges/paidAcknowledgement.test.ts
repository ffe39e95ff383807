import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '../../src/db/transaction.ts';
import { eraseRecipient } from '../../src/erasure/erasure.ts';
import { HOUR, MINUTE, SECOND } from '../../src/kit/clock.ts';
import type { Send } from '../../src/outbox/send.ts';
import { listReplies } from '../../src/recipients/repliesSql.ts';
import { personReplies } from '../../src/sandbox/reports.ts';
import { type Counter, counters } from '../../src/usage/counters.ts';
import { countsByDay } from '../../src/usage/read.ts';
import { recountByDay } from '../../src/usage/rebuild.ts';
import { type OutboxHarness, startOutboxHarness } from '../support/outboxHarness.ts';
import type { TestRecipient } from '../support/rows.ts';

let world: OutboxHarness;
beforeAll(async () => {
  world = await startOutboxHarness();
});
afterAll(() => world.close());

/** A shop that pays 2 credits for an acknowledgement, and a customer whose number ends so. */
async function customerEndingIn(ending: string, columns = {}) {
  const shop = await world.business({ credits: 10, reply_ack_credits: 2, ...columns });
  return { shop, person: await world.recipient(shop, { phone: `+4477009${ending.padStart(5, '1')}` }) };
}

/** The outbox is not woken, so that what is queued waits until the clock moves. */
const writes = (person: TestRecipient, body = 'Hello') =>
  personReplies(
    { pool: world.pool, clock: world.clock, hash: world.hash, onEvents: () => {}, onSends: () => {} },
    { from: person.phone ?? '', body, businessId: person.businessId },
  );

async function acknowledgements({ id }: TestRecipient): Promise<Send[]> {
  const found = await world.pool.query<Send>(
    `select * from sends where recipient_id = $1 and purpose = 'reply_ack' order by id`,
    [id],
  );
  return found.rows;
}

const set = (businessId: string, setting: string, value: string | number) =>
  world.pool.query(`update businesses set ${setting} = $2 where id = $1`, [businessId, value]);

const ALL = ['2020-01-01', '2100-01-01'] as const;
/** What was counted; a recount finds the same. */
async function usage(businessId: string) {
  const counted = await countsByDay(world.pool, businessId, ...ALL);
  expect(await recountByDay(world.pool, businessId, ...ALL)).toEqual(counted);
  const [day] = [...counted.values()];
  const of = (counter: Counter): number => day?.amounts[counters.indexOf(counter)] ?? 0;
  return { sent: of('whatsapp_sent'), credits: of('whatsapp_credits') };
}

test('its credits are set aside, charged once when it goes out, and counted by country and in the usage', async () => {
  const { shop, person } = await customerEndingIn('0123');
  await writes(person);
  expect(await world.credits(shop.id)).toEqual({ balance: 10, reserved: 2, ledger: 10 });
  await world.advance(SECOND);
  expect(await acknowledgements(person)).toMatchObject([
    { state: 'delivered', credits: 2, reserved: false, charged: true, country: 'GB' },
  ]);
  expect(await world.credits(shop.id)).toEqual({ balance: 8, reserved: 0, ledger: 8 });
  const { rows } = await world.pool.query(
    'select country, credits from credits_by_country where business_id = $1',
    [shop.id],
  );
  expect(rows).toEqual([{ country: 'GB', credits: 2 }]);
  expect(await usage(shop.id)).toEqual({ sent: 0, credits: 2 });
  expect(await world.eventTypes(shop.id)).toEqual(['whatsapp.inbound_message']);
});

test.each([
  ['9001', 'rejected', 1, 10],
  ['9007', 'rejected', 3, 10],
  ['9006', 'delivered', 3, 8],
  ['9002', 'failed', 1, 8],
])(
  'to a number ending in %s it ends %s after %i attempts, and %i credits are left',
  async (ending, state, attempts, left) => {
    const { shop, person } = await customerEndingIn(ending);
    await writes(person);
    await world.advance(10 * MINUTE);
    expect(await acknowledgements(person)).toMatchObject([{ state, attempts, charged: left < 10 }]);
    expect(await world.credits(shop.id)).toEqual({ balance: left, reserved: 0, ledger: left });
    expect((await usage(shop.id)).credits).toBe(10 - left);
  },
);

test('without enough credits it is skipped, once in 24 hours, and the replies say why', async () => {
  const { shop, person } = await customerEndingIn('0124', { credits: 1 });
  await writes(person);
  await world.advance(SECOND);
  await writes(person, 'Hello?');
  expect(await acknowledgements(person)).toMatchObject([
    { state: 'skipped', reason: 'insufficient_credit', credits: 2, reserved: false, charged: false },
  ]);
  expect(await world.captured({ to: person.phone ?? '' })).toEqual([]);
  expect(await world.credits(shop.id)).toEqual({ balance: 1, reserved: 0, ledger: 1 });
  const replies = await listReplies(world.pool, shop.id, ' unread ~', 10);
  expect(replies.map((reply) => [reply.body, reply.not_acknowledged])).toEqual([
    ['Hello?', null],
    ['Hello', 'insufficient_credit'],
  ]);
});

test('what other messages have set aside cannot be spent on it', async () => {
  const { shop, person } = await customerEndingIn('0125', { credits: 2 });
  await world.push(person, { sms: true, sendAt: new Date(world.now().getTime() + HOUR) });
  await writes(person);
  expect(await acknowledgements(person)).toMatchObject([{ state: 'skipped', reason: 'insufficient_credit' }]);
  expect(await world.credits(shop.id)).toEqual({ balance: 2, reserved: 1, ledger: 2 });
});

test('one that waits while the price changes costs what was set aside for it', async () => {
  const { shop, person } = await customerEndingIn('0126');
  await writes(person);
  await set(shop.id, 'reply_ack_credits', 9);
  await world.advance(SECOND);
  expect(await acknowledgements(person)).toMatchObject([{ state: 'delivered', credits: 2 }]);
  expect(await world.credits(shop.id)).toEqual({ balance: 8, reserved: 0, ledger: 8 });
});

test('one that waits while it is switched off, or while STOP comes, is skipped and its credits are free again', async () => {
  const { shop, person } = await customerEndingIn('0127');
  await writes(person);
  await set(shop.id, 'reply_ack', 'off');
  await world.advance(SECOND);
  expect(await acknowledgements(person)).toMatchObject([{ state: 'skipped', reason: 'not_needed' }]);
  expect(await world.credits(shop.id)).toEqual({ balance: 10, reserved: 0, ledger: 10 });

  const other = await customerEndingIn('0128');
  await writes(other.person);
  await writes(other.person, 'STOP');
  expect(await acknowledgements(other.person)).toMatchObject([{ state: 'skipped', reason: 'stopped' }]);
  expect(await world.credits(other.shop.id)).toEqual({ balance: 10, reserved: 0, ledger: 10 });
});

test('while it is off there is none, and the next reply after it is on again has one', async () => {
  const { person } = await customerEndingIn('0129', { reply_ack: 'off' });
  await writes(person);
  expect(await acknowledgements(person)).toEqual([]);
  await set(person.businessId, 'reply_ack', 'on');
  await writes(person, 'Hello?');
  expect(await acknowledgements(person)).toHaveLength(1);
});

test('erasing the customer frees what it had set aside', async () => {
  const { shop, person } = await customerEndingIn('0130');
  await writes(person);
  const request = { businessId: shop.id, email: person.email, actor: 'operator' };
  await transaction(world.pool, (tx) => eraseRecipient(tx, world, request));
  expect(await world.credits(shop.id)).toEqual({ balance: 10, reserved: 0, ledger: 10 });
});
