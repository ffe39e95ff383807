import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '../../src/db/transaction.ts';
import { createHasher } from '../../src/kit/seal.ts';
import { DEFAULT_LANGUAGE } from '../../src/language/languages.ts';
import { type LockedSend, lockSends } from '../../src/outbox/lockSql.ts';
import { type EndedAttempt, recordAcceptedEmails, recordAttempts } from '../../src/outbox/record.ts';
import { keyArrays } from '../../src/outbox/send.ts';
import { cancelWaiting, queueSend } from '../../src/outbox/sendsSql.ts';
import { cancelled } from '../../src/outbox/siblings.ts';
import { applyTransitions } from '../../src/outbox/transition.ts';
import { countsByDay } from '../../src/usage/read.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { insertMessage, insertRecipient, insertSend, insertTestBusiness } from '../support/rows.ts';
import { shortOrLong } from '../support/shortOrLong.ts';

/*
 * Three statements change sends past `transition`: the shorter path for accepted emails, a push that replaces what waits, and a
 * resend. Each must leave the rows that a transition would have left.
 */

const now = new Date('2026-08-20T09:00:00.000Z');
const deps = { hash: createHasher(Buffer.alloc(32, 7)), random: () => 0 };
let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

interface Planned {
  channel: 'email' | 'sms' | 'whatsapp';
  columns: Record<string, unknown>;
  /** A send of the same message that is held until this one has gone out. */
  escalates: boolean;
}

/** A business with these sends, each of a message of its own, in order. */
async function shopWith(sends: readonly Planned[]): Promise<{ id: string; sends: LockedSend[] }> {
  const business = await insertTestBusiness(db.pool, now, { credits: 100 });
  const ids: string[] = [];
  for (const { channel, columns, escalates } of sends) {
    const person = await insertRecipient(db.pool, now, business);
    const message = await insertMessage(db.pool, now, person);
    const held = { state: 'held', escalate_minutes: 30 } as const;
    if (escalates) ids.push(await insertSend(db.pool, now, message, 'sms', held));
    ids.push(await insertSend(db.pool, now, message, channel, columns));
  }
  const locked = await lockSends(db.pool, ...keyArrays(ids.map((id) => ({ business_id: business.id, id }))));
  return {
    id: business.id,
    sends: ids.flatMap((id) => locked.filter((send) => send.id === id)),
  };
}

/** What a shop's rows say, without the ids that differ between two shops. */
async function rowsOf({ id, sends }: { id: string; sends: readonly LockedSend[] }) {
  const read = async (sql: string, ids: readonly string[]) =>
    (await db.pool.query(sql, [id, ids])).rows.map(
      ({ business_id: _, id: _id, send_id: _send, message_id: _message, recipient_id: _person, ...row }) =>
        row,
    );
  const ids = sends.map((send) => send.id);
  return {
    sends: await read(
      'select s.* from sends s where business_id = $1 order by array_position($2::text[], id)',
      ids,
    ),
    attempts: await read(
      'select a.* from send_attempts a where business_id = $1 order by array_position($2::text[], send_id)',
      ids,
    ),
    counts: Object.fromEntries(await countsByDay(db.pool, id, '2026-01-01', '2026-12-31')),
  };
}

const emails = fc.array(
  fc.record({
    channel: fc.constant('email' as const),
    escalates: fc.boolean(),
    columns: fc.record({
      state: fc.constantFrom('submitting' as const, 'submitting' as const, 'delivered' as const),
      attempts: fc.integer({ min: 1, max: 5 }),
      attempt_token: fc.constantFrom('token', 'another'),
      submitted_at: fc.constantFrom(now, new Date('2026-08-19T23:59:59.000Z')),
    }),
  }),
  { minLength: 1, maxLength: 6 },
);

test('the shorter path for accepted emails leaves what a transition leaves', async () => {
  await fc.assert(
    fc.asyncProperty(emails, async (planned) => {
      const [short, long] = [await shopWith(planned), await shopWith(planned)];
      const attemptsOf = ({ sends }: { sends: readonly LockedSend[] }) =>
        sends
          .filter(({ channel }) => channel === 'email')
          .map(
            (send): EndedAttempt => ({
              send: { ...send, attempt_token: 'token' },
              provider: 'test',
              templateLanguage: DEFAULT_LANGUAGE,
              answer: { outcome: 'accepted', providerId: 'x' },
              startedAt: now,
              endedAt: now,
            }),
          );
      const record = (attempts: readonly EndedAttempt[]) =>
        transaction(db.pool, (tx) => recordAttempts(tx, deps, attempts, now));
      const others = await recordAcceptedEmails(db.pool, attemptsOf(short));
      if (others.length > 0) await record(others);
      await record(attemptsOf(long));
      expect(await rowsOf(short)).toEqual(await rowsOf(long));
    }),
    { numRuns: shortOrLong(10, 50) },
  );
});

const waiting = fc.array(
  fc.record({
    channel: fc.constantFrom('email' as const, 'sms' as const, 'whatsapp' as const),
    escalates: fc.constant(false),
    columns: fc.constantFrom({ state: 'queued' as const }, { state: 'held' as const, lease: 'lease' }),
  }),
  { minLength: 1, maxLength: 5 },
);

/** Only the statement about sends: a push moves the credits and counts the usage in others. */
test('a push that replaces what waits leaves the sends that a transition leaves', async () => {
  await fc.assert(
    fc.asyncProperty(waiting, async (planned) => {
      const paid = planned.filter(({ channel, columns }) => channel !== 'email' || columns.state !== 'held');
      const [short, long] = [await shopWith(paid), await shopWith(paid)];
      const rows = short.sends.map(({ business_id, id }) => ({ business_id, id, reason: 'superseded' }));
      await db.pool.query(cancelWaiting('$1', '$2::timestamptz'), [JSON.stringify(rows), now]);
      const changes = long.sends.map((before) => ({ before, after: cancelled(before, 'superseded', now) }));
      await transaction(db.pool, (tx) => applyTransitions(tx, changes, now));
      expect((await rowsOf(short)).sends).toEqual((await rowsOf(long)).sends);
    }),
    { numRuns: shortOrLong(8, 40) },
  );
});

test.each(['sms', 'whatsapp'] as const)(
  'a resend of a held %s leaves the send that a transition leaves, as an ordinary one',
  async (channel) => {
    const held = { channel, escalates: false, columns: { state: 'held', escalate_minutes: 30, lease: 'x' } };
    const [short, long] = [await shopWith([held]), await shopWith([held])];
    const queued = { state: 'queued', due_at: now, credits: 1, reserved: true, country: 'GB' } as const;
    const resent = { purpose: 'resend', escalate_minutes: null } as const;
    const [before] = long.sends;
    if (!before) throw new Error('there is no send');
    await queueSend(db.pool, JSON.stringify({ ...short.sends[0], ...queued, ...resent }));
    const change = { before, after: { ...before, ...queued, lease: null } };
    await transaction(db.pool, (tx) => applyTransitions(tx, [change], now));
    const asResent = (await rowsOf(long)).sends.map((row) => ({ ...row, ...resent }));
    expect((await rowsOf(short)).sends).toEqual(asResent);
  },
);
