import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TOLERANCE_SECONDS } from './signedTime.ts';
import { isSignedWebhook, standardHeaders, type WebhookHeaders, webhookKey } from './standardWebhooks.ts';

/** The example of docs/providers/http.md. */
const SECRET = 'whsec_d2F5cG9zdC1leGFtcGxlLXNlY3JldC0yNGI=';
const BODY = '{"v":1,"channel":"sms","to":"+34600000000","text":"hi"}';
const SIGNED_AT = 1_794_986_127;
const SIGNATURE = 'v1,xu7ZG4LAGBrUMePAbf88JKV2lU+env6LWFcJBdQbegE=';
const OTHER = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const at = (unixSeconds: number) => new Date(unixSeconds * 1_000);
const given = { id: 'att_01J', timestamp: String(SIGNED_AT), signature: SIGNATURE };
const genuine = (
  change: Partial<WebhookHeaders> = {},
  { body = BODY, secret = SECRET, now = at(SIGNED_AT) } = {},
) => isSignedWebhook(secret, { ...given, ...change }, Buffer.from(body), now);

test('the worked example, written and read', () => {
  expect(standardHeaders([webhookKey(SECRET)], 'att_01J', SIGNED_AT, BODY)).toEqual({
    'webhook-id': 'att_01J',
    'webhook-timestamp': '1794986127',
    'webhook-signature': SIGNATURE,
  });
  expect(genuine()).toBe(true);
});

test('Svix’s worked example', () => {
  const headers = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  expect(isSignedWebhook(OTHER, headers, Buffer.from('{"test": 2432232314}'), at(1_614_265_330))).toBe(true);
});

test('while a secret is replaced, a receiver with either is content', () => {
  const keys = [webhookKey(OTHER), webhookKey(SECRET)];
  const signature = standardHeaders(keys, 'att_01J', SIGNED_AT, BODY)['webhook-signature'];
  expect(signature.split(' ')).toHaveLength(2);
  for (const secret of [OTHER, SECRET]) expect(genuine({ signature }, { secret })).toBe(true);
});

test('one good signature among several is enough', () => {
  expect(genuine({ signature: `v1,${'A'.repeat(43)}= v2,abc ${SIGNATURE}` })).toBe(true);
});

describe('nothing of it can be changed', () => {
  test.each<[string, Partial<WebhookHeaders>]>([
    ['the id', { id: 'att_01K' }],
    ['no id', { id: undefined }],
    ['an empty id', { id: '' }],
    ['the time', { timestamp: String(SIGNED_AT + 1) }],
    ['no time', { timestamp: undefined }],
    ['a time that is none', { timestamp: `${SIGNED_AT}.0` }],
    ['the signature', { signature: SIGNATURE.replace('xu7', 'xu8') }],
    ['its version', { signature: SIGNATURE.replace('v1,', 'v2,') }],
    ['no signature', { signature: undefined }],
    ['an empty signature', { signature: '' }],
  ])('%s', (_what, change) => expect(genuine(change)).toBe(false));

  test('the body', () => expect(genuine({}, { body: BODY.replace('hi', 'ho') })).toBe(false));
  test('the secret', () => expect(genuine({}, { secret: OTHER })).toBe(false));
});

test.each([
  [-TOLERANCE_SECONDS, true],
  [TOLERANCE_SECONDS, true],
  [-TOLERANCE_SECONDS - 1, false],
  [TOLERANCE_SECONDS + 1, false],
  [36_000, false],
])('%i seconds after it was signed: %s', (seconds, expected) =>
  expect(genuine({}, { now: at(SIGNED_AT + seconds) })).toBe(expected),
);

test('whatever we sign is genuine, and whatever else a header holds is not', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (body, text) => {
      const id = `e${text}`;
      const { 'webhook-signature': signature } = standardHeaders([webhookKey(SECRET)], id, SIGNED_AT, body);
      expect(genuine({ id, signature }, { body })).toBe(true);
      expect(genuine({ id, signature: text }, { body })).toBe(false);
      expect(genuine({ id, signature, timestamp: text }, { body })).toBe(false);
    }),
  );
});
