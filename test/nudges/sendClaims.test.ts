import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channels } from '../../src/contract/channels.ts';
import { later, SECOND } from '../../src/kit/clock.ts';
import type { ClaimCapacity } from '../../src/outbox/capacity.ts';
import { Claimer } from '../../src/outbox/claim.ts';
import { dueSends } from '../../src/outbox/claimSql.ts';
import { earliest } from '../../src/outbox/dueWorks.ts';
import { CITUS_URL } from '../support/citus.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { type OutboxSend, PromisedSends } from './promisedSends.ts';

const SHOPS = ['shop1', 'shop2', 'shop3', 'shop4', 'shop5', 'shop6'];
const SENDS_MAX = 10;
/** On a cluster each takes several times as long. */
const SITUATIONS = CITUS_URL ? 15 : 40;
const start = new Date('2026-08-20T09:00:00.000Z');
const EVERYTHING: ClaimCapacity = { channels: [...channels], limit: 200, full: [] };

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  const { pool } = database;
  await pool.query('insert into businesses (id, name, created_at) select unnest($1::text[]), $2, $3', [
    SHOPS,
    'Shop',
    start,
  ]);
  await pool.query(
    'insert into recipients (business_id, id, email, created_at) select unnest($1::text[]), $2, $2, $3',
    [SHOPS, 'r', start],
  );
  // A message has one waiting send per channel, so each send has its own.
  await pool.query(
    `insert into messages (business_id, id, recipient_id, subject, body, kind, status, created_at, updated_at)
     select shop, 'm' || n, 'r', 'Hello', 'Hello', 'one_off', 'active', $2, $2
     from unnest($1::text[]) shop, generate_series(1, ${SENDS_MAX}) n`,
    [SHOPS, start],
  );
});
afterAll(() => database.drop());

/** Makes these the only sends. */
async function putSends(sends: readonly OutboxSend[]): Promise<void> {
  await database.pool.query('delete from sends');
  await database.pool.query(
    `insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, due_at, created_at)
     select business_id, id, message_id, 'r', channel, 'nudge', state, due_at, $2
     from json_populate_recordset(null::sends, $1::json)`,
    [JSON.stringify(sends.map((send, at) => ({ ...send, message_id: `m${(at % SENDS_MAX) + 1}` }))), start],
  );
}

const aSend = fc.record({
  channel: fc.constantFrom(...channels),
  state: fc.constantFrom<OutboxSend['state'][]>('queued', 'queued', 'queued', 'held', 'submitting'),
  // Waiting for long, due now, or due later: planned, to be tried again, or under another worker's lease.
  dueInSeconds: fc.integer({ min: -90, max: 60 }),
});
/** Each shop's sends. */
const anOutbox = fc
  .array(fc.array(aSend, { maxLength: SENDS_MAX }), { minLength: 1, maxLength: SHOPS.length })
  .map((shops) =>
    shops.flatMap((sends, shop) =>
      sends.map(
        ({ channel, state, dueInSeconds }, at): OutboxSend => ({
          business_id: SHOPS[shop] ?? '',
          id: `${SHOPS[shop]}.${at}`,
          channel,
          state,
          due_at: later(start, dueInSeconds * SECOND + at),
        }),
      ),
    ),
  );
/** Without a channel: its provider is paused, or all of its calls are in use. */
const someCapacity: fc.Arbitrary<ClaimCapacity> = fc.record({
  channels: fc.subarray([...channels]),
  limit: fc.integer({ min: 1, max: 14 }),
  full: fc.array(
    fc.record({ business_id: fc.constantFrom(...SHOPS), channel: fc.constantFrom(...channels) }),
    { maxLength: 3 },
  ),
});
const someClaims = fc.array(
  fc.record({ capacity: someCapacity, afterSeconds: fc.integer({ min: 0, max: 40 }) }),
  {
    minLength: 1,
    maxLength: 4,
  },
);

test('one worker’s claims take the sends that they promise, whether or not the capacity suffices', async () => {
  await fc.assert(
    fc.asyncProperty(anOutbox, someClaims, async (outbox, claims) => {
      await putSends(outbox);
      const claimer = new Claimer(database.pool);
      const promised = new PromisedSends(outbox);
      let now = start;
      for (const { capacity, afterSeconds } of claims) {
        now = later(now, afterSeconds * SECOND);
        const { sends } = await claimer.claim(capacity, now);
        const claimed = sends.map(({ id }) => id).sort();
        expect(claimed).toEqual(promised.claim(capacity, now, claimed));
      }
    }),
    { numRuns: SITUATIONS },
  );
});

test('the next and the longest-waiting send are found in every queue', async () => {
  await fc.assert(
    fc.asyncProperty(anOutbox, async (outbox) => {
      await putSends(outbox);
      const firstOf = (some: OutboxSend[]): Date | null => earliest(some.map(({ due_at }) => due_at));
      expect({
        next: await dueSends.next(database.pool, start),
        oldest: await dueSends.oldest(database.pool, start),
      }).toEqual({
        next: firstOf(outbox.filter(({ due_at }) => due_at > start)),
        oldest: firstOf(outbox.filter(({ due_at, state }) => due_at <= start && state === 'queued')),
      });
    }),
    { numRuns: SITUATIONS },
  );
});

const waiting = (shop: string, count: number, of: Partial<OutboxSend> = {}): OutboxSend[] =>
  Array.from({ length: count }, (_, at) => ({
    business_id: shop,
    id: `${shop}.${of.channel ?? 'email'}.${at}`,
    channel: 'email',
    state: 'queued',
    due_at: later(start, at - 100),
    ...of,
  }));

describe('a claim', () => {
  test('passes over a send that another transaction holds, and does not wait for it', async () => {
    await putSends([...waiting('shop1', 3), ...waiting('shop2', 1)]);
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      await client.query(`select from sends where business_id = 'shop1' and id = 'shop1.email.1' for update`);
      const { sends } = await new Claimer(database.pool).claim(EVERYTHING, start);
      expect(sends.map(({ id }) => id).sort()).toEqual(['shop1.email.0', 'shop1.email.2', 'shop2.email.0']);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  test('by several workers at once takes each send once, and nothing is left', async () => {
    const outbox = SHOPS.flatMap((shop) => waiting(shop, 8));
    await putSends(outbox);
    const workers = Array.from({ length: 3 }, () => new Claimer(database.pool));
    const claimed: string[] = [];
    for (let round = 0; claimed.length < outbox.length && round < 20; round += 1) {
      const claims = await Promise.all(workers.map((one) => one.claim({ ...EVERYTHING, limit: 9 }, start)));
      claimed.push(...claims.flatMap(({ sends }) => sends.map(({ id }) => id)));
    }
    expect(claimed.sort()).toEqual(outbox.map(({ id }) => id).sort());
  });

  test('claims nothing from a database that was restored', async () => {
    await putSends(waiting('shop1', 2));
    await database.pool.query('update restore_guard set held_since = $1', [start]);
    try {
      expect((await new Claimer(database.pool).claim(EVERYTHING, start)).sends).toEqual([]);
    } finally {
      await database.pool.query(
        'update restore_guard set held_since = null, transaction_id = pg_current_xact_id()::text::bigint & 4294967295',
      );
    }
  });

  test('looks at so many queues and goes on after them, so that all are reached; those that are not due count only on one Postgres', async () => {
    const notYet = { channel: 'sms', due_at: later(start, SECOND) } as const;
    await putSends(SHOPS.flatMap((shop) => [...waiting(shop, 2), ...waiting(shop, 1, notYet)]));
    const claimer = new Claimer(database.pool, undefined, 4);
    const claims: string[][] = [];
    for (let shops = ['']; shops.length > 0; claims.push(shops)) {
      const { sends } = await claimer.claim(EVERYTHING, start);
      shops = [...new Set(sends.map(({ business_id }) => business_id))].sort();
    }
    const [shop1, shop2, shop3, shop4, shop5, shop6] = SHOPS;
    expect(claims).toEqual(
      CITUS_URL
        ? [[shop1, shop2, shop3, shop4], [shop5, shop6], []]
        : [[shop1, shop2], [shop3, shop4], [shop5, shop6], []],
    );
  });
});
