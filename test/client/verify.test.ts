import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signWebhook, verifyWebhook, WebhookVerificationError } from '../../clients/typescript/src/index.ts';
import {
  canonicalJson,
  newSecret,
  sign,
  signedWebhookHeaders,
  signingKeys,
} from '../../src/webhooks/signature.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { verify } from '../support/verifySignature.ts';
import { BODY, headersOf, NOW, PING, SECONDS, SECRET, webhookCases } from './webhookCases.ts';

const runs = { numRuns: shortOrLong(200, 2_000) };

/** The event's type, or why it is refused. */
async function verdict(
  ...[body, headers, secret, options]: Parameters<typeof verifyWebhook>
): Promise<string> {
  try {
    return (await verifyWebhook(body, headers, secret, { now: NOW, ...options })).type;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
}

const event = fc.record({
  id: fc.string(),
  type: fc.constantFrom('ping', 'message.opened', 'parcel.flew'),
  occurred_at: fc.string(),
  data: fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constant(null))),
});

describe('against our signer', () => {
  test('whatever we sign is believed, as text and as bytes, and gives back the event', async () => {
    await fc.assert(
      fc.asyncProperty(event, fc.integer({ min: -300, max: 300 }), async (sent, apart) => {
        const secret = newSecret();
        const body = canonicalJson(sent);
        const headers = headersOf(body, secret, SECONDS + apart);
        for (const raw of [body, Buffer.from(body), new TextEncoder().encode(body).buffer]) {
          const got = await verifyWebhook(raw, headers, secret, { now: NOW });
          const type = got.type === 'unknown' ? got.unknown_type : got.type;
          expect({ ...got, type }).toMatchObject(JSON.parse(body));
        }
      }),
      runs,
    );
  });

  test('it believes exactly the headers that our own verifier believes', async () => {
    const genuine = sign(signingKeys(SECRET), SECONDS, BODY);
    const changed = fc
      .tuple(fc.nat(genuine.length - 1), fc.string({ minLength: 1, maxLength: 1 }))
      .map(([at, character]) => genuine.slice(0, at) + character + genuine.slice(at + 1));
    const header = fc.oneof(changed, fc.string(), fc.constant(genuine));
    await fc.assert(
      fc.asyncProperty(header, fc.constantFrom(SECRET, newSecret()), async (signature, secret) => {
        const ours = verify(secret, signature, BODY, SECONDS);
        const theirs = await verdict(BODY, { 'x-service-signature': signature }, secret);
        expect(theirs === 'ping').toBe(ours);
      }),
      runs,
    );
  });

  test('a changed body is not believed', async () => {
    const bytes = Buffer.from(BODY);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flipped) => {
        const changed = Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ flipped : byte));
        expect(await verdict(changed, headersOf(BODY), SECRET)).toBe('signature_mismatch');
      }),
      runs,
    );
  });

  test('what we sign for the tests of a receiver is what the service would sign', async () => {
    await fc.assert(
      fc.asyncProperty(event, async (sent) => {
        const body = canonicalJson(sent);
        const { id: eventId, type: eventType } = sent;
        const expected = signedWebhookHeaders({
          keys: signingKeys(SECRET),
          eventId,
          eventType,
          unixSeconds: SECONDS,
          rawBody: body,
        });
        expect(await signWebhook(body, SECRET, { now: NOW })).toEqual({
          'content-type': 'application/json',
          ...expected,
        });
      }),
      runs,
    );
  });
});

test('headers can be web headers', async () => {
  expect(await verdict(BODY, new Headers(headersOf(BODY)), SECRET)).toBe('ping');
});

test.each(webhookCases)('$what: $expected', async (given) => {
  const { expected, body = BODY, headers = headersOf(BODY), secret = SECRET, ...options } = given;
  expect(await verdict(typeof body === 'string' ? body : Object(body), headers, secret, options)).toBe(
    expected,
  );
});

test.each(['', [], ['']])('a secret that is missing is a mistake of the receiver: %j', async (secret) => {
  await expect(verifyWebhook(BODY, headersOf(BODY), secret)).rejects.toThrow(TypeError);
});

test.each([
  ['toleranceSeconds', Number.NaN],
  ['toleranceSeconds', Number.POSITIVE_INFINITY],
  ['toleranceSeconds', -1],
  ['now', Number.NaN],
  ['now', Number.NEGATIVE_INFINITY],
])('%s: %s is a mistake of the receiver, and no way past the age of a signature', async (option, value) => {
  for (const seconds of [SECONDS, 0])
    await expect(
      verifyWebhook(BODY, headersOf(BODY, SECRET, seconds), SECRET, { now: NOW, [option]: value }),
    ).rejects.toThrow(new TypeError(`verifyWebhook needs ${option} as a number from 0 up, not ${value}`));
});

test('the error says what to do', async () => {
  await expect(verifyWebhook(BODY, {}, SECRET)).rejects.toThrow('The header X-Service-Signature is missing.');
  await expect(verifyWebhook(Object(PING), {}, SECRET)).rejects.toThrow('Your framework has parsed it');
  await expect(
    verifyWebhook(BODY, headersOf(BODY, SECRET, SECONDS), SECRET, { now: NOW + 400_000 }),
  ).rejects.toThrow("It was signed 400 seconds from this machine's time; at most 300 are accepted.");
});
