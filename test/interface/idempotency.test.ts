import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HOUR } from '../../src/kit/clock.ts';
import { lockNumber } from '../../src/kit/ids.ts';
import { pauseBeforeCommit, untilPaused } from '../support/databaseLocks.ts';
import { openApiOf } from '../support/openApi.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { openRawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import {
  type ApiResponse,
  ORDER_UPDATE,
  type Shop,
  statusAndCode,
  validationErrorsOf,
} from '../support/shop.ts';
import { FULL_PUSH } from './channelOutcomes.ts';
import { creditBalanceOf } from './recipientEvents.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 10 });
});

const replayed = ({ headers }: ApiResponse) => headers.get('idempotent-replayed');
const messages = async (of = shop) => {
  const { rows } = await service.pool.query('select id from messages where business_id = $1', [
    of.businessId,
  ]);
  return rows.length;
};
const raw = (body: string, idempotencyKey = 'K') =>
  shop.call('POST', '/api/v1/messages', { raw: body, idempotencyKey });

describe('4.1.1 where the header is required', () => {
  test('its absence is 422 and names it, on every operation that takes one', async () => {
    const { operations } = await openApiOf(service.url);
    const keyed = operations.filter(({ parameters }) =>
      parameters.some(({ name }) => name === 'Idempotency-Key'),
    );
    expect(keyed.length).toBeGreaterThanOrEqual(5);
    for (const { method, path } of keyed) {
      const since = '2026-08-20T09:15:00Z';
      const event = { tracking_number: 'JD01', status: 'delivered', at: since };
      const body = { ...ORDER_UPDATE, ...event, items: [ORDER_UPDATE], since };
      const called = path.replace('{reference}', '1001').replace(/\{\w+\}/, 'ann@example.com');
      const answer = await shop.call(method, called, { body });
      expect(validationErrorsOf(answer)).toMatchObject([
        { type: 'missing', loc: ['header', 'Idempotency-Key'] },
      ]);
    }
  });

  test('sending it elsewhere is harmless', async () => {
    for (const idempotencyKey of ['k', 'k'.repeat(500)]) {
      expect((await shop.call('GET', '/api/v1/credits', { idempotencyKey })).status).toBe(200);
      expect((await shop.call('GET', '/api/v1/messages', { idempotencyKey })).status).toBe(200);
    }
  });
});

describe('4.1.2 keys are scoped', () => {
  test('to the operation: the same key on different operations does not collide', async () => {
    const { id } = await shop.pushed(FULL_PUSH, 'same');
    const answers = [
      await shop.batch([{}], 'same'),
      await shop.post(`/api/v1/messages/${id}/sms`, 'same'),
      await shop.post(`/api/v1/messages/${id}/whatsapp`, 'same'),
      await shop.post(`/api/v1/messages/${id}/retract`, 'same'),
      await shop.post('/api/v1/recipients/ann@example.com/whatsapp/erase', 'same'),
      await shop.post('/api/v1/recipients/ann@example.com/erase', 'same'),
    ];
    expect(answers.map((answer) => [answer.status, replayed(answer)])).toEqual(Array(6).fill([200, null]));
  });

  test('to the business', async () => {
    const other = await service.business();
    const [ours, theirs] = [await shop.pushed({}, 'same'), await other.pushed({}, 'same')];
    expect(theirs.id).not.toBe(ours.id);
  });

  test('not to the API key: another key of the business replays', async () => {
    const first = await shop.push({}, 'same');
    const created = await shop.call('POST', '/api/v1/keys');
    const { key }: { key: string } = JSON.parse(created.text);
    expect((await shop.with(key).push({}, 'same')).text).toBe(first.text);
  });
});

describe('4.1.3 the same key and body', () => {
  test('replays the response to the byte with its status, and writes and sends nothing again', async () => {
    const change = { ...FULL_PUSH, channels: ['sms', 'whatsapp'], kind: 'updateable', body: 'Käsi 🎁' };
    const first = await shop.push(change, 'K');
    expect([first.status, replayed(first)]).toEqual([201, null]);
    for (let count = 0; count < 3; count += 1) {
      const again = await shop.push(change, 'K');
      expect([again.status, again.text, replayed(again)]).toEqual([201, first.text, 'true']);
    }
    expect(await messages()).toBe(1);
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 10, reserved: 2 });
  });

  test('whatever happened meanwhile', async () => {
    const first = await shop.push({ ...FULL_PUSH, channels: ['sms'] }, 'K');
    const { id }: { id: string } = JSON.parse(first.text);
    await shop.post(`/api/v1/messages/${id}/retract`);
    await service.change(shop, { smsMode: 'off', paused: true, plan: 'lapsed' });
    expect((await shop.push({ ...FULL_PUSH, channels: ['sms'] }, 'K')).text).toBe(first.text);
  });

  test('compares the JSON value: order, white space and spelling do not count', async () => {
    const first = await raw(
      '{"recipient_email":"ann@example.com","subject":"Käsi","body":"B","extra":{"a":1,"b":[1,2]}}',
    );
    const again = await raw(
      ' {\n"extra": {"b":[1.0, 2e0], "a":1}, "body" : "B", "subject":"K\\u00e4si", "recipient_email":"ann@example.com" }',
    );
    expect([again.text, replayed(again)]).toEqual([first.text, 'true']);
  });

  test('of a key with spaces around it: HTTP does not send those', async () => {
    const first = await shop.push({}, ' K ');
    expect((await shop.push({}, 'K')).text).toBe(first.text);
  });

  test('keys differ by case', async () => {
    const [upper, lower] = [await shop.pushed({}, 'KEY'), await shop.pushed({}, 'key')];
    expect(upper.id).not.toBe(lower.id);
  });
});

describe('4.1.4 the same key with another body is key_reused', () => {
  test('of a batch: an item, their order, or whatever else stands beside them', async () => {
    const item = (name: string) => `{"subject":"S","body":"B","recipient_email":"${name}@example.com"}`;
    const batch = (body: string) =>
      shop.call('POST', '/api/v1/messages/batch', { raw: body, idempotencyKey: 'B' });
    const first = await batch(`{"items":[${item('ann')},${item('bob')}],"__proto__":1,"extra":1}`);
    const swapped = item('ann').replace('"subject":"S","body":"B"', '"body":"B", "subject":"S"');
    const same = await batch(`{"extra":1,"__proto__":1,"items":[${swapped},${item('bob')}]}`);
    expect([same.status, same.text, replayed(same)]).toEqual([200, first.text, 'true']);
    for (const other of [
      `{"items":[${item('ann')},${item('eve')}],"__proto__":1,"extra":1}`,
      `{"items":[${item('bob')},${item('ann')}],"__proto__":1,"extra":1}`,
      `{"items":[${item('ann')},${item('bob')},null],"__proto__":1,"extra":1}`,
      `{"items":[${item('ann')},${item('bob')}],"__proto__":1,"extra":2}`,
      `{"items":[${item('ann')},${item('bob')}],"__proto__":2,"extra":1}`,
    ])
      expect(statusAndCode(await batch(other))).toBe('409 idempotency.key_reused');
    expect(await messages()).toBe(2);
  });

  test.each([
    ['another field', { reference: '#1' }],
    ['another value', { subject: 'Other' }],
    ['another spelling of the address', { recipient_email: 'ANN@example.com' }],
    ['a default said aloud', { kind: 'one_off' }],
    ['an unknown field', { extra: 1 }],
    ['a null', { reference: null }],
  ])('%s', async (_, change) => {
    await shop.pushed({}, 'K');
    expect(statusAndCode(await shop.push(change, 'K'))).toBe('409 idempotency.key_reused');
    expect(await messages()).toBe(1);
  });

  test('the order of a list counts', async () => {
    await shop.pushed({ channels: ['email', 'sms'] }, 'K');
    expect(statusAndCode(await shop.push({ channels: ['sms', 'email'] }, 'K'))).toBe(
      '409 idempotency.key_reused',
    );
  });

  test.each(['retract', 'sms', 'whatsapp'])(
    'another message’s id counts as another body: %s',
    async (what) => {
      const [one, two] = [await shop.pushed(FULL_PUSH), await shop.pushed(FULL_PUSH)];
      expect((await shop.post(`/api/v1/messages/${one.id}/${what}`, 'K')).status).toBe(200);
      expect(statusAndCode(await shop.post(`/api/v1/messages/${two.id}/${what}`, 'K'))).toBe(
        '409 idempotency.key_reused',
      );
    },
  );

  test('and does not spend anything: the first body still replays', async () => {
    const first = await shop.push({}, 'K');
    await shop.push({ subject: 'Other' }, 'K');
    expect((await shop.push({}, 'K')).text).toBe(first.text);
  });
});

describe('4.1.5 while the first request is still running', () => {
  const cases: [string, () => Promise<ApiResponse>][] = [
    ['push', () => shop.push({}, 'K')],
    ['batch', () => shop.batch([{}, { recipient_email: 'bob@example.com' }], 'K')],
    ['retract', () => shop.post(`/api/v1/messages/${target}/retract`, 'K')],
    ['resend', () => shop.post(`/api/v1/messages/${target}/sms`, 'K')],
    ['erase', () => shop.post('/api/v1/recipients/ann@example.com/erase', 'K')],
    ['erase WhatsApp', () => shop.post('/api/v1/recipients/ann@example.com/whatsapp/erase', 'K')],
  ];
  let target = '';

  test.each(cases)('%s: 409 at once; then the stored response is replayed', async (what, call) => {
    target = (await shop.pushed(FULL_PUSH)).id;
    const hold = await pauseBeforeCommit(service.pool);
    let first: Promise<ApiResponse>;
    try {
      first = call();
      await untilPaused(service.pool);
      // It does not wait for the first: the first cannot end before this is answered.
      expect(statusAndCode(await call())).toBe('409 idempotency.request_in_progress');
    } finally {
      await hold.release();
    }
    const done = await first;
    expect(done.status).toBe(what === 'push' ? 201 : 200);
    const again = await call();
    expect([again.text, replayed(again)]).toEqual([done.text, 'true']);
  });

  test('a batch is told so as a whole when one of its items is being pushed alone', async () => {
    const batch = () => shop.batch([{ recipient_email: 'bob@example.com' }, {}], 'K');
    const hold = await pauseBeforeCommit(service.pool);
    let single: Promise<ApiResponse>;
    try {
      single = shop.push({}, 'K#1');
      await untilPaused(service.pool);
      expect(statusAndCode(await batch())).toBe('409 idempotency.request_in_progress');
    } finally {
      await hold.release();
    }
    const alone = await single;
    expect(await batch()).toMatchObject({ body: { succeeded: 2, items: [{}, { result: alone.body }] } });
    expect(await messages()).toBe(2);
  });

  test('a push alone is told so while a batch that it is an item of is running, and any other is not', async () => {
    const hold = await pauseBeforeCommit(service.pool);
    let batch: Promise<ApiResponse>;
    let others: Promise<ApiResponse>[];
    try {
      batch = shop.batch([{ recipient_email: 'bob@example.com' }, {}], 'K');
      await untilPaused(service.pool);
      for (const asked of [{}, { recipient_email: 'eve@example.com' }])
        expect(statusAndCode(await shop.push(asked, 'K#1'))).toBe('409 idempotency.request_in_progress');
      others = ['L#0', 'L#1', 'K', 'K#2'].map((key, n) =>
        shop.push({ recipient_email: `p${n}@example.com` }, key),
      );
      await untilPaused(service.pool, 2);
    } finally {
      await hold.release();
    }
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    // The others may be answered before it.
    const answer = await batch;
    const alone = await shop.push({}, 'K#1');
    expect(answer).toMatchObject({ body: { succeeded: 2, items: [{}, { result: alone.body }] } });
    expect(await messages()).toBe(6);
  });
});

test('an answered batch is answered again while a replay of it still holds its locks', async () => {
  const first = await shop.batch([{}], 'K');
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock($1)', [
      lockNumber('idempotency', shop.businessId, 'batch', 'K'),
    ]);
    const again = await shop.batch([{}], 'K');
    expect([again.text, replayed(again)]).toEqual([first.text, 'true']);
    expect(statusAndCode(await shop.batch([{ subject: 'Other' }], 'K'))).toBe('409 idempotency.key_reused');
    await holder.query('rollback');
  } finally {
    holder.release();
  }
});

describe('4.1.7 what spends a key', () => {
  const ok = () => shop.push({}, 'K');

  test.each<[string, () => Promise<ApiResponse>, string]>([
    [
      '401',
      () => shop.call('POST', '/api/v1/messages', { body: ORDER_UPDATE, key: 'wrong', idempotencyKey: 'K' }),
      '401 business.invalid_api_key',
    ],
    ['413', () => raw(' '.repeat(2 * 1024 * 1024 + 1)), '413 request.too_large'],
    [
      '415',
      () =>
        shop.call('POST', '/api/v1/messages', {
          raw: '{}',
          idempotencyKey: 'K',
          headers: { 'content-type': 'text/plain' },
        }),
      '415 common.unsupported_media_type',
    ],
    ['invalid JSON', () => raw('{'), '422 common.validation_failed'],
    ['an invalid field', () => shop.push({ subject: '' }, 'K'), '422 common.validation_failed'],
    ['unstorable text', () => shop.push({ subject: '\u0000' }, 'K'), '422 common.validation_failed'],
    ['a number that is none', () => shop.push({ recipient_phone: '1' }, 'K'), '422 sms.phone_invalid'],
    [
      'consent about no number',
      () => shop.push({ whatsapp_opt_in: { source: 'x' } }, 'K'),
      '422 common.validation_failed',
    ],
  ])('not %s', async (_, call, verdict) => {
    expect(statusAndCode(await call())).toBe(verdict);
    const after = await ok();
    expect([after.status, replayed(after)]).toEqual([201, null]);
  });

  test('not a fault of ours', async () => {
    await service.pool.query('alter table message_events rename to elsewhere');
    await service.pool.query('alter table sends rename to nowhere');
    expect(statusAndCode(await ok())).toBe('500 common.internal');
    await service.pool.query('alter table nowhere rename to sends');
    await service.pool.query('alter table elsewhere rename to message_events');
    const after = await ok();
    expect([after.status, replayed(after)]).toEqual([201, null]);
  });

  test('not the refusals of a resend', async () => {
    const { id } = await shop.pushed({ ...FULL_PUSH, channels: ['sms'] });
    expect(statusAndCode(await shop.post(`/api/v1/messages/${id}/sms`, 'K'))).toBe('409 sms.already_sent');
    await service.pool.query(
      `update sends set state = 'rejected', reserved = false, due_at = null where message_id = $1`,
      [id],
    );
    expect(statusAndCode(await shop.post(`/api/v1/messages/${id}/sms`, 'K'))).toBe('200');
  });

  test.each(['retract', 'sms', 'whatsapp'])('message.not_found does, and is replayed: %s', async (what) => {
    const path = `/api/v1/messages/unknown/${what}`;
    const first = await shop.post(path, 'K');
    expect(statusAndCode(first)).toBe('404 message.not_found');
    const again = await shop.post(path, 'K');
    expect([again.status, again.text, replayed(again)]).toEqual([404, first.text, 'true']);
  });
});

describe('4.1.8 after an error with no response', () => {
  test('the caller retries with the same key and body, and there is one message', async () => {
    const body = JSON.stringify({ ...ORDER_UPDATE, recipient_phone: PHONE_NUMBER, channels: ['sms'] });
    for (let count = 0; count < 5; count += 1) {
      const connection = await openRawConnection(service.url);
      connection.send(
        `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\nContent-Type: application/json\r\n` +
          `Idempotency-Key: K\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      connection.end();
    }
    await expect.poll(async () => (await raw(body)).status, { timeout: 20_000 }).toBe(201);
    expect(await messages()).toBe(1);
    expect(await creditBalanceOf(service, shop)).toMatchObject({ reserved: 1 });
  });
});

describe('4.1.6 a key is remembered for 24 hours of the service’s clock', () => {
  let late: TestService;
  beforeAll(async () => {
    late = await startService({ ROLES: 'api' });
  });
  afterAll(() => late.close());

  /** Puts the clock forward and waits until the process has noticed. */
  const pass = async (milliseconds: number, by: Shop) => {
    const before = Date.parse((await by.pushed()).created_at);
    await late.pool.query('update service_clock set offset_ms = offset_ms + $1', [milliseconds]);
    await expect
      .poll(async () => Date.parse((await by.pushed()).created_at) - before, {
        timeout: 25_000,
        interval: 200,
      })
      .toBeGreaterThanOrEqual(milliseconds);
  };

  test('replayed before, a new request after', async () => {
    const patient = await late.business({ credits: 10 });
    const clockwork = await late.business();
    const calls = [
      () => patient.push({}, 'K'),
      () => patient.batch([{}], 'K'),
      () => patient.post('/api/v1/messages/unknown/retract', 'K'),
    ];
    const first = await Promise.all(calls.map((call) => call()));
    await pass(23 * HOUR + 58 * 60_000, clockwork);
    const before = await Promise.all(calls.map((call) => call()));
    expect(before.map((answer) => [answer.text, replayed(answer)])).toEqual(
      first.map(({ text }) => [text, 'true']),
    );
    await pass(2 * 60_000, clockwork);
    const after = await Promise.all(calls.map((call) => call()));
    expect(after.map(replayed)).toEqual([null, null, null]);
    expect(after[0]?.text).not.toBe(first[0]?.text);
    expect(statusAndCode(await patient.push({ subject: 'Other' }, 'K'))).toBe('409 idempotency.key_reused');
    expect((await patient.push({}, 'K')).text).toBe(after[0]?.text);
  });

  test('a batch is replayed to the byte when the keys of its items are forgotten or used again', async () => {
    const patient = await late.business();
    const clockwork = await late.business();
    const batch = () => patient.batch([{}, { subject: '' }], 'B');
    await patient.pushed({}, 'B#0');
    await pass(23 * HOUR, clockwork);
    const first = await batch();
    await patient.pushed({ subject: 'The failed item, corrected' }, 'B#1');
    await pass(2 * HOUR, clockwork);
    await patient.pushed({ subject: 'A day after the push that the batch repeats' }, 'B#0');
    const again = await batch();
    expect([again.text, replayed(again)]).toEqual([first.text, 'true']);
  });
});
