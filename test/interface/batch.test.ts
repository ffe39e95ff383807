import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PushResult } from '../../src/contract/push.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import {
  type ApiResponse,
  expectStatus,
  ORDER_UPDATE,
  type Shop,
  statusAndCode,
  validationErrorsOf,
} from '../support/shop.ts';
import { FULL_PUSH, queuedOutcome, skippedOutcome } from './channelOutcomes.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 100 });
});

interface BatchResult {
  items: {
    index: number;
    ok: boolean;
    result: PushResult | null;
    error_code: string | null;
    detail: string | null;
  }[];
  succeeded: number;
  failed: number;
}
const processed = (answer: ApiResponse): BatchResult => expectStatus(200, answer);
const resultsOf = async (items: readonly unknown[]) =>
  processed(await shop.batch(items)).items.map(({ result, error_code }) => result ?? error_code);
const to = (name: string) => `${name}@example.com`;

describe('200', () => {
  test('each item has its outcome, in its place', async () => {
    const answer = processed(await shop.batch([{}, { subject: '' }, { recipient_email: to('bob') }]));
    expect(answer).toMatchObject({
      succeeded: 2,
      failed: 1,
      items: [
        { index: 0, ok: true, error_code: null, detail: null },
        {
          index: 1,
          ok: false,
          result: null,
          error_code: 'common.validation_failed',
          detail: 'subject: String should have at least 1 character',
        },
        { index: 2, ok: true, result: { recipient_email: to('bob') } },
      ],
    });
  });

  test('the result of an item is that of a single push', async () => {
    const item = { ...FULL_PUSH, channels: ['sms', 'whatsapp'], kind: 'updateable' };
    const [inBatch] = await resultsOf([item]);
    const other = await service.business({ credits: 100 });
    const alone = await other.pushed(item);
    const { id: _, created_at: _at, updated_at: _then, ...rest } = alone;
    expect(inBatch).toMatchObject(rest);
    expect(Object.keys(Object(inBatch))).toEqual(Object.keys(alone));
  });

  test('whenever the batch is processed, also when every item failed', async () => {
    expect(processed(await shop.batch([null, 5, 'x', [], {}]))).toMatchObject({ succeeded: 1, failed: 4 });
    expect(processed(await shop.batch([null]))).toMatchObject({ succeeded: 0, failed: 1 });
  });

  test.each([
    [null, 'common.validation_failed', 'Input should be a valid dictionary'],
    [7, 'common.validation_failed', 'Input should be a valid dictionary'],
    [
      { recipient_email: 'nobody' },
      'common.validation_failed',
      'recipient_email: value is not a valid email address',
    ],
    [{ channels: ['email', 'fax'] }, 'common.validation_failed', /^channels\[1\]: Input should be/],
    [{ whatsapp_opt_in: { source: '' } }, 'common.validation_failed', /^whatsapp_opt_in\.source: /],
    [{ subject: 1, body: 2 }, 'common.validation_failed', /^subject: .*; body: /],
    [{ recipient_phone: '12' }, 'sms.phone_invalid', /number/],
    [
      { whatsapp_opt_in: { source: 'checkout' } },
      'common.validation_failed',
      /^whatsapp_opt_in: .*phone number/,
    ],
  ])('an invalid item fails alone: %j', async (item, error_code, detail) => {
    const { items } = processed(await shop.batch([{}, item, {}]));
    expect(items.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(items[1]).toMatchObject({ result: null, error_code, detail: expect.stringMatching(detail) });
  });

  test('takes 100 messages, and they are listed in their order', async () => {
    const subjects = Array.from({ length: 100 }, (_, n) => `Order ${n}`);
    expect(processed(await shop.batch(subjects.map((subject) => ({ subject })))).succeeded).toBe(100);
    const { items }: { items: { subject: string }[] } = expectStatus(
      200,
      await shop.get('/api/v1/messages?limit=100'),
    );
    expect(items.map(({ subject }) => subject)).toEqual(subjects.reverse());
  });
});

describe('422 for the whole call', () => {
  const send = (body: unknown) =>
    shop.call('POST', '/api/v1/messages/batch', { body, idempotencyKey: 'whole' });

  test.each([
    [[], 'too_short'],
    [Array(101).fill(ORDER_UPDATE), 'too_long'],
    [{}, 'list_type'],
    ['x', 'list_type'],
    [null, 'list_type'],
  ])('items %j', async (items, type) => {
    expect(validationErrorsOf(await send({ items }))).toMatchObject([{ type, loc: ['body', 'items'] }]);
  });

  test('no items, or no object', async () => {
    expect(validationErrorsOf(await send({}))).toMatchObject([{ type: 'missing', loc: ['body', 'items'] }]);
    expect(validationErrorsOf(await send([ORDER_UPDATE]))).toMatchObject([
      { type: 'dict_type', loc: ['body'] },
    ]);
  });

  test('a key of more than 252 characters, before anything runs', async () => {
    expect(validationErrorsOf(await shop.batch([{}], 'k'.repeat(253)))).toMatchObject([
      { loc: ['header', 'Idempotency-Key'] },
    ]);
    expect((await shop.get('/api/v1/messages')).body).toMatchObject({ items: [] });
  });

  test('spends no key', async () => {
    expect((await send({ items: [] })).status).toBe(422);
    expect(statusAndCode(await shop.batch([{}], 'whole'))).toBe('200');
  });
});

describe('items see each other’s effects in order', () => {
  test('the same recipient twice: the number that the first brings is there for the second', async () => {
    expect(await resultsOf([{ recipient_phone: PHONE_NUMBER }, { channels: ['sms'] }])).toMatchObject([
      {},
      { sms: queuedOutcome() },
    ]);
    expect((await shop.get(`/api/v1/recipients/${to('ann')}/sms`)).body).toMatchObject({
      sms_status: 'active',
    });
  });

  test('consent of the first carries the second', async () => {
    const results = await resultsOf([
      { recipient_phone: PHONE_NUMBER, whatsapp_opt_in: { source: 'checkout' } },
      {
        channels: ['whatsapp'],
        reference: '#1',
        order_status: 'shipped',
        whatsapp_opt_in: { source: 'again' },
      },
    ]);
    expect(results).toMatchObject([
      { whatsapp_opt_in: { recorded: true } },
      { whatsapp: queuedOutcome(), whatsapp_opt_in: { skipped_reason: 'already_opted_in' } },
    ]);
  });

  test('the same subject twice: one is created, the others update it', async () => {
    const item = { kind: 'updateable' };
    const [first, second, third] = await resultsOf([
      item,
      { ...item, body: 'Two' },
      { ...item, body: 'Three', notify: true },
    ]);
    expect([first, second, third]).toMatchObject([
      { created: true, nudged: true },
      { created: false, nudged: false },
      { created: false, nudged: true },
    ]);
    const { id }: { id: string } = Object(first);
    expect([second, third]).toMatchObject([{ id }, { id }]);
    expect((await shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({ body: 'Three' });
  });

  test('the same number twice: the first has it', async () => {
    expect(
      await resultsOf([
        { recipient_email: to('one'), recipient_phone: PHONE_NUMBER, channels: ['sms'] },
        { recipient_email: to('two'), recipient_phone: PHONE_NUMBER, channels: ['sms'] },
      ]),
    ).toMatchObject([{ sms: queuedOutcome() }, { sms: skippedOutcome('phone_conflict') }]);
  });

  test('a number handed over: free once its holder has another', async () => {
    const [n, m, k] = ['+37255550101', '+37255550102', '+37255550103'];
    await shop.batch([
      { recipient_email: to('one'), recipient_phone: n },
      { recipient_email: to('two'), recipient_phone: m },
    ]);
    // One takes K, two takes N, and a newcomer takes M: the order of writing makes no difference.
    const results = await resultsOf([
      { recipient_email: to('one'), recipient_phone: k, channels: ['sms'] },
      { recipient_email: to('two'), recipient_phone: n, channels: ['sms'] },
      { recipient_email: to('new'), recipient_phone: m, channels: ['sms'] },
    ]);
    expect(results).toMatchObject([
      { sms: queuedOutcome() },
      { sms: queuedOutcome() },
      { sms: queuedOutcome() },
    ]);
    const phones = await Promise.all(
      ['one', 'two', 'new'].map(async (name) => (await shop.get(`/api/v1/recipients/${to(name)}/sms`)).body),
    );
    expect(phones).toMatchObject([
      { phone: '+372 •••• 0103' },
      { phone: '+372 •••• 0101' },
      { phone: '+372 •••• 0102' },
    ]);
  });

  test('two numbers exchanged', async () => {
    const [n, m, between] = ['+37255550101', '+37255550102', '+37255550103'];
    await shop.batch([
      { recipient_email: to('one'), recipient_phone: n },
      { recipient_email: to('two'), recipient_phone: m },
    ]);
    const results = await resultsOf([
      { recipient_email: to('one'), recipient_phone: between },
      { recipient_email: to('two'), recipient_phone: n, channels: ['sms'] },
      { recipient_email: to('one'), recipient_phone: m, channels: ['sms'] },
    ]);
    expect(results).toMatchObject([{}, { sms: queuedOutcome() }, { sms: queuedOutcome() }]);
    expect((await shop.get(`/api/v1/recipients/${to('one')}/sms`)).body).toMatchObject({
      phone: '+372 •••• 0102',
    });
  });

  test('credits run out in order', async () => {
    const poor = await service.business({ credits: 2 });
    const items = Array.from({ length: 4 }, (_, n) => ({
      recipient_email: to(`p${n}`),
      recipient_phone: `+3725555020${n}`,
      channels: ['sms'],
    }));
    const answer = processed(await poor.batch(items));
    expect(answer.items.map(({ result }) => result?.sms?.skipped_reason)).toEqual([
      null,
      null,
      'insufficient_credit',
      'insufficient_credit',
    ]);
  });

  test('what an item makes obsolete gives its credit to those after it', async () => {
    const poor = await service.business({ credits: 1 });
    const text = {
      recipient_phone: PHONE_NUMBER,
      channels: ['sms'],
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const first = await poor.pushed(text);
    const { items } = processed(await poor.batch([text, { subject: 'Next', obsoletes: [first.id] }, text]));
    expect(items.map(({ result }) => result?.sms?.skipped_reason)).toEqual([
      'insufficient_credit',
      undefined,
      null,
    ]);
  });
});

describe('4. a batch is safe to retry', () => {
  const ITEMS = [{}, { subject: '' }, { recipient_email: to('bob') }];

  test('replaying the key replays the whole response to the byte, item failures included', async () => {
    const first = await shop.batch(ITEMS, 'K');
    const again = await shop.batch(ITEMS, 'K');
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect((await shop.get('/api/v1/messages')).body).toMatchObject({ items: [{}, {}] });
  });

  test('another body with the same key is key_reused', async () => {
    await shop.batch(ITEMS, 'K');
    expect(statusAndCode(await shop.batch([...ITEMS].reverse(), 'K'))).toBe('409 idempotency.key_reused');
  });

  test('an item’s own key is the batch’s with its index: a single push with it replays the item', async () => {
    const { items } = processed(await shop.batch(ITEMS, 'K'));
    const single = await shop.push({ recipient_email: to('bob') }, 'K#2');
    expect(single.body).toEqual(items[2]?.result);
    expect(single.status).toBe(201);
    expect(single.headers.get('idempotent-replayed')).toBe('true');
    expect(statusAndCode(await shop.push({}, 'K#2'))).toBe('409 idempotency.key_reused');
  });

  test('an item that failed has not spent its key', async () => {
    await shop.batch(ITEMS, 'K');
    const corrected = await shop.push({ subject: 'Now it has one' }, 'K#1');
    expect(corrected.status).toBe(201);
    expect(corrected.headers.get('idempotent-replayed')).toBeNull();
  });

  test('an item whose key a single push has spent is replayed, or key_reused when it is another', async () => {
    const before = await shop.pushed({}, 'K#0');
    await shop.pushed({ subject: 'Something else' }, 'K#2');
    const { items } = processed(await shop.batch(ITEMS, 'K'));
    expect(items).toMatchObject([
      { ok: true, result: before },
      { ok: false },
      { ok: false, error_code: 'idempotency.key_reused', detail: expect.any(String) },
    ]);
    expect((await shop.get('/api/v1/messages')).body).toMatchObject({ items: [{}, {}] });
  });

  test('the batch’s own key is another scope than single pushes', async () => {
    await shop.batch(ITEMS, 'K');
    expect((await shop.push({}, 'K')).headers.get('idempotent-replayed')).toBeNull();
  });
});
