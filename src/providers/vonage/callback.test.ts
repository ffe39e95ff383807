import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { isSignedBody, parseVonageCallback, vonageSignature } from './callback.ts';

const status = (name: string, more: Record<string, unknown> = {}) => ({
  message_uuid: 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab',
  to: '447700900123',
  from: '447700900900',
  timestamp: '2026-08-20T09:15:00Z',
  status: name,
  client_ref: 'b-s',
  ...more,
});
const error = (code: number) => ({
  error: {
    type: `https://developer.vonage.com/api-errors/messages#${code}`,
    title: code,
    detail: 'No.',
    instance: 'bf0ca0bf927b3b52e3cb03217e1a1ddf',
  },
});

/** The report in a few words; null: none, or one that is known already. */
function parsed(body: unknown): string | null {
  const { reports, faults } = parseVonageCallback('jti-1', body);
  const [report] = reports;
  if (!report) return null;
  return [report.status, report.errorCode, report.stopped && 'stops', faults.length > 0 && 'says so']
    .filter(Boolean)
    .join(', ');
}

describe('a status', () => {
  test.each<[string, string | null]>([
    ['submitted', null],
    ['something_new', null],
    ['constructor', null],
    ['delivered', 'delivered'],
    ['undeliverable', 'failed'],
    ['rejected', 'rejected'],
  ])('%s', (name, expected) => expect(parsed(status(name))).toBe(expected));

  test.each<[string, number, string]>([
    ['rejected', 1000, 'rejected, platform_limited'],
    ['rejected', 1030, 'rejected, vonage_1030'],
    ['rejected', 1040, 'rejected, vonage_1040'],
    ['rejected', 1050, 'rejected, stopped, stops'],
    ['rejected', 1060, 'rejected, vonage_1060, says so'],
    ['rejected', 1070, 'rejected, vonage_1070, says so'],
    ['rejected', 1120, 'rejected, vonage_1120, says so'],
    ['rejected', 1160, 'rejected, vonage_1160, says so'],
    ['undeliverable', 1180, 'failed, handset_unreachable'],
    ['undeliverable', 1190, 'failed, unknown_handset'],
    ['undeliverable', 1210, 'failed, filtered, says so'],
    ['undeliverable', 1220, 'failed, handset_unreachable'],
    ['undeliverable', 1230, 'failed, carrier_error'],
    ['rejected', 1240, 'rejected, stopped, stops'],
    ['rejected', 1241, 'rejected, platform_limited'],
    ['undeliverable', 1280, 'failed, blocked'],
    ['undeliverable', 1330, 'failed, carrier_error'],
    ['rejected', 1420, 'rejected, vonage_1420, says so'],
    ['undeliverable', 1999, 'failed, vonage_1999'],
  ])('%s with %i', (name, code, expected) => expect(parsed(status(name, error(code)))).toBe(expected));

  test('names its code in the type, or in the title alone', () => {
    const titled = (title: unknown) => ({ error: { type: 'https://example.com/errors#rejected', title } });
    expect(parsed(status('rejected', titled('1240')))).toBe('rejected, stopped, stops');
    expect(parsed(status('rejected', titled('Rejected')))).toBe('rejected');
  });

  test('of an arrival has no fault, whatever it names', () => {
    expect(parsed(status('delivered', error(1210)))).toBe('delivered');
  });

  test('is matched by our reference, and counts once for each signature', () => {
    expect(parseVonageCallback('jti-1', status('delivered')).reports).toMatchObject([
      {
        provider: 'vonage',
        reportId: 'jti-1',
        reference: 'b-s',
        number: '+447700900123',
        paidChannel: 'sms',
      },
    ]);
    const withoutReference = status('delivered', { client_ref: undefined });
    expect(parseVonageCallback('jti-1', withoutReference).reports).toMatchObject([{ reference: '' }]);
  });
});

describe('an inbound text', () => {
  const inbound = {
    message_uuid: 'in-1',
    to: '447700900900',
    from: '447700900123',
    timestamp: '2026-08-20T09:15:00Z',
    text: ' Stop ',
    sms: { keyword: 'STOP', num_messages: '1' },
  };

  test('speaks to the number or the short code it was sent to, under its own id', () => {
    expect(parseVonageCallback('jti-1', inbound).inbound).toEqual([
      {
        channel: 'sms',
        from: '+447700900123',
        body: ' Stop ',
        to: ['447700900900', '+447700900900'],
        id: 'in-1',
      },
    ]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['from nobody', { from: undefined }],
    ['without an id', { message_uuid: undefined }],
    ['without words', { text: undefined, image: { url: 'https://example.com/1.png' } }],
    ['on another channel', { channel: 'whatsapp' }],
  ])('%s is ignored', (_what, change) => {
    expect(parseVonageCallback('jti-1', { ...inbound, ...change })).toMatchObject({
      inbound: [],
      reports: [],
      ignored: 1,
    });
  });
});

test('nothing that is signed breaks the parser', () =>
  fc.assert(fc.property(fc.jsonValue(), (body) => void parseVonageCallback('jti-1', body))));

const account = { apiKey: 'k1', signatureSecret: 'vonage_secret' };
const BODY = Buffer.from('{"status":"delivered"}');
const SIGNED_AT = 1_794_986_127;
const now = new Date(SIGNED_AT * 1_000);
const CLAIMS: Record<string, unknown> = {
  iat: SIGNED_AT,
  jti: 'j1',
  iss: 'Vonage',
  payload_hash: '2499358d3b73660dd38ee30338a37045ae22062c41f1be9df142285a615a6ae9',
  api_key: 'k1',
};

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
function token(
  change: Record<string, unknown> = {},
  header: unknown = { alg: 'HS256', typ: 'JWT' },
  secret = 'vonage_secret',
) {
  const text = `${part(header)}.${part({ ...CLAIMS, ...change })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
const genuine = (bearer: string | undefined, at = now) =>
  vonageSignature(account, bearer === undefined ? undefined : `Bearer ${bearer}`, at) !== null;

describe('a signature', () => {
  test('of Vonage’s worked example', () => {
    expect(token()).toMatch(/\.xBM8bFBIN4LLM3JJcjrlZFK-bGPCGmBtaBUeF1zWFNw$/);
    const signed = vonageSignature(account, `Bearer ${token()}`, now);
    expect(signed).toEqual({ id: 'j1', bodyHash: CLAIMS.payload_hash });
    expect(signed && isSignedBody(signed, BODY)).toBe(true);
    expect(signed && isSignedBody(signed, Buffer.from('{"status": "delivered"}'))).toBe(false);
  });

  test('made by a library', async () => {
    const bearer = await new SignJWT(CLAIMS)
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(account.signatureSecret));
    expect(genuine(bearer)).toBe(true);
  });

  test('covers the raw bytes, whatever they are', () =>
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (one, other) => {
        const bodyHash = createHash('sha256').update(one).digest('hex');
        expect(isSignedBody({ id: 'j1', bodyHash }, Buffer.from(other))).toBe(Buffer.from(one).equals(other));
      }),
    ));

  test.each<[string, string | undefined]>([
    ['none', undefined],
    ['an empty one', ''],
    ['of two parts', token().split('.').slice(0, 2).join('.')],
    ['with an empty last part', `${token().split('.').slice(0, 2).join('.')}.`],
    ['with another secret', token({}, undefined, 'another')],
    ['with other claims', token().replace(part(CLAIMS), part({ ...CLAIMS, jti: 'j2' }))],
    ['of no algorithm', token({}, { alg: 'none' })],
    ['of a stronger algorithm', token({}, { alg: 'HS512', typ: 'JWT' })],
    ['of the algorithm of our own tokens', token({}, { alg: 'RS256', typ: 'JWT' })],
    ['with a header that is none', token({}, 'HS256')],
    ['of another account', token({ api_key: 'k2' })],
    ['of no account', token({ api_key: undefined })],
    ['without an id', token({ jti: undefined })],
    ['with an empty id', token({ jti: '' })],
    ['with a long id', token({ jti: 'j'.repeat(201) })],
    ['without a hash', token({ payload_hash: undefined })],
    ['without a time', token({ iat: undefined })],
    ['with a time in words', token({ iat: String(SIGNED_AT) })],
    ['that is long', token({ more: 'x'.repeat(4_096) })],
  ])('%s proves nothing', (_what, bearer) => expect(genuine(bearer)).toBe(false));

  const hoursLater = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
  test.each([-0.08, 0, 1, 24])('%f hours later it counts', (hours) =>
    expect(genuine(token(), hoursLater(hours))).toBe(true),
  );
  test.each([-24, -0.09, 24.01, 1_000])('%f hours later it does not', (hours) =>
    expect(genuine(token(), hoursLater(hours))).toBe(false),
  );

  test('nothing in the header breaks the check', () =>
    fc.assert(fc.property(fc.string(), (text) => !genuine(text))));
});
