import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { PushResult } from '../../src/contract/push.ts';
import { lockNumber } from '../../src/kit/ids.ts';
import { countLockWaits } from '../support/databaseLocks.ts';
import { type ApiResponse, expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import {
  ACCEPT_WEBHOOK,
  completeErasure,
  type ErasureService,
  requestErasure,
  startErasureService,
} from './erasureService.ts';

/** What else may happen in the very moment that somebody is erased. Each is held still at its worst point. */
let world: ErasureService;
beforeAll(async () => {
  world = await startErasureService();
});
afterEach(() => world.answerWebhooksWith(ACCEPT_WEBHOOK));
afterAll(async () => {
  await world.close();
  expect(world.loggedErrors()).toEqual([]);
});

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';

/** Does something while another transaction holds what a statement locks; lets go when that is done. */
async function holding(text: string, values: unknown[], meanwhile: () => Promise<void>): Promise<void> {
  // Not the service's pool, which ends a transaction that stands still.
  const client = await world.database.pool.connect();
  try {
    await client.query('begin');
    await client.query(text, values);
    await meanwhile();
  } finally {
    await client.query('rollback').finally(() => client.release());
  }
}

/** Until this number of connections waits for a lock. */
const untilWaiting = (count: number): Promise<void> =>
  eventually(async () => {
    expect(await countLockWaits(world.pool)).toBe(count);
  });

const peopleOf = async ({ businessId }: Shop): Promise<string[]> =>
  (
    await world.rows<{ email: string }>(
      'select email from recipients where business_id = $1 order by email',
      businessId,
    )
  ).map(({ email }) => email);

test('a push to the person waits for the erasure and starts anew; pushes to others do not wait', async () => {
  const shop = await world.business();
  const before = await shop.pushed();
  await world.advance({ seconds: 5 });
  let erasing: Promise<unknown> = Promise.resolve();
  let again: Promise<PushResult> = Promise.resolve(before);
  await holding('select from messages where business_id = $1 for update', [shop.businessId], async () => {
    erasing = completeErasure(shop, ANN);
    await untilWaiting(1);
    again = shop.pushed({ subject: 'Sent meanwhile' });
    await untilWaiting(2);
    for (let number = 0; number < 3; number += 1) await shop.pushed({ recipient_email: BOB });
  });
  expect(await erasing).toMatchObject({ messages_deleted: 1 });
  expect(await again).toMatchObject({ created: true, subject: 'Sent meanwhile', email: { sending: true } });
  expect(await peopleOf(shop)).toEqual([ANN, BOB]);
  expect((await shop.get(`/api/v1/messages/${before.id}`)).status).toBe(404);
  expect((await shop.get(`/api/v1/messages/${(await again).id}`)).status).toBe(200);
});

test.each(['delivered', 'in_transit'])(
  'a tracking event %s that comes meanwhile waits for the erasure, and finds nobody to tell',
  async (status) => {
    const shop = await world.business();
    await shop.pushed({ reference: '1001' });
    await world.advance({ seconds: 5 });
    let erasing: Promise<unknown> = Promise.resolve();
    let reporting: Promise<ApiResponse> | null = null;
    await holding('select from messages where business_id = $1 for update', [shop.businessId], async () => {
      erasing = completeErasure(shop, ANN);
      await untilWaiting(1);
      reporting = shop.call('POST', '/api/v1/orders/1001/tracking', {
        body: { tracking_number: 'JD01', status, at: (await world.now()).toISOString() },
        idempotencyKey: randomUUID(),
      });
      await untilWaiting(2);
    });
    await erasing;
    expect(await reporting).toMatchObject({ status: 422 });
    expect(await peopleOf(shop)).toEqual([]);
  },
);

test('an erasure waits for the push that is being written, and takes it along', async () => {
  const shop = await world.business();
  await shop.pushed();
  let erasing: Promise<unknown> = Promise.resolve();
  await holding(
    'select pg_advisory_xact_lock($1)',
    [lockNumber('recipient', shop.businessId, ANN)],
    async () => {
      const pushing = shop.pushed({ subject: 'Being written' });
      await untilWaiting(1);
      erasing = pushing.then(() => completeErasure(shop, ANN));
      await sleep(20);
    },
  );
  expect(await erasing).toMatchObject({ messages_deleted: 2, idempotency_records_deleted: 2 });
  expect(await peopleOf(shop)).toEqual([]);
});

test('of the pushes in one group only those to the person wait', async () => {
  const shop = await world.business();
  await shop.pushed();
  const emails = Array.from({ length: 30 }, (_, index) =>
    index % 3 === 0 ? ANN : `other${index}@example.com`,
  );
  let toAnn: Promise<PushResult>[] = [];
  await holding(
    'select pg_advisory_xact_lock($1)',
    [lockNumber('recipient', shop.businessId, ANN)],
    async () => {
      const all = emails.map((email) => ({ email, pushed: shop.pushed({ recipient_email: email }) }));
      toAnn = all.filter(({ email }) => email === ANN).map(({ pushed }) => pushed);
      await Promise.all(all.filter(({ email }) => email !== ANN).map(({ pushed }) => pushed));
    },
  );
  expect(await Promise.all(toAnn)).toHaveLength(10);
  expect(await completeErasure(shop, ANN)).toMatchObject({
    messages_deleted: 11,
    idempotency_records_deleted: 11,
  });
  expect(await peopleOf(shop)).toHaveLength(20);
});

test('an event about the person that somebody else’s push is just writing is scrubbed as well', async () => {
  const shop = await world.business();
  await world.addEndpoint(shop);
  const later = new Date((await world.now()).getTime() + 3_600_000).toISOString();
  const old = await shop.pushed({ send_at: later, subject: 'Ann’s secret' });
  const key = 'of somebody else';
  let pushing: Promise<unknown> = Promise.resolve();
  let erasing: Promise<unknown> = Promise.resolve();
  // The push has written everything when it finds that its key is being written by another.
  const conflicting = `insert into idempotency_records (business_id, scope, key, fingerprint, status, response, created_at, expires_at)
    values ($1, 'push', $2, '', 201, '', now(), now())`;
  await holding(conflicting, [shop.businessId, key], async () => {
    pushing = shop.pushed({ recipient_email: BOB, obsoletes: [old.id] }, key);
    await untilWaiting(1);
    erasing = completeErasure(shop, ANN);
    await untilWaiting(2);
  });
  await Promise.all([pushing, erasing]);
  const events = await world.rows<{ type: string; data: object }>(
    // Of the person's message alone: by now the worker may have delivered the other push.
    'select type, data from events where business_id = $1 and message_id = $2',
    shop.businessId,
    old.id,
  );
  expect(events).toEqual([
    {
      type: 'message.not_sent',
      data: expect.objectContaining({
        message_id: old.id,
        recipient_email: null,
        subject: null,
        reason: 'message_obsolete',
      }),
    },
  ]);
});

test('a webhook attempt under way may still carry the person; every later one does not', async () => {
  const shop = await world.business();
  await world.addEndpoint(shop);
  const attempt: { fail?: () => void } = {};
  world.answerWebhooksWith((response) => {
    attempt.fail = () => response.writeHead(500).end(`Who is ${ANN}?`);
  });
  await shop.pushed();
  await eventually(async () => expect(world.eventsSentTo(shop)).toHaveLength(1));
  expect(world.eventsSentTo(shop)[0]).toMatchObject({ data: { recipient_email: ANN } });
  expect(await completeErasure(shop, ANN)).toMatchObject({ webhook_payloads_scrubbed: 1 });
  world.answerWebhooksWith(ACCEPT_WEBHOOK);
  attempt.fail?.();
  await eventually(async () => {
    const rows = await world.rows('select from webhook_attempts where business_id = $1', shop.businessId);
    expect(rows).toHaveLength(1);
  });
  await world.advance({ minutes: 1 });
  expect(world.eventsSentTo(shop)).toHaveLength(2);
  expect(world.eventsSentTo(shop)[1]).toMatchObject({
    id: world.eventsSentTo(shop)[0]?.id,
    data: { recipient_email: null, subject: null },
  });
  expect(
    JSON.stringify(
      await world.rows(
        'select error, response from webhook_attempts where business_id = $1',
        shop.businessId,
      ),
    ),
  ).not.toContain(ANN);
});

test('a batch and an erasure at once: its stored answer names the person only where the person is there', async () => {
  for (let round = 0; round < 15; round += 1) {
    const shop = await world.business();
    if (round % 2 === 0) await shop.pushed();
    const items = [{ recipient_email: BOB }, { subject: 'In the batch' }];
    const [first] = await Promise.all([shop.batch(items, 'batch'), completeErasure(shop, ANN)]);
    const replay = await shop.batch(items, 'batch');
    const there = (await peopleOf(shop)).includes(ANN);
    expect(replay.text.includes(ANN)).toBe(there);
    if (there) expect(replay.text).toBe(first.text);
    const { items: answered } = expectStatus<{ items: { ok: boolean }[] }>(200, replay);
    expect(answered.map(({ ok }) => ok)).toEqual([true, true]);
  }
});

test('of several erasures at once one does it and the others answer zeros', async () => {
  const shop = await world.business();
  for (let number = 0; number < 5; number += 1) await shop.pushed();
  const reports = await Promise.all(Array.from({ length: 8 }, () => completeErasure(shop, ANN)));
  expect(reports.map(({ messages_deleted }) => messages_deleted).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 5]);
});

test('the same key at once: one erases, the others are told to come back and then get its answer', async () => {
  const shop = await world.business();
  await shop.pushed();
  const answers = await Promise.all(Array.from({ length: 8 }, () => requestErasure(shop, ANN, 'once')));
  const done = answers.filter(({ status }) => status === 200);
  expect(new Set(done.map(({ text }) => text)).size).toBe(1);
  expect(done[0]?.body).toMatchObject({ messages_deleted: 1 });
  for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
    expect({ status, body }).toMatchObject({
      status: 409,
      body: { error_code: 'idempotency.request_in_progress' },
    });
  }
});
