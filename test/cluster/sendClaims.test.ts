import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channels } from '../../src/contract/channels.ts';
import { later, SECOND } from '../../src/kit/clock.ts';
import type { ClaimCapacity } from '../../src/outbox/capacity.ts';
import { Claimer } from '../../src/outbox/claim.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { SITUATIONS, sendClaimForms } from './claimForms.ts';
import { type OutboxSend, PromisedSends } from './promisedSends.ts';

const SHOPS = ['shop1', 'shop2', 'shop3', 'shop4', 'shop5', 'shop6'];
const SENDS_MAX = 10;
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

test(`one worker’s claims take the same sends in every form, whether or not the capacity suffices (${sendClaimForms.map(([form]) => form).join(', ')})`, async () => {
  await fc.assert(
    fc.asyncProperty(anOutbox, someClaims, async (outbox, claims) => {
      for (const [form, claimSends] of sendClaimForms) {
        await putSends(outbox);
        const claimer = new Claimer(database.pool, undefined, claimSends);
        const promised = new PromisedSends(outbox);
        let now = start;
        for (const { capacity, afterSeconds } of claims) {
          now = later(now, afterSeconds * SECOND);
          const { sends } = await claimer.claim(capacity, now);
          const claimed = sends.map(({ id }) => id).sort();
          expect({ form, claimed }).toEqual({ form, claimed: promised.claim(capacity, now, claimed) });
        }
      }
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

describe.each(sendClaimForms)('the claim %s', (form, claimSends) => {
  const range = { after: '', now: start, floor: new Date(0), lease: 'lease', leaseEnd: later(start, SECOND) };

  test('passes over a send that another transaction holds, and does not wait for it', async () => {
    await putSends([...waiting('shop1', 3), ...waiting('shop2', 1)]);
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      await client.query(`select from sends where business_id = 'shop1' and id = 'shop1.email.1' for update`);
      const { rows } = await claimSends(database.pool, EVERYTHING, { ...range, maxQueues: 100 });
      expect(rows.map(({ id }) => id).sort()).toEqual(['shop1.email.0', 'shop1.email.2', 'shop2.email.0']);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  test('by several workers at once takes each send once, and nothing is left', async () => {
    const outbox = SHOPS.flatMap((shop) => waiting(shop, 8));
    await putSends(outbox);
    const workers = Array.from({ length: 3 }, () => new Claimer(database.pool, undefined, claimSends));
    const claimed: string[] = [];
    for (let round = 0; claimed.length < outbox.length && round < 20; round += 1) {
      const claims = await Promise.all(workers.map((one) => one.claim({ ...EVERYTHING, limit: 9 }, start)));
      claimed.push(...claims.flatMap(({ sends }) => sends.map(({ id }) => id ?? '')));
    }
    expect(claimed.sort()).toEqual(outbox.map(({ id }) => id).sort());
  });

  test('claims nothing from a database that was restored', async () => {
    await putSends(waiting('shop1', 2));
    await database.pool.query('update restore_guard set held_since = $1', [start]);
    try {
      const { rows } = await claimSends(database.pool, EVERYTHING, { ...range, maxQueues: 100 });
      expect(rows.filter(({ id }) => id !== null)).toEqual([]);
    } finally {
      await database.pool.query(
        'update restore_guard set held_since = null, transaction_id = pg_current_xact_id()::text::bigint & 4294967295',
      );
    }
  });

  test('that stops after so many queues goes on there, so that all are reached; only one Postgres counts queues that are not due yet', async () => {
    const outbox = SHOPS.flatMap((shop) => [
      ...waiting(shop, 2),
      ...waiting(shop, 1, { channel: 'sms', due_at: later(start, SECOND) }),
    ]);
    await putSends(outbox);
    const claimed: string[] = [];
    const looks: string[] = [];
    for (let after = ''; looks.length === 0 || after !== ''; ) {
      const found = await claimSends(database.pool, EVERYTHING, { ...range, after, maxQueues: 4 });
      claimed.push(...found.rows.flatMap(({ id }) => id ?? []));
      after = found.nextAfter;
      looks.push(after);
    }
    expect(claimed.sort()).toEqual(
      outbox
        .filter(({ channel }) => channel === 'email')
        .map(({ id }) => id)
        .sort(),
    );
    expect(looks).toEqual(form === 'for a cluster' ? ['shop4', ''] : ['shop2', 'shop4', 'shop6', '']);
  });
});
