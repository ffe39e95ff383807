import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import type { PushResult } from '../../src/contract/push.ts';
import { later, MINUTE } from '../../src/kit/clock.ts';
import { ApiError } from '../../src/kit/errors.ts';
import { createHasher, type Hasher } from '../../src/kit/seal.ts';
import { createPreviews, type Previews } from '../../src/push/preview.ts';
import { createPushes, type Pushes } from '../../src/push/pushes.ts';
import type { PushRequest } from '../../src/push/request.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { request } from '../support/pushState.ts';
import { insertRow } from '../support/rows.ts';
import { shortOrLong } from '../support/shortOrLong.ts';

/* A preview and the push after it agree on everything, whatever is asked and whatever went before; and a preview leaves no trace. */

const NOW = new Date('2026-08-20T09:15:00.000Z');
const PUSHES = shortOrLong(150, 3_000);
/** The whole database is compared before and after every n-th preview. */
const COMPARED_EVERY = shortOrLong(2, 20);
const WITHIN_MS = 300_000;
const FIELDS = [
  'created',
  'nudged',
  'scheduled_for',
  'email',
  'sms',
  'sms_units',
  'whatsapp',
  'whatsapp_opt_in',
  'reference',
  'order_status',
] as const;

let database: TestDatabase;
let hash: Hasher;
let pushes: Pushes;
let previewed: Previews;
let shops: { businessId: string; keyId: string }[];
const clock = { now: () => NOW };

beforeAll(async () => {
  database = await testDatabase();
  const { pool } = database;
  hash = createHasher(Buffer.alloc(32, 7));
  previewed = createPreviews({ pool, clock, hash, publicUrl: 'https://waypost.example' });
  pushes = createPushes({
    pool,
    clock,
    hash,
    render: (result) => JSON.stringify(result),
    onSendsOf: () => {},
    onEvents: () => {},
  });
  shops = await Promise.all(
    [
      { credits: 30, smsMode: 'on', whatsappMode: 'on' } as const,
      { credits: 2, smsMode: 'on_request', whatsappMode: 'on_request' } as const,
      { credits: 100, smsMode: 'on_request', whatsappMode: 'off' } as const,
    ].map((asked) => createBusiness(pool, clock, { name: 'Acme Books', ...asked })),
  );
  for (const { businessId } of shops)
    await insertRow(pool, 'suppressions', {
      business_id: businessId,
      email_hash: hash('email', 'bounced@example.com'),
      reason: 'bounce',
      at: NOW,
    });
});
afterAll(() => database.drop());

const NUMBERS = ['+37255550134', '+37255550135', '+12025550123'];

const asked = fc.record({
  shop: fc.nat(2),
  localPart: fc.constantFrom('ann', 'bob', 'eve', 'bounced'),
  subject: fc.constantFrom('Order 1', 'Order 2'),
  kind: fc.constantFrom('one_off' as const, 'updateable' as const),
  phone: fc.option(fc.constantFrom(...NUMBERS)),
  channels: fc.option(fc.subarray(['email', 'sms', 'whatsapp'] as const)),
  optIn: fc.boolean(),
  fallback: fc.boolean(),
  reference: fc.option(fc.constantFrom('#1001', 'www.evil.example')),
  orderStatus: fc.option(fc.constantFrom('shipped', 'on the moon')),
  notify: fc.option(fc.boolean()),
  sendInMinutes: fc.option(fc.integer({ min: 1, max: 1_000 })),
  escalateMinutes: fc.option(fc.integer({ min: 5, max: 60 })),
  /** How far back the messages lie that it makes obsolete. */
  obsoletes: fc.array(fc.nat(8), { maxLength: 3 }),
  language: fc.option(fc.constantFrom('et', 'nn-NO', 'tlh')),
});

type Asked = typeof asked extends fc.Arbitrary<infer One> ? One : never;

/** An opt-in without a number is refused, which is rare among random ones. */
const REFUSED: Asked = {
  shop: 0,
  localPart: 'ann',
  subject: 'Order 1',
  kind: 'one_off',
  phone: null,
  channels: null,
  optIn: true,
  fallback: false,
  reference: null,
  orderStatus: null,
  notify: null,
  sendInMinutes: null,
  escalateMinutes: null,
  obsoletes: [],
  language: null,
};

const requestOf = (random: Asked, ids: string[]) =>
  request({
    recipientEmail: `${random.localPart}@example.com`,
    subject: random.subject,
    kind: random.kind,
    phone:
      random.phone === null
        ? null
        : { number: random.phone, country: random.phone.startsWith('+1') ? 'US' : 'EE' },
    channels: random.channels,
    whatsappOptIn: random.optIn ? { source: 'checkout' } : null,
    smsIfWhatsappFails: random.fallback,
    reference: random.reference,
    orderStatus: random.orderStatus,
    notify: random.notify,
    sendAt: random.sendInMinutes === null ? null : later(NOW, random.sendInMinutes * MINUTE),
    escalateMinutes: random.escalateMinutes,
    obsoletes: random.obsoletes.flatMap((back) => ids.at(-1 - back) ?? []),
    language: random.language,
  });

const orRefused = async <T>(work: Promise<T>): Promise<T | ApiError> =>
  work.catch((error: unknown) => {
    if (error instanceof ApiError) return error;
    throw error;
  });

const previewOf = ({ businessId }: (typeof shops)[number], wanted: PushRequest) =>
  orRefused(previewed.preview(businessId, wanted));

let count = 0;
async function push(shop: (typeof shops)[number], asked: PushRequest): Promise<PushResult | ApiError> {
  count += 1;
  const { businessId, keyId } = shop;
  const item = {
    businessId,
    keyId,
    key: `key-${count}`,
    fingerprint: 'ab'.repeat(32),
    bytes: 0,
    request: asked,
  };
  const answer = await orRefused(pushes.push(item));
  return answer instanceof ApiError ? answer : JSON.parse(answer.body);
}

/** A fingerprint of every row of every table. */
async function contents(): Promise<unknown> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const each = tables.map(
    ({ name }) =>
      `select '${name}' as name, (select md5(string_agg(t::text, '|' order by t::text)) from ${name} t) as rows`,
  );
  return (await database.pool.query(each.join(' union all '))).rows;
}

const sendsOf = async (messageId: string): Promise<{ channel: string; credits: number }[]> =>
  (
    await database.pool.query(
      `select channel, credits from sends where message_id = $1 and state in ('queued', 'held') order by channel`,
      [messageId],
    )
  ).rows;

const spendableOf = async (businessId: string): Promise<number> =>
  (
    await database.pool.query<{ left: number }>(
      'select balance - reserved as left from credit_accounts where business_id = $1',
      [businessId],
    )
  ).rows[0]?.left ?? 0;

test(
  `${PUSHES} random previews agree with the push that follows, and change nothing`,
  async () => {
    const ids: string[] = [];
    let previews = 0;
    let conditional = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(asked, fc.array(asked, { maxLength: 3 }), async (random, others) => {
        const shop = shops[random.shop];
        if (!shop) throw new Error('no such shop');
        const wanted = requestOf(random, ids);
        previews += 1;
        const isCompared = previews % COMPARED_EVERY === 0;
        const before = isCompared ? await contents() : null;
        // Previews that arrive together read together.
        const [preview] = await Promise.all([
          previewOf(shop, wanted),
          ...others.map((other) => previewOf(shops[other.shop] ?? shop, requestOf(other, ids))),
        ]);
        if (isCompared) expect(await contents()).toEqual(before);

        const active = await database.pool.query<{ id: string }>(
          `select id from messages where status = 'active' and id = any ($1)`,
          [wanted.obsoletes],
        );
        const result = await push(shop, wanted);
        if (preview instanceof ApiError || result instanceof ApiError) {
          refused += 1;
          expect(preview).toEqual(result);
          return;
        }
        ids.push(result.id);
        for (const field of FIELDS) expect([field, preview[field]]).toEqual([field, result[field]]);
        expect(preview.updates).toBe(result.created ? null : result.id);
        expect(preview.balance_after).toBe(await spendableOf(shop.businessId));
        const obsolete = await database.pool.query<{ id: string }>(
          'select id from messages where replaced_by = $1 and id = any ($2)',
          [result.id, active.rows.map(({ id }) => id)],
        );
        expect(new Set(preview.obsoletes)).toEqual(new Set(obsolete.rows.map(({ id }) => id)));
        // An update without a nudge leaves the earlier nudges of its message; only new ones are previewed.
        if (result.created) {
          const planned = (await sendsOf(result.id)).filter(
            ({ channel }) =>
              channel !== 'whatsapp' || preview.nudges.some((nudge) => nudge.channel === 'whatsapp'),
          );
          const previewed = preview.nudges.map(({ channel, credits }) => ({ channel, credits }));
          expect(previewed.sort((a, b) => a.channel.localeCompare(b.channel))).toEqual(planned);
        }
        conditional += preview.nudges.filter(({ when }) => when.startsWith('if')).length;
      }),
      { numRuns: PUSHES, examples: [[REFUSED, []]] },
    );
    expect(conditional).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  },
  WITHIN_MS,
);

test('a preview that cannot be read fails no other that arrives with it', async () => {
  const [shop] = shops;
  if (!shop) throw new Error('no such shop');
  const wanted = requestOf({ ...REFUSED, optIn: false }, []);
  // No request with such a character gets past validation.
  const unreadable = { ...wanted, reference: '\u0000' };
  const [failed, ...fine] = await Promise.allSettled(
    [unreadable, wanted, wanted].map((request) => previewed.preview(shop.businessId, request)),
  );
  expect(failed?.status).toBe('rejected');
  expect(fine.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
});
