import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, shardsOf } from '../../src/db/pool.ts';
import { createHasher, type Hasher } from '../../src/kit/seal.ts';
import type { TraceSpan } from '../../src/kit/tracing.ts';
import { writeGroupChanges, writeGroupInserts } from '../../src/push/applySql.ts';
import { ChangeRows } from '../../src/push/changeRows.ts';
import { applyToSnapshot, type Decision, decide } from '../../src/push/decide.ts';
import { insertRows } from '../../src/push/insertRows.ts';
import { loadGroup, preload } from '../../src/push/load.ts';
import { responseRow } from '../../src/push/outcomes.ts';
import { pushKey } from '../../src/push/records.ts';
import type { PushItem } from '../../src/push/request.ts';
import type { PushSnapshot } from '../../src/push/snapshot.ts';
import type { WriteSet } from '../../src/push/writeSet.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { request } from '../support/pushState.ts';
import { insertRecipient, insertRow, insertTestBusiness, type TestBusiness } from '../support/rows.ts';
import { shortOrLong } from '../support/shortOrLong.ts';

/*
 * Most groups of pushes only add messages to people of whom nothing but an address is known. They are loaded and written by
 * shorter statements than the others. Whatever the shorter way can do, both ways must do alike.
 */

const NOW = new Date('2026-08-20T09:15:00.000Z');
const GROUPS = shortOrLong(250, 5_000);

let database: TestDatabase;
let hash: Hasher;
let businesses: string[];

/** Addresses that are new, known, unsubscribed, suppressed, or that have a number. */
const LOCAL_PARTS = ['new1', 'new2', 'new3', 'known1', 'known2', 'left', 'bounced', 'everywhere', 'phone'];

beforeAll(async () => {
  database = await testDatabase();
  const { pool } = database;
  hash = createHasher(Buffer.alloc(32, 7));
  const first = await insertTestBusiness(pool, NOW, { credits: 5 });
  /** A group is of one shard. */
  const beside = async (columns: Parameters<typeof insertTestBusiness>[2]): Promise<TestBusiness> => {
    const made = await insertTestBusiness(pool, NOW, columns);
    return shardsOf(pool).of(made.id) === shardsOf(pool).of(first.id) ? made : beside(columns);
  };
  const made = [
    first,
    await beside({ sms_mode: 'on', whatsapp_mode: 'on', credits: 50 }),
    await beside({ paused: true, paid_per_recipient_hour: 1 }),
    await beside({ plan: 'lapsed' }),
  ];
  businesses = made.map(({ id }) => id);
  for (const business of made) {
    for (const name of ['known1', 'bounced'])
      await insertRecipient(pool, NOW, business, { email: `${name}@example.com` });
    await insertRecipient(pool, NOW, business, { email: 'known2@example.com', language: 'et' });
    await insertRecipient(pool, NOW, business, { email: 'left@example.com', unsubscribed_at: NOW });
    await insertRecipient(pool, NOW, business, { email: 'phone@example.com', phone: '+447911123456' });
    await insertRow(pool, 'suppressions', {
      business_id: business.id,
      email_hash: hash('email', 'bounced@example.com'),
      reason: 'bounce',
      at: NOW,
    });
  }
  await insertRow(pool, 'platform_suppressions', {
    email_hash: hash('email', 'everywhere@example.com'),
    at: NOW,
  });
  await insertRow(pool, 'business_senders', {
    business_id: businesses[1],
    channel: 'email',
    address: 'shop@example.com',
  });
});
afterAll(() => database.drop());

/** Where traces are on, a message remembers that of its push. */
const TRACES = ['a', 'b'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);

const text = (max: number) =>
  fc.string({ unit: 'binary', maxLength: max }).map((s) => s.replaceAll('\0', ''));

const pushes = fc.array(
  fc.record({
    business: fc.nat(3),
    localPart: fc.constantFrom(...LOCAL_PARTS),
    subject: text(40),
    body: text(200),
    reference: fc.option(text(12)),
    orderStatus: fc.option(fc.constantFrom('shipped', 'delivered', 'on the moon')),
    notify: fc.option(fc.boolean()),
    channels: fc.option(fc.constantFrom<('email' | 'sms')[]>([], ['email'])),
    sendInMinutes: fc.option(fc.nat(1_000)),
    trace: fc.option(fc.constantFrom(...TRACES)),
    // Seldom: a language that changes is no plain group.
    language: fc.oneof(
      { weight: 9, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom('et', 'pt-BR') },
    ),
  }),
  { minLength: 1, maxLength: 6 },
);
type RandomPush = typeof pushes extends fc.Arbitrary<(infer One)[]> ? One : never;

const itemOf = (push: RandomPush, ordinal: number): PushItem => ({
  businessId: businesses[push.business] ?? '',
  keyId: 'key',
  key: `key-${ordinal}`,
  fingerprint: 'ab'.repeat(32),
  bytes: 0,
  span: spanAt(push.trace),
  request: request({
    recipientEmail: `${push.localPart}@example.com`,
    subject: push.subject,
    body: push.body,
    reference: push.reference,
    orderStatus: push.orderStatus,
    notify: push.notify,
    channels: push.channels,
    sendAt: push.sendInMinutes === null ? null : new Date(NOW.getTime() + push.sendInMinutes * 60_000),
    language: push.language,
  }),
});

const spanAt = (context: string | null): TraceSpan | null =>
  context === null ? null : { context, traceId: null, link: () => {}, end: () => {} };

/** The decisions of a group, with ids that depend on nothing but their order. */
function decideAll(snapshot: PushSnapshot, items: readonly PushItem[]): Decision[] {
  let ids = 0;
  return items.flatMap((item) => {
    const business = snapshot.businesses.get(item.businessId);
    if (!business) throw new Error('a business was not loaded');
    ids += 1;
    const verdict = decide(item.request, business, snapshot, NOW, () => `id-${ids++}`);
    if (verdict.kind === 'refused') return [];
    applyToSnapshot(snapshot, business, verdict.decision);
    return [verdict.decision];
  });
}

const writeSetOf = (
  items: readonly PushItem[],
  decisions: readonly Decision[],
  asBatch: boolean,
): WriteSet => ({
  decided: decisions.map((decision, ordinal) => {
    const item = items[ordinal];
    if (!item) throw new Error('a decision without a push');
    const body = JSON.stringify(decision.result);
    return {
      decision,
      answer: responseRow(pushKey(item), item.fingerprint, 201, body, decision.recipient.id),
      by: ordinal % 2 === 0 ? `key:${ordinal}` : null,
      trace: item.span?.context,
    };
  }),
  batchRecords: asBatch
    ? [
        responseRow(
          { businessId: items[0]?.businessId ?? '', scope: 'batch', key: 'batch' },
          'cd'.repeat(32),
          200,
          '',
        ),
      ]
    : [],
});

/** Every row of every table, as text. */
async function contents(tx: Client): Promise<Record<string, string[]>> {
  const { rows: tables } = await tx.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  );
  const all = tables
    .map(({ name }) => `select '${name}' as name, array(select t::text from ${name} t order by 1) as rows`)
    .join(' union all ');
  const { rows } = await tx.query<{ name: string; rows: string[] }>(all);
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]));
}

/** The whole database after a write that is then taken back. */
async function after(tx: Client, write: () => Promise<unknown>): Promise<Record<string, string[]>> {
  await tx.query('savepoint before');
  await write();
  const found = await contents(tx);
  await tx.query('rollback to savepoint before');
  return found;
}

test(`${GROUPS} random groups are loaded, decided and written alike by the plain and the full way`, async () => {
  const tx = await database.pool.connect();
  let compared = 0;
  try {
    await tx.query('begin');
    await fc.assert(
      fc.asyncProperty(pushes, fc.boolean(), async (random, asBatch) => {
        const items = random.map(itemOf);
        const keys = items.map(pushKey);
        const plain = await preload(tx, hash, { now: NOW, pushes: items, keys, callers: items });
        const hasPhone = random.some(({ localPart }) => localPart === 'phone');
        const unsubscribed = random.some(({ localPart }) => localPart === 'left');
        expect(plain.buildSnapshot === null).toBe(hasPhone || unsubscribed);
        if (plain.buildSnapshot === null) return;

        const full = await loadGroup(tx, hash, NOW, items, plain.heldNumbers);
        const decisions = decideAll(plain.buildSnapshot(), items);
        expect(decisions).toEqual(decideAll(full, items));

        const writes = writeSetOf(items, decisions, asBatch);
        const inserts = insertRows(NOW, writes);
        const onlyEmails = decisions.every(({ events, sends }) => events.length === 0 && sends.length <= 1);
        const changesLanguage = decisions.some(({ recipientChange }) => recipientChange === 'language');
        expect(inserts !== null).toBe(onlyEmails && !changesLanguage);
        if (inserts === null) return;
        compared += 1;
        const byInserts = await after(tx, () => writeGroupInserts(tx, NOW, ...inserts));
        const byChanges = await after(tx, () =>
          writeGroupChanges(tx, NOW, ...new ChangeRows(NOW, writes).parameters()),
        );
        expect(byInserts).toEqual(byChanges);
        const traced = random.filter(({ trace }) => trace !== null).length;
        const written = (byInserts.messages ?? []).filter((row) =>
          TRACES.some((trace) => row.includes(trace)),
        );
        if (decisions.length === items.length) expect(written).toHaveLength(traced);
      }),
      { numRuns: GROUPS },
    );
  } finally {
    await tx.query('rollback');
    tx.release();
  }
  expect(compared).toBeGreaterThan(GROUPS / 10);
});

test('a language that changes is written alone: what happened to the recipient meanwhile stays', async () => {
  const tx = await database.pool.connect();
  try {
    await tx.query('begin');
    const [businessId = ''] = businesses;
    const push = { businessId, keyId: 'key', key: 'key-1', fingerprint: 'ab'.repeat(32), bytes: 0 };
    const item: PushItem = {
      ...push,
      request: request({ recipientEmail: 'known1@example.com', language: 'fi' }),
    };
    const plain = await preload(tx, hash, {
      now: NOW,
      pushes: [item],
      keys: [pushKey(item)],
      callers: [item],
    });
    if (plain.buildSnapshot === null) throw new Error('the recipient is not plain');
    const decisions = decideAll(plain.buildSnapshot(), [item]);
    expect(decisions.map(({ recipientChange }) => recipientChange)).toEqual(['language']);
    // The plain way reads a recipient without locking it: somebody unsubscribes before it is written.
    const stopped = `sms_status = 'stopped', sms_status_at = now(), sms_stopped_by = 'text', unsubscribed_at = now()`;
    await tx.query(
      `update recipients set ${stopped} where business_id = $1 and email = 'known1@example.com'`,
      [businessId],
    );
    const writes = writeSetOf([item], decisions, false);
    await writeGroupChanges(tx, NOW, ...new ChangeRows(NOW, writes).parameters());
    const { rows } = await tx.query(
      `select language, sms_status, unsubscribed_at is not null as left from recipients
       where business_id = $1 and email = 'known1@example.com'`,
      [businessId],
    );
    expect(rows).toEqual([{ language: 'fi', sms_status: 'stopped', left: true }]);
  } finally {
    await tx.query('rollback');
    tx.release();
  }
});
