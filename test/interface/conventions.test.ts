import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiOf } from '../support/openApi.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business({ credits: 10 });
});
afterAll(() => service.close());

describe('JSON', () => {
  test('leaves as UTF-8 and says so', async () => {
    const answer = await shop.push({ subject: 'Käsi 手 🎁' });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toMatchObject({ subject: 'Käsi 手 🎁' });
  });

  test('a body may begin with a byte order mark and have any white space', async () => {
    const raw = `\ufeff\n\t ${JSON.stringify({ recipient_email: 'ann@example.com', subject: 'S', body: 'B' })} \r\n`;
    const answer = await shop.call('POST', '/api/v1/messages', { raw, idempotencyKey: 'bom' });
    expect(answer.status).toBe(201);
  });

  test('unknown fields are ignored', async () => {
    const answer = await shop.push({ colour: 'red', __proto__x: 1, nested: { deep: [1, { a: null }] } });
    expect(answer.status).toBe(201);
  });

  test('members named like what every object inherits are unknown fields, too', async () => {
    const raw =
      '{"__proto__": {"subject": "no"}, "constructor": 1, "recipient_email": "ann@example.com", "subject": "S", "body": "B"}';
    const answer = await shop.call('POST', '/api/v1/messages', { raw, idempotencyKey: 'proto' });
    expect(answer.body).toMatchObject({ subject: 'S' });
  });

  test('of two members of one name the last counts', async () => {
    const raw = '{"recipient_email": "ann@example.com", "subject": "First", "body": "B", "subject": "Last"}';
    const answer = await shop.call('POST', '/api/v1/messages', { raw, idempotencyKey: 'twice' });
    expect(answer.body).toMatchObject({ subject: 'Last' });
  });

  test.each([
    ['sms_if_whatsapp_fails', 'true', 'bool_type'],
    ['sms_if_whatsapp_fails', 1, 'bool_type'],
    ['notify', 'false', 'bool_type'],
    ['notify', 0, 'bool_type'],
    ['escalate_if_unread_after_minutes', '5', 'int_type'],
    ['escalate_if_unread_after_minutes', 5.5, 'int_type'],
    ['escalate_if_unread_after_minutes', true, 'int_type'],
    ['subject', 5, 'string_type'],
    ['subject', ['S'], 'string_type'],
    ['reference', 1001, 'string_type'],
    ['send_at', 1_900_000_000, 'datetime_type'],
    ['channels', 'sms', 'list_type'],
    ['obsoletes', {}, 'list_type'],
    ['whatsapp_opt_in', [], 'dict_type'],
  ])('%s is never coerced from %j', async (field, value, type) => {
    expect(validationErrorsOf(await shop.push({ [field]: value }))).toMatchObject([
      { type, loc: ['body', field], input: value },
    ]);
  });
});

describe('every declared field is always present, null where there is nothing', () => {
  test('in the result of the plainest push', async () => {
    const { body } = await shop.push({ recipient_email: 'plain@example.com' });
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{12,64}$/),
      recipient_email: 'plain@example.com',
      subject: 'Your order #1001 has shipped',
      kind: 'one_off',
      status: 'active',
      created: true,
      scheduled_for: null,
      nudged: true,
      email: { sending: true, skipped_reason: null },
      sms: null,
      sms_units: 0,
      whatsapp: null,
      whatsapp_opt_in: null,
      reference: null,
      order_status: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  test('the document requires every field that it declares for an answer', async () => {
    const { operations } = await openApiOf(service.url);
    for (const { id, responses } of operations) {
      for (const [status, { schema }] of responses) {
        if (status >= 400 || schema === null) continue;
        const { properties = {}, required = [] } = schema;
        expect([id, ...required].sort()).toEqual([id, ...Object.keys(properties)].sort());
      }
    }
  });
});

describe('timestamps', () => {
  test('leave as RFC 3339 in UTC with milliseconds, whatever was sent', async () => {
    const at = new Date(Date.now() + 3_600_000);
    const inTallinn = new Date(at.getTime() + 2 * 3_600_000).toISOString().replace(/\.\d+Z$/, '+02:00');
    const pushed = await shop.pushed({ send_at: inTallinn });
    const whole = new Date(Math.floor(at.getTime() / 1000) * 1000).toISOString();
    expect(pushed.scheduled_for).toBe(whole);
    expect((await shop.get(`/api/v1/messages/${pushed.id}`)).body).toMatchObject({ scheduled_for: whole });
    expect(pushed.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});

describe('X-Request-Id', () => {
  test.each(['a', 'A-1.b_2', 'x'.repeat(128)])('repeats a caller’s own: %s', async (id) => {
    const answer = await shop.call('GET', '/api/v1/credits', { headers: { 'x-request-id': id } });
    expect(answer.headers.get('x-request-id')).toBe(id);
  });

  test.each(['', 'x'.repeat(129), 'a b', 'a/b', 'é'])('is a fresh one for %j', async (id) => {
    const answer = await shop.call('GET', '/api/v1/credits', { headers: { 'x-request-id': id } });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-z]{20}$/);
  });

  test('is another one for every request', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.get('/api/v1/credits')));
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(20);
  });

  test('is on errors too, from every layer that answers', async () => {
    const headers = { 'x-request-id': 'mine' };
    const answers = [
      await shop.call('GET', '/api/v1/nothing', { headers }),
      await shop.call('PATCH', '/api/v1/keys', { headers }),
      await shop.call('GET', '/api/v1/keys', { headers, key: null }),
      await shop.call('POST', '/api/v1/messages', {
        headers: { ...headers, 'content-type': 'text/plain' },
        raw: 'x',
      }),
      await shop.call('POST', '/api/v1/messages', { headers, body: {} }),
      await shop.call('GET', '/api/v1/messages/unknown', { headers }),
      await shop.call('POST', '/api/v1/keys', { headers, raw: ' '.repeat(3 * 1024 * 1024) }),
      await shop.call('DELETE', '/api/v1/keys/unknown', { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 405, 401, 415, 422, 404, 413, 404]);
    for (const answer of answers) expect(answer.headers.get('x-request-id')).toBe('mine');
  });

  test('names the request in the log', async () => {
    await shop.call('GET', '/api/v1/credits', { headers: { 'x-request-id': 'look-for-me' } });
    await expect
      .poll(() => service.logged.find(({ fields }) => fields.request_id === 'look-for-me')?.fields)
      .toMatchObject({ method: 'GET', route: '/api/v1/credits', status: 200, business_id: shop.businessId });
  });
});

describe('errors', () => {
  test('have a code, and a sentence for a person', async () => {
    const { body } = await shop.get('/api/v1/messages/unknown');
    expect(body).toEqual({ error_code: 'message.not_found', detail: 'No message has this id.' });
  });

  test('a fault of ours is 500 without a word about it, and the log has the cause', async () => {
    const broken = await startService({ ROLES: 'api' });
    try {
      const unlucky = await broken.business();
      const hidden = ['credit_accounts', 'messages'];
      for (const table of hidden)
        await broken.pool.query(`alter table ${table} rename to ${table}_elsewhere`);
      const answer = await unlucky.get('/api/v1/credits');
      expect(answer.body).toEqual({
        error_code: 'common.internal',
        detail: 'Something went wrong on our side; retry with the same idempotency key.',
      });
      expect(statusAndCode(await unlucky.push())).toBe('500 common.internal');
      expect(broken.logged.filter(({ level }) => level === 'error')).toHaveLength(2);
      for (const table of hidden)
        await broken.pool.query(`alter table ${table}_elsewhere rename to ${table}`);
      expect((await unlucky.push()).status).toBe(201);
    } finally {
      await broken.close();
    }
  });
});

test('503 with Retry-After while the store is out of reach, and the same call works when it is back', async () => {
  const cut = await startService({ ROLES: 'api' });
  const patient = await cut.business();
  await patient.get('/api/v1/credits');
  const all = await Promise.all(Array.from({ length: cut.pool.options.max }, () => cut.pool.connect()));
  const answer = await patient.get('/api/v1/credits');
  expect(statusAndCode(answer)).toBe('503 common.unavailable');
  expect(answer.headers.get('retry-after')).toBe('1');
  for (const connection of all) connection.release();
  expect((await patient.get('/api/v1/credits')).status).toBe(200);
  await cut.close();
});

test('bodies are JSON of the media type application/json, with or without parameters, in any case', async () => {
  const body = JSON.stringify({ recipient_email: 'ann@example.com', subject: 'S', body: 'B' });
  const types = [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
  ];
  for (const type of types) {
    const answer = await shop.call('POST', '/api/v1/messages', {
      raw: body,
      idempotencyKey: type,
      headers: { 'content-type': type },
    });
    expect([type, answer.status]).toEqual([type, 201]);
  }
});
