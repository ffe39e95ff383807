import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CITUS_URL } from '../support/citus.ts';
import { openRawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import { ORDER_UPDATE, type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';

const NUL = '\u0000';
const LONE = '\ud83d';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business();
});
afterAll(() => service.close());

/** As JSON writes it: a lone surrogate leaves as an escape. */
const push = (change: Record<string, unknown>) =>
  shop.call('POST', '/api/v1/messages', {
    raw: JSON.stringify({ ...ORDER_UPDATE, ...change }),
    idempotencyKey: 'unstorable',
  });

describe('7.1 a NUL or an unpaired surrogate is refused, and the field is named', () => {
  describe.each([
    ['a NUL', `a${NUL}b`],
    ['a high surrogate alone', `a${LONE}`],
    ['a low surrogate alone', `\ude00b`],
    ['a pair the wrong way round', '\ude00\ud83d'],
  ])('%s', (_, text) => {
    test.each([
      ['recipient_email', { recipient_email: text }],
      ['subject', { subject: text }],
      ['body', { body: text }],
      ['recipient_phone', { recipient_phone: text }],
      ['channels.0', { channels: [text] }],
      ['whatsapp_opt_in.source', { whatsapp_opt_in: { source: text } }],
      ['reference', { reference: text }],
      ['order_status', { order_status: text }],
      ['kind', { kind: text }],
      ['send_at', { send_at: text }],
      ['obsoletes.1', { obsoletes: ['a', text] }],
      ['unknown', { unknown: text }],
      ['unknown.deep.0.er', { unknown: { deep: [{ er: text }] } }],
    ])('in %s', async (place, change) => {
      const found = validationErrorsOf(await push(change));
      expect(found).toMatchObject([{ type: 'value_error', input: text }]);
      expect(found[0]?.loc.join('.')).toBe(`body.${place}`);
    });

    test('in the name of a field', async () => {
      expect(validationErrorsOf(await push({ [text]: 1 }))).toMatchObject([
        { type: 'value_error', loc: ['body', text] },
      ]);
    });

    test('in an item of a batch, which fails alone', async () => {
      const raw = JSON.stringify({ items: [ORDER_UPDATE, { ...ORDER_UPDATE, extra: { note: text } }] });
      const answer = await shop.call('POST', '/api/v1/messages/batch', { raw, idempotencyKey: `batch ${_}` });
      expect(answer.body).toMatchObject({
        succeeded: 1,
        items: [
          { ok: true },
          {
            ok: false,
            error_code: 'common.validation_failed',
            detail: expect.stringMatching(/^extra\.note: /),
          },
        ],
      });
    });

    test('beside the items of a batch', async () => {
      const raw = JSON.stringify({ items: [ORDER_UPDATE], note: text });
      const answer = await shop.call('POST', '/api/v1/messages/batch', { raw, idempotencyKey: 'k' });
      expect(validationErrorsOf(answer)).toMatchObject([{ type: 'value_error', loc: ['body', 'note'] }]);
    });

    test('in the body of other operations', async () => {
      const key = await shop.call('POST', '/api/v1/keys', { raw: JSON.stringify({ name: text }) });
      expect(validationErrorsOf(key)).toMatchObject([{ type: 'value_error', loc: ['body', 'name'] }]);
      const phone = await shop.call('PUT', '/api/v1/recipients/ann@example.com/phone', {
        raw: JSON.stringify({ phone: text }),
      });
      expect(validationErrorsOf(phone)).toMatchObject([{ type: 'value_error', loc: ['body', 'phone'] }]);
    });
  });

  test('a proper pair is text like any other', async () => {
    expect((await shop.push({ subject: '\ud83d\ude00' })).status).toBe(201);
  });

  test('nothing is stored, and the key is not spent: a corrected request can reuse it', async () => {
    const spotless = await service.business();
    const raw = JSON.stringify({ ...ORDER_UPDATE, subject: NUL });
    const refused = await spotless.call('POST', '/api/v1/messages', { raw, idempotencyKey: 'reused' });
    expect(refused.status).toBe(422);
    expect((await spotless.get('/api/v1/messages')).body).toEqual({ items: [], next_cursor: null });
    expect((await spotless.push({}, 'reused')).status).toBe(201);
  });
});

describe('in a URL', () => {
  const UNSTORABLE = ['%00', 'a%00b', '%ED%A0%80', '%FF', 'caf%E9', '%C3', '%', '%zz'];

  test.each(UNSTORABLE)('the path: %s', async (text) => {
    for (const path of [`/api/v1/messages/${text}`, `/api/v1/recipients/${text}/sms`]) {
      expect(validationErrorsOf(await shop.get(path))).toMatchObject([
        { type: 'value_error', loc: ['path', path.includes('recipients') ? 'email' : 'public_id'] },
      ]);
    }
    const retract = await shop.call('POST', `/api/v1/messages/${text}/retract`, { idempotencyKey: 'k' });
    expect(validationErrorsOf(retract)).toMatchObject([{ type: 'value_error', loc: ['path', 'public_id'] }]);
    expect(validationErrorsOf(await shop.delete(`/api/v1/keys/${text}`))).toMatchObject([
      { loc: ['path', 'key_id'] },
    ]);
  });

  test.each(UNSTORABLE)('the query: %s', async (text) => {
    expect(validationErrorsOf(await shop.get(`/api/v1/messages?recipient_email=${text}`))).toMatchObject([
      { type: 'value_error', loc: ['query', 'recipient_email'] },
    ]);
    expect(validationErrorsOf(await shop.get(`/api/v1/messages?unknown=${text}`))).toMatchObject([
      { loc: ['query', 'unknown'] },
    ]);
  });

  test('the query of an operation that takes none', async () => {
    expect(validationErrorsOf(await shop.get('/api/v1/credits?x=%00'))).toMatchObject([
      { type: 'value_error', loc: ['query', 'x'] },
    ]);
    expect((await shop.get('/api/v1/credits?x=1')).status).toBe(200);
  });

  test('bytes that are not even encoded are no HTTP', async () => {
    const connection = await openRawConnection(service.url);
    connection.send(Buffer.from('GET /api/v1/messages/caf\xe9 HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1'));
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 400 .*common\.malformed_request/s);
  });
});

describe('in an Idempotency-Key', () => {
  const send = async (key: Buffer) => {
    const connection = await openRawConnection(service.url);
    const body = JSON.stringify(ORDER_UPDATE);
    connection.send(
      `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.apiKey}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\nConnection: close\r\nIdempotency-Key: `,
    );
    connection.send(key);
    connection.send(`\r\n\r\n${body}`);
    return connection.closed;
  };

  test('an encoded surrogate is refused by name', async () => {
    expect(await send(Buffer.from([0x6b, 0xed, 0xa0, 0x80]))).toMatch(
      /^HTTP\/1\.1 422 .*value_error.*Idempotency-Key/s,
    );
  });

  test('any other text is a key, counted in characters', async () => {
    expect(await send(Buffer.from('ключ'.repeat(63)))).toMatch(/^HTTP\/1\.1 201 /);
    expect(await send(Buffer.from('ключ'.repeat(64)))).toMatch(/^HTTP\/1\.1 422 .*at most 255 characters/s);
    expect(await send(Buffer.from('Schlüssel', 'latin1'))).toMatch(/^HTTP\/1\.1 201 /);
  });
});

describe('bytes in a body that are not UTF-8', () => {
  test('name the field they are in', async () => {
    const raw = Buffer.from(JSON.stringify({ ...ORDER_UPDATE, subject: 'Käsi' }), 'latin1');
    const answer = await shop.call('POST', '/api/v1/messages', { raw, idempotencyKey: 'latin' });
    expect(validationErrorsOf(answer)).toMatchObject([{ type: 'value_error', loc: ['body', 'subject'] }]);
  });

  test('between values are no JSON', async () => {
    const raw = Buffer.from('{"subject": \xff}', 'latin1');
    expect(
      validationErrorsOf(await shop.call('POST', '/api/v1/messages', { raw, idempotencyKey: 'k' })),
    ).toMatchObject([{ type: 'json_invalid' }]);
  });
});

describe('text that slips through and the store refuses', () => {
  // A trigger plays the store; a cluster has none on its shards.
  test.skipIf(CITUS_URL)(
    'is 422 request.unstorable_input, spends no key, and harms nobody in the same list',
    async () => {
      await service.pool.query(`
      create function refuse_text() returns trigger language plpgsql as $$
        begin raise exception 'invalid byte sequence' using errcode = '22021'; end $$;
      create trigger refuse_text before insert on messages for each row
        when (new.subject = 'refused by the store') execute function refuse_text()`);
      const careful = await service.business();
      const subjects = ['One', 'refused by the store', 'Three'];
      const answers = await Promise.all(subjects.map((subject) => careful.push({ subject }, subject)));
      expect(answers.map(statusAndCode)).toEqual(['201', '422 request.unstorable_input', '201']);
      expect(answers[1]?.body).toEqual({
        error_code: 'request.unstorable_input',
        detail: 'The text contains a character that cannot be stored.',
      });
      expect((await careful.push({ subject: 'Corrected' }, 'refused by the store')).status).toBe(201);
      await service.pool.query('drop function refuse_text cascade');
    },
  );
});

test('addresses with a percent sign are themselves, encoded once', async () => {
  const email = '50%25off@example.com';
  await shop.pushed({ recipient_email: email });
  expect(statusAndCode(await shop.get(`/api/v1/recipients/${encodeURIComponent(email)}/sms`))).toBe('200');
  expect(statusAndCode(await shop.get('/api/v1/recipients/50%25off@example.com/sms'))).toBe(
    '404 recipient.not_found',
  );
  expect(
    (await shop.get(`/api/v1/messages?recipient_email=${encodeURIComponent(email)}`)).body,
  ).toMatchObject({
    items: [{ recipient_email: email }],
  });
});
