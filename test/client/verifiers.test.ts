import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signWebhook } from '../../clients/typescript/src/index.ts';
import { canonicalJson, newSecret, sign, signingKeys } from '../../src/webhooks/signature.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { verify } from '../support/verifySignature.ts';
import { type Driver, startDriver } from './driver.ts';
import { clientLanguages } from './languages.ts';
import { BODY, headersOf, NOW, SECONDS, SECRET, webhookCases } from './webhookCases.ts';

for (const language of clientLanguages)
  describe.skipIf(!language.isThere)(
    `the verifier of ${language.name} (skipped where ${language.missing})`,
    () => {
      let driver: Driver;
      beforeAll(() => {
        driver = startDriver(language);
      });
      afterAll(() => driver.close());

      /** The event's type, or why it is refused. */
      async function verdict(
        body: string | object,
        headers: Record<string, string | string[]>,
        secret: string | string[],
        options: object = {},
      ): Promise<unknown> {
        const given = { body, headers, secret, options: { now: SECONDS, ...options } };
        const { result, error } = await driver.run({ verify: given });
        return error === undefined ? Object(result).type : (error.code ?? `${error.name}: ${error.message}`);
      }

      test.each(webhookCases)('webhooks: $what: $expected', async (given) => {
        const { expected, body = BODY, headers = headersOf(BODY), secret = SECRET } = given;
        const { toleranceSeconds: tolerance_seconds = 300, headerPrefix: header_prefix = 'X-Service-' } =
          given;
        expect(await verdict(body, headers, secret, { tolerance_seconds, header_prefix })).toBe(expected);
      });

      test.each(['', [], ['']])(
        'a secret that is missing is a mistake of the receiver: %j',
        async (secret) => {
          expect(await verdict(BODY, headersOf(BODY), secret)).toMatch(/^ValueError: \S+ needs the secret/);
        },
      );

      const runs = { numRuns: shortOrLong(100, 1_000) };
      const event = fc.record({
        id: fc.string(),
        type: fc.constantFrom('ping', 'message.opened', 'parcel.flew'),
        occurred_at: fc.string(),
        data: fc.dictionary(
          fc.string(),
          fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constant(null)),
        ),
      });

      test('whatever we sign is believed and gives back the event; what it signs is what we would sign', async () => {
        await fc.assert(
          fc.asyncProperty(event, fc.integer({ min: -300, max: 300 }), async (sent, apart) => {
            const secret = newSecret();
            const body = canonicalJson(sent);
            const headers = headersOf(body, secret, SECONDS + apart);
            const verified = { verify: { body, headers, secret, options: { now: SECONDS } } };
            const got: Record<string, unknown> = Object((await driver.run(verified)).result);
            const type = got.type === 'unknown' ? got.unknown_type : got.type;
            expect({ ...got, type }).toMatchObject(JSON.parse(body));
            const { result } = await driver.run({ sign: { raw_body: body, secret, now: SECONDS } });
            expect(result).toEqual(await signWebhook(body, secret, { now: NOW }));
          }),
          runs,
        );
      });

      test('it believes exactly the headers that our own verifier believes', async () => {
        const genuine = sign(signingKeys(SECRET), SECONDS, BODY);
        const changed = fc
          .tuple(fc.nat(genuine.length - 1), fc.string({ minLength: 1, maxLength: 1 }))
          .map(([at, character]) => genuine.slice(0, at) + character + genuine.slice(at + 1));
        await fc.assert(
          fc.asyncProperty(fc.oneof(changed, fc.constant(genuine)), async (signature) => {
            const theirs = await verdict(BODY, { 'x-service-signature': signature }, SECRET);
            expect(theirs === 'ping').toBe(verify(SECRET, signature, BODY, SECONDS));
          }),
          runs,
        );
      });
    },
  );
