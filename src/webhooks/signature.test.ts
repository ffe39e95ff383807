import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verify } from '../../test/support/verifySignature.ts';
import { TOLERANCE_SECONDS } from '../kit/signedTime.ts';
import { standardHeaders } from '../kit/standardWebhooks.ts';
import {
  canonicalJson,
  type JsonValue,
  mask,
  newSecret,
  sign,
  signedWebhookHeaders,
  signingKeys,
} from './signature.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const KEYS = signingKeys(SECRET);
const BODY = '{"test": 2432232314}';
const AT = 1614265330;

describe('worked examples', () => {
  test('X-Service-Signature is keyed with the whole secret as text', () => {
    // printf '1614265330.{"test": 2432232314}' | openssl dgst -sha256 -hmac whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
    expect(sign(KEYS, AT, BODY)).toBe(
      't=1614265330,v1=2e37df5d4a028c51a7f3133d64ae1e300d2c2c900f1b1d49d4369ad2530f8964',
    );
  });

  test('webhook-signature is that of the Standard Webhooks libraries', () => {
    expect(standardHeaders([KEYS.standard], 'msg_p5jXN8AQM9LWM0D4loKWxJek', AT, BODY)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test('a delivery carries both, its type, and its id', () => {
    const headers = signedWebhookHeaders({
      keys: KEYS,
      eventId: 'e1',
      eventType: 'ping',
      unixSeconds: AT,
      rawBody: BODY,
    });
    expect(headers).toEqual({
      'x-service-signature': sign(KEYS, AT, BODY),
      'x-service-event': 'ping',
      'x-service-delivery': 'e1',
      ...standardHeaders([KEYS.standard], 'e1', AT, BODY),
    });
  });

  test('text and its UTF-8 bytes sign alike', () => {
    expect(sign(KEYS, AT, 'Õie 🎁')).toBe(sign(KEYS, AT, Buffer.from('Õie 🎁')));
    expect(standardHeaders([KEYS.standard], 'e1', AT, 'Õie 🎁')).toEqual(
      standardHeaders([KEYS.standard], 'e1', AT, Buffer.from('Õie 🎁')),
    );
  });
});

describe('a receiver accepts what we sign, and nothing else', () => {
  const header = sign(KEYS, AT, BODY);
  const digest = header.slice(header.indexOf('v1=') + 3);
  const otherDigest = (digest.startsWith('0') ? '1' : '0') + digest.slice(1);

  test('as sent', () => {
    expect(verify(SECRET, header, BODY, AT)).toBe(true);
  });

  const tampered: [string, string, string, string][] = [
    ['another secret', newSecret(), header, BODY],
    ['the secret without its prefix', SECRET.slice(6), header, BODY],
    ['another body', SECRET, header, BODY.replace('4', '5')],
    ['a body with white space taken out', SECRET, header, BODY.replace(' ', '')],
    ['an empty body', SECRET, header, ''],
    ['another time', SECRET, `t=${AT + 1},v1=${digest}`, BODY],
    ['the same time, rewritten', SECRET, `t=0${AT},v1=${digest}`, BODY],
    ['a digit moved from the time into the body', SECRET, `t=161426533,v1=${digest}`, `0.${BODY}`],
    ['another digest', SECRET, `t=${AT},v1=${otherDigest}`, BODY],
    ['a digest cut short', SECRET, `t=${AT},v1=${digest.slice(0, -2)}`, BODY],
    ['a digest with more behind it', SECRET, `${header}00`, BODY],
    ['no digest', SECRET, `t=${AT},v1=`, BODY],
    ['no time', SECRET, `v1=${digest}`, BODY],
    ['another scheme', SECRET, `t=${AT},v0=${digest}`, BODY],
    ['an empty header', SECRET, '', BODY],
  ];
  test.each(tampered)('not with %s', (_, secret, given, body) => {
    expect(verify(secret, given, body, AT)).toBe(false);
  });

  const ages: [number, boolean][] = [
    [TOLERANCE_SECONDS, true],
    [TOLERANCE_SECONDS + 1, false],
    [-TOLERANCE_SECONDS, true],
    [-TOLERANCE_SECONDS - 1, false],
  ];
  test.each(ages)('%i s after it was signed: %s', (age, accepted) => {
    expect(verify(SECRET, header, BODY, AT + age)).toBe(accepted);
  });

  test('whatever the body', () => {
    const bodies = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(bodies, bodies, (body, other) => {
        const bytes = Buffer.from(body);
        const signature = sign(KEYS, AT, bytes);
        expect(verify(SECRET, signature, bytes, AT)).toBe(true);
        expect(verify(SECRET, signature, Buffer.from(other), AT)).toBe(bytes.equals(Buffer.from(other)));
      }),
    );
  });
});

describe('a new secret', () => {
  test('has its prefix and at least 32 characters behind it, and never comes twice', () => {
    const secrets = Array.from({ length: 200 }, newSecret);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[0-9a-z]{32,}$/);
    expect(new Set(secrets).size).toBe(secrets.length);
  });

  test('is whole base64 of 24 to 64 bytes in either alphabet, as ready-made verifiers demand', () => {
    for (const secret of Array.from({ length: 50 }, newSecret)) {
      const encoded = secret.slice('whsec_'.length);
      const key = Buffer.from(encoded, 'base64');
      expect(key.toString('base64')).toBe(encoded);
      expect(key.toString('base64url')).toBe(encoded);
      expect(key.length).toBeGreaterThanOrEqual(24);
      expect(key.length).toBeLessThanOrEqual(64);
    }
  });

  test('verifies both ways: as text for our header, decoded for the standard one', () => {
    const secret = newSecret();
    const headers = signedWebhookHeaders({
      keys: signingKeys(secret),
      eventId: 'e1',
      eventType: 'ping',
      unixSeconds: AT,
      rawBody: BODY,
    });
    expect(verify(secret, headers['x-service-signature'] ?? '', BODY, AT)).toBe(true);
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const expected = createHmac('sha256', key).update(`e1.${AT}.${BODY}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
  });

  test('is listed by its prefix and last four characters only', () => {
    expect(mask(SECRET)).toBe('whsec_…LaSw');
  });
});

describe('an envelope is written the same way every time', () => {
  const cases: [string, JsonValue, string][] = [
    [
      'an event, its four fields sorted, and data within',
      {
        type: 'message.failed',
        occurred_at: '2026-08-20T09:15:00.000Z',
        id: 'e1',
        data: { recipient_email: 'ann@example.com', message_id: 'm1', channel: 'email', reference: null },
      },
      '{"data":{"channel":"email","message_id":"m1","recipient_email":"ann@example.com","reference":null},' +
        '"id":"e1","occurred_at":"2026-08-20T09:15:00.000Z","type":"message.failed"}',
    ],
    [
      'keys sort at every depth, inside lists too',
      { b: [{ d: 1, c: 2 }], a: {} },
      '{"a":{},"b":[{"c":2,"d":1}]}',
    ],
    ['integer-like keys are text', { b: 1, '10': 2, '9': 3, a: 4 }, '{"10":2,"9":3,"a":4,"b":1}'],
    [
      'capitals come before small letters, a prefix before the longer',
      { ab: 1, a: 2, B: 3 },
      '{"B":3,"a":2,"ab":1}',
    ],
    ['letters of any script stay as they are', { é: 'Õie 🎁 訂單', z: 'ß' }, '{"z":"ß","é":"Õie 🎁 訂單"}'],
    ['quotes, backslashes and controls are escaped', { a: '"\\\n\u0001/' }, '{"a":"\\"\\\\\\n\\u0001/"}'],
    ['a lone surrogate is escaped, so the bytes are UTF-8', { a: '\ud83c' }, '{"a":"\\ud83c"}'],
    ['white space inside text is kept', { a: ' b  c ' }, '{"a":" b  c "}'],
    ['an empty envelope', {}, '{}'],
    ['lists keep their order', [3, 1, 2, []], '[3,1,2,[]]'],
    ['plain values', [null, true, false, 0, -1.5, 1e21, ''], '[null,true,false,0,-1.5,1e+21,""]'],
  ];
  test.each(cases)('%s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test('a key named __proto__ is a key like any other', () => {
    const value: JsonValue = JSON.parse('{"b":1,"__proto__":{"a":2}}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"a":2},"b":1}');
  });
});

describe('for any JSON value', () => {
  const anyValue = fc
    .jsonValue({ maxDepth: 6, stringUnit: 'binary' })
    .map((value): JsonValue => JSON.parse(JSON.stringify(value)));

  test('parsing gives the value back', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  test('the order in which keys were set does not show', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  test('keys are sorted at each depth', () => {
    // A letter in front, since a parsed object lists integer-like keys first whatever the text says.
    const lettered = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.integer(),
        fc.array(tie('value')),
        fc.dictionary(
          fc.string({ unit: 'binary' }).map((key) => `k${key}`),
          tie('value'),
        ),
      ),
    })).value;
    fc.assert(fc.property(lettered, (value) => everyObject(JSON.parse(canonicalJson(value)), isSorted)));
  });
});

const isObject = (value: unknown): value is Record<string, JsonValue> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

function everyObject(value: unknown, holds: (value: object) => boolean): boolean {
  if (Array.isArray(value)) return value.every((item) => everyObject(item, holds));
  if (!isObject(value)) return true;
  return holds(value) && Object.values(value).every((member) => everyObject(member, holds));
}

function isSorted(value: object): boolean {
  const keys = Object.keys(value);
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') < key);
}
