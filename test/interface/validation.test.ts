import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { ORDER_UPDATE, type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business({ credits: 5 });
});
afterAll(() => service.close());

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const UNDEFINED = undefined;

describe('7. a validation failure says type, loc, msg and input', () => {
  test.each([
    ['missing', 'subject', UNDEFINED, 'Field required'],
    ['missing', 'body', UNDEFINED, 'Field required'],
    ['missing', 'recipient_email', UNDEFINED, 'Field required'],
    ['string_type', 'body', 1, 'Input should be a valid string'],
    ['string_type', 'subject', null, 'Input should be a valid string'],
    ['string_type', 'recipient_phone', 37255550134, 'Input should be a valid string'],
    ['string_type', 'order_status', true, 'Input should be a valid string'],
    ['string_too_long', 'subject', 'x'.repeat(301), 'String should have at most 300 characters'],
    ['string_too_long', 'body', 'x'.repeat(10_001), 'String should have at most 10000 characters'],
    ['string_too_long', 'reference', '1'.repeat(65), 'String should have at most 64 characters'],
    ['string_too_short', 'subject', '', 'String should have at least 1 character'],
    ['string_too_short', 'subject', ' \t\n\u00a0\u3000', 'String should have at least 1 character'],
    ['string_too_short', 'body', '  ', 'String should have at least 1 character'],
    ['string_too_short', 'reference', '', 'String should have at least 1 character'],
    ['string_pattern_mismatch', 'reference', 'A 1', "String should match pattern '^[A-Za-z0-9#_./-]+$'"],
    ['int_type', 'escalate_if_unread_after_minutes', '60', 'Input should be a valid integer'],
    [
      'greater_than_equal',
      'escalate_if_unread_after_minutes',
      4,
      'Input should be greater than or equal to 5',
    ],
    [
      'greater_than_equal',
      'escalate_if_unread_after_minutes',
      -1,
      'Input should be greater than or equal to 5',
    ],
    [
      'less_than_equal',
      'escalate_if_unread_after_minutes',
      10_081,
      'Input should be less than or equal to 10080',
    ],
    ['bool_type', 'notify', 'yes', 'Input should be a valid boolean'],
    ['bool_type', 'sms_if_whatsapp_fails', null, 'Input should be a valid boolean'],
    ['list_type', 'channels', { 0: 'sms' }, 'Input should be a valid list'],
    ['list_type', 'obsoletes', null, 'Input should be a valid list'],
    ['dict_type', 'whatsapp_opt_in', true, 'Input should be a valid dictionary'],
    ['enum', 'kind', 'daily', "Input should be 'one_off' or 'updateable'"],
    ['enum', 'kind', null, "Input should be 'one_off' or 'updateable'"],
    [
      'too_long',
      'obsoletes',
      Array(101).fill('a'),
      'List should have at most 100 items after validation, not 101',
    ],
    ['datetime_type', 'send_at', 5, 'Input should be a valid datetime'],
    ['timezone_aware', 'send_at', '2099-01-01T10:00:00', 'Input should have timezone info'],
    ['value_error', 'send_at', '2020-01-01T10:00:00Z', 'Value error, must be in the future'],
    ['value_error', 'send_at', '2099-01-01T10:00:00Z', 'Value error, must be at most 90 days from now'],
    ['value_error', 'recipient_email', 'ann@', 'value is not a valid email address'],
  ])('%s at %s', async (type, field, input, msg) => {
    const sent = { ...ORDER_UPDATE, [field]: input };
    expect(validationErrorsOf(await shop.push({ [field]: input }))).toEqual([
      {
        type,
        loc: ['body', field],
        msg,
        input: type === 'missing' ? JSON.parse(JSON.stringify(sent)) : input,
      },
    ]);
  });

  test.each([
    'tomorrow',
    '2099-01-01',
    '2099-13-01T00:00:00Z',
    '2099-02-30T00:00:00Z',
    '2099-01-01T25:00:00Z',
    '',
  ])('datetime_parsing for send_at %j', async (send_at) => {
    expect(validationErrorsOf(await shop.push({ send_at }))).toMatchObject([
      { type: 'datetime_parsing', loc: ['body', 'send_at'], input: send_at },
    ]);
  });

  test('a place within a list is an integer', async () => {
    expect(validationErrorsOf(await shop.push({ channels: ['email', 'fax', 'sms', 7] }))).toEqual([
      {
        type: 'enum',
        loc: ['body', 'channels', 1],
        msg: "Input should be 'email', 'sms' or 'whatsapp'",
        input: 'fax',
      },
      {
        type: 'enum',
        loc: ['body', 'channels', 3],
        msg: "Input should be 'email', 'sms' or 'whatsapp'",
        input: 7,
      },
    ]);
    expect(validationErrorsOf(await shop.push({ obsoletes: ['a', 'x'.repeat(65), null] }))).toMatchObject([
      { type: 'string_too_long', loc: ['body', 'obsoletes', 1] },
      { type: 'string_type', loc: ['body', 'obsoletes', 2], input: null },
    ]);
  });

  test('a place within an object is its name', async () => {
    expect(validationErrorsOf(await shop.push({ whatsapp_opt_in: {} }))).toEqual([
      { type: 'missing', loc: ['body', 'whatsapp_opt_in', 'source'], msg: 'Field required', input: {} },
    ]);
  });

  describe('the body as a whole', () => {
    const send = (raw: string | Uint8Array) =>
      shop.call('POST', '/api/v1/messages', { raw, idempotencyKey: 'k' });

    test.each(['[]', '"text"', '7', 'true', 'null'])('%s is dict_type', async (raw) => {
      expect(validationErrorsOf(await send(raw))).toEqual([
        {
          type: 'dict_type',
          loc: ['body'],
          msg: 'Input should be a valid dictionary',
          input: JSON.parse(raw),
        },
      ]);
    });

    test.each([
      ['{', 1, 'a name in double quotes or "}"'],
      ["{'a': 1}", 1, 'a name in double quotes or "}"'],
      ['{"a": 1,}', 8, 'a name in double quotes'],
      ['{"🎁": nope}', 6, 'a value'],
      ['{} {}', 3, 'the end'],
      ['NaN', 0, 'a value'],
      ['\u0000', 0, 'a value'],
    ])('%j is json_invalid at its position', async (raw, position, expected) => {
      expect(validationErrorsOf(await send(raw))).toEqual([
        {
          type: 'json_invalid',
          loc: ['body', position],
          msg: `Invalid JSON: expected ${expected} at position ${position}`,
          input: null,
        },
      ]);
    });

    test('none at all is missing', async () => {
      expect(
        validationErrorsOf(await shop.call('POST', '/api/v1/messages', { idempotencyKey: 'k' })),
      ).toEqual([{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }]);
      expect(validationErrorsOf(await send(''))).toMatchObject([{ type: 'missing', loc: ['body'] }]);
    });
  });

  describe('the query', () => {
    const list = (query: string) => shop.get(`/api/v1/messages?${query}`);

    test.each(['ten', '', '1.0', '1e2', ' 5', '0x10', '٣'])('limit %j is int_parsing', async (limit) => {
      expect(validationErrorsOf(await list(`limit=${encodeURIComponent(limit)}`))).toEqual([
        {
          type: 'int_parsing',
          loc: ['query', 'limit'],
          msg: 'Input should be a valid integer, unable to parse string as an integer',
          input: limit,
        },
      ]);
    });

    test('a filter that is no address, and a cursor that is not ours, are value_error', async () => {
      expect(validationErrorsOf(await list('recipient_email=ann'))).toMatchObject([
        { type: 'value_error', loc: ['query', 'recipient_email'], input: 'ann' },
      ]);
      for (const cursor of ['', 'x', 'bm90IG91cnM', '../..', '%F0%9F%8E%81']) {
        expect(validationErrorsOf(await list(`cursor=${cursor}`))).toMatchObject([
          { type: 'value_error', loc: ['query', 'cursor'], input: decodeURIComponent(cursor) },
        ]);
      }
    });
  });

  test('the path: an address that is none', async () => {
    for (const email of [
      '%20',
      'ann',
      'ann%40',
      '%40example.com',
      'a%20b%40example.com',
      'ann@example.com,bob@example.com',
    ]) {
      expect(validationErrorsOf(await shop.get(`/api/v1/recipients/${email}/sms`))).toEqual([
        {
          type: 'value_error',
          loc: ['path', 'email'],
          msg: 'value is not a valid email address',
          input: decodeURIComponent(email),
        },
      ]);
    }
    expect(validationErrorsOf(await shop.get('/api/v1/recipients//sms'))).toMatchObject([
      { loc: ['path', 'email'], input: '' },
    ]);
  });

  describe('the Idempotency-Key', () => {
    const PATHS = ['/api/v1/messages', '/api/v1/messages/batch', '/api/v1/messages/abc/retract'];

    test('missing: named as a header, its input null', async () => {
      for (const path of PATHS) {
        const answer = await shop.call('POST', path, { body: { ...ORDER_UPDATE, items: [ORDER_UPDATE] } });
        expect(validationErrorsOf(answer)).toEqual([
          { type: 'missing', loc: ['header', 'Idempotency-Key'], msg: 'Field required', input: null },
        ]);
      }
    });

    test('empty, or too long', async () => {
      const send = (path: string, idempotencyKey: string) =>
        shop.call('POST', path, { body: { ...ORDER_UPDATE, items: [ORDER_UPDATE] }, idempotencyKey });
      expect(validationErrorsOf(await send('/api/v1/messages', ''))).toMatchObject([
        { type: 'string_too_short', loc: ['header', 'Idempotency-Key'], input: null },
      ]);
      expect(validationErrorsOf(await send('/api/v1/messages', 'k'.repeat(256)))).toMatchObject([
        { type: 'string_too_long', msg: 'String should have at most 255 characters', input: null },
      ]);
      expect(validationErrorsOf(await send('/api/v1/messages/batch', 'k'.repeat(253)))).toMatchObject([
        { type: 'string_too_long', msg: 'String should have at most 252 characters', input: null },
      ]);
    });
  });

  test('all failures of one request come together, whatever part they are in', async () => {
    const answer = await shop.call('POST', '/api/v1/messages', {
      body: {
        recipient_email: 'nobody',
        body: '',
        recipient_phone: 5,
        channels: ['fax', 'email', 3],
        whatsapp_opt_in: { source: '' },
        sms_if_whatsapp_fails: 'no',
        reference: 'ö',
        order_status: 0,
        kind: 'x',
        notify: [],
        send_at: 'soon',
        escalate_if_unread_after_minutes: 1,
        obsoletes: [1],
        unknown: 'a\u0000b',
      },
    });
    const places = validationErrorsOf(answer).map(({ type, loc }) => `${loc.join('.')} ${type}`);
    expect(places.sort()).toEqual(
      [
        'header.Idempotency-Key missing',
        'body.recipient_email value_error',
        'body.subject missing',
        'body.body string_too_short',
        'body.recipient_phone string_type',
        'body.channels.0 enum',
        'body.channels.2 enum',
        'body.whatsapp_opt_in.source string_too_short',
        'body.sms_if_whatsapp_fails bool_type',
        'body.reference string_pattern_mismatch',
        'body.order_status string_type',
        'body.kind enum',
        'body.notify bool_type',
        'body.send_at datetime_parsing',
        'body.escalate_if_unread_after_minutes greater_than_equal',
        'body.obsoletes.0 string_type',
        'body.unknown value_error',
      ].sort(),
    );

    const listed = await shop.get('/api/v1/messages?recipient_email=x&limit=y&cursor=z');
    expect(validationErrorsOf(listed).map(({ loc }) => loc.join('.'))).toEqual([
      'query.recipient_email',
      'query.limit',
      'query.cursor',
    ]);

    const phone = await shop.put('/api/v1/recipients/nobody/phone', { phone: 5 });
    expect(validationErrorsOf(phone).map(({ loc }) => loc.join('.'))).toEqual(['path.email', 'body.phone']);

    const batch = await shop.call('POST', '/api/v1/messages/batch', { raw: '{' });
    expect(validationErrorsOf(batch).map(({ type }) => type)).toEqual(['missing', 'json_invalid']);
  });

  test('an input that would take more than 16 KiB is null', async () => {
    const fault = async (subject: unknown) => validationErrorsOf(await shop.push({ subject, body: 'B' }))[0];
    const text = 'x'.repeat(16 * 1024 - 2);
    expect(await fault(text)).toMatchObject({ type: 'string_too_long', input: text });
    expect(await fault(`${text}x`)).toMatchObject({ type: 'string_too_long', input: null });
    expect(await fault(Array(20_000).fill(1))).toMatchObject({ type: 'string_type', input: null });
    expect(
      validationErrorsOf(await shop.push({ body: 'x'.repeat(20_000), subject: undefined })),
    ).toMatchObject([
      { type: 'missing', loc: ['body', 'subject'], input: null },
      { type: 'string_too_long', loc: ['body', 'body'], input: null },
    ]);
  });

  test('no more faults than help anyone', async () => {
    const faults = validationErrorsOf(await shop.push({ channels: Array(5_000).fill('fax') }));
    expect(faults).toHaveLength(100);
  });
});

describe('null is refused where the interface does not say "or null", and taken where it does', () => {
  test.each(['recipient_email', 'subject', 'body', 'sms_if_whatsapp_fails', 'kind', 'obsoletes'])(
    '%s: refused',
    async (field) => {
      expect(validationErrorsOf(await shop.push({ [field]: null }))).toMatchObject([
        { loc: ['body', field], input: null },
      ]);
    },
  );

  test.each([
    'recipient_phone',
    'channels',
    'whatsapp_opt_in',
    'reference',
    'order_status',
    'notify',
    'send_at',
    'escalate_if_unread_after_minutes',
  ])('%s: as if it were not there', async (field) => {
    const [left, given] = [await shop.pushed(), await shop.pushed({ [field]: null })];
    const { id: _, created_at: _at, updated_at: _then, ...rest } = left;
    expect(given).toMatchObject(rest);
  });
});

describe('bounds count Unicode code points, items and numbers, and the bound itself is fine', () => {
  test.each([
    ['subject', '🎁'.repeat(300)],
    ['body', '🎁'.repeat(10_000)],
    ['reference', '#'.repeat(64)],
    ['obsoletes', Array(100).fill('0'.repeat(64))],
    ['escalate_if_unread_after_minutes', 5],
    ['escalate_if_unread_after_minutes', 10_080],
    ['send_at', inDays(89.99)],
  ])('%s', async (field, value) => {
    expect(statusAndCode(await shop.push({ [field]: value }))).toBe('201');
  });

  test('one more is not', async () => {
    expect(validationErrorsOf(await shop.push({ subject: '🎁'.repeat(301) }))).toMatchObject([
      { type: 'string_too_long' },
    ]);
    expect(validationErrorsOf(await shop.push({ send_at: inDays(90.01) }))).toMatchObject([
      { type: 'value_error' },
    ]);
  });

  test('a source of consent has 1 to 200 characters', async () => {
    const optIn = (source: string) =>
      shop.push({ recipient_phone: '+37255550199', whatsapp_opt_in: { source } });
    expect(statusAndCode(await optIn('🎁'.repeat(200)))).toBe('201');
    expect(validationErrorsOf(await optIn('x'.repeat(201)))).toMatchObject([
      { loc: ['body', 'whatsapp_opt_in', 'source'] },
    ]);
    expect(validationErrorsOf(await optIn(' '))).toMatchObject([{ type: 'string_too_short' }]);
  });

  test('an idempotency key of 255 characters, 252 on a batch', async () => {
    expect(statusAndCode(await shop.push({}, 'k'.repeat(255)))).toBe('201');
    expect(statusAndCode(await shop.batch([{}], 'k'.repeat(252)))).toBe('200');
  });
});
