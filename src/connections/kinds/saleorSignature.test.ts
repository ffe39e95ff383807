import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { FlattenedSign } from 'jose';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../kit/errors.ts';
import type { Proof, PublicKey, RawCall } from './kind.ts';
import { saleor } from './saleor.ts';

const STORE = 'https://store.example/graphql/';
const BODY = Buffer.from(
  '{"__typename": "OrderConfirmed", "order": {"id": "T3JkZXI6MQ==", "note": "Grüße"}}',
);

const rsa = (modulusLength = 2_048) => generateKeyPairSync('rsa', { modulusLength });
const stores = { first: rsa(), other: rsa(), small: rsa(1_024) };

const jwk = (publicKey: KeyObject, kid: string): PublicKey => ({
  ...publicKey.export({ format: 'jwk' }),
  kid,
  use: 'sig',
  key_ops: ['verify'],
});
const KEYS = [jwk(stores.first.publicKey, 'one')];

const base64url = (text: string | Buffer): string => Buffer.from(text).toString('base64url');

/** As Saleor signs, without the library that checks it. */
function sign(
  header: Record<string, unknown>,
  { body = BODY, key = stores.first.privateKey }: { body?: Buffer; key?: KeyObject } = {},
): string {
  const encoded = base64url(JSON.stringify(header));
  const signature = createSign('RSA-SHA256').update(`${encoded}.`).update(body).sign(key);
  return `${encoded}..${base64url(signature)}`;
}

const NEW_FORM = { alg: 'RS256', typ: 'JWT', kid: 'one', crit: ['b64'], b64: false };
const OLD_FORM = { typ: 'JWT', alg: 'RS256', kid: 'one', b64: false };

function call(signature: string | undefined, body = BODY): RawCall {
  const headers = new Map([['saleor-event', 'order_confirmed']]);
  if (signature !== undefined) headers.set('saleor-signature', signature);
  return { header: (name) => headers.get(name), query: new URLSearchParams(), body };
}

function proof(of: { keys?: readonly PublicKey[]; newKeys?: readonly PublicKey[]; secrets?: string[] } = {}) {
  const asked: boolean[] = [];
  const { keys = KEYS, secrets = [] } = of;
  const against: Proof = {
    secrets,
    storeUrl: STORE,
    now: new Date('2026-03-01T10:00:00Z'),
    keysOf: (_url, { refresh }) => {
      asked.push(refresh);
      return Promise.resolve(refresh ? (of.newKeys ?? keys) : keys);
    },
  };
  return { asked, against };
}

const verify = async (signature: string | undefined, of: Parameters<typeof proof>[0] = {}, body = BODY) =>
  saleor.verify(call(signature, body), proof(of).against);

describe('the store’s key', () => {
  test('a call that the library itself signed is genuine', async () => {
    const jws = await new FlattenedSign(BODY)
      .setProtectedHeader({ alg: 'RS256', kid: 'one', b64: false, crit: ['b64'] })
      .sign(stores.first.privateKey);
    expect(await verify(`${jws.protected}..${jws.signature}`)).toBe('genuine');
  });

  test.each([
    ['a new store', NEW_FORM, 'one'],
    ['an older store, which names its key 1 and leaves out crit', { ...OLD_FORM, kid: '1' }, '1'],
    ['a store that names no key and has one', { alg: 'RS256', b64: false, crit: ['b64'] }, 'one'],
    ['an older store that names no key', { alg: 'RS256', b64: false }, 'one'],
  ])('the call of %s is genuine, without the keys being read again', async (_store, header, kid) => {
    const { asked, against } = proof({ keys: [jwk(stores.first.publicKey, kid)] });
    expect(await saleor.verify(call(sign(header)), against)).toBe('genuine');
    expect(asked).toEqual([false]);
  });

  test.each([
    ['new', NEW_FORM],
    ['older', OLD_FORM],
  ])('a body with any byte changed is refused in the %s form', async (_form, header) => {
    const signature = sign(header);
    await fc.assert(
      fc.asyncProperty(fc.nat(BODY.length - 1), fc.integer({ min: 1, max: 255 }), async (place, change) => {
        const changed = Buffer.from(BODY);
        changed[place] = (changed[place] ?? 0) ^ change;
        expect(await verify(signature, {}, changed)).toBe('refused');
      }),
      { numRuns: 20 },
    );
  });

  test('after the store has changed its keys, they are read again and its call is genuine', async () => {
    const newKeys = [jwk(stores.other.publicKey, 'two')];
    const { asked, against } = proof({ newKeys });
    const signature = sign({ ...NEW_FORM, kid: 'two' }, { key: stores.other.privateKey });
    expect(await saleor.verify(call(signature), against)).toBe('genuine');
    expect(asked).toEqual([false, true]);
  });

  test('the same name with another key is read again, too', async () => {
    const newKeys = [jwk(stores.other.publicKey, '1')];
    const signature = sign({ ...OLD_FORM, kid: '1' }, { key: stores.other.privateKey });
    const keys = [jwk(stores.first.publicKey, '1')];
    expect(await verify(signature, { keys, newKeys })).toBe('genuine');
    expect(await verify(signature, { keys })).toBe('refused');
  });

  test('keys that cannot be read are no refusal: the store must try again', async () => {
    const against = {
      ...proof().against,
      keysOf: () => Promise.reject(new ApiError('common.unavailable')),
    };
    await expect(saleor.verify(call(sign(NEW_FORM)), against)).rejects.toThrow('common.unavailable');
  });

  test('without a store’s address no key proves anything', async () => {
    const against = { ...proof().against, storeUrl: null };
    expect(await saleor.verify(call(sign(NEW_FORM)), against)).toBe('refused');
  });
});

describe('what is refused', () => {
  const publicPem = stores.first.publicKey.export({ type: 'spki', format: 'pem' });
  const hs256 = (header: Record<string, unknown>, secret: string | Buffer): string => {
    const encoded = base64url(JSON.stringify(header));
    const mac = createHmac('sha256', secret).update(`${encoded}.`).update(BODY).digest();
    return `${encoded}..${base64url(mac)}`;
  };
  const encodedBody = base64url(BODY);
  const encodedHeader = base64url(JSON.stringify({ alg: 'RS256', kid: 'one' }));
  const token = createSign('RSA-SHA256')
    .update(`${encodedHeader}.${encodedBody}`)
    .sign(stores.first.privateKey);
  const [, , valid = ''] = sign(NEW_FORM).split('.');

  test.each<[string, string | undefined]>([
    ['no signature', undefined],
    ['an empty one', ''],
    ['none at all, by its own word', `${base64url('{"alg":"none","b64":false,"crit":["b64"]}')}..AAAA`],
    ['HMAC with the public key as its secret', hs256({ ...NEW_FORM, alg: 'HS256' }, String(publicPem))],
    ['the same in the older form', hs256({ ...OLD_FORM, alg: 'HS256' }, String(publicPem))],
    ['another RSA form', sign({ ...NEW_FORM, alg: 'PS256' })],
    ['a longer hash', sign({ ...NEW_FORM, alg: 'RS512' })],
    ['another store’s key', sign(NEW_FORM, { key: stores.other.privateKey })],
    ['another store’s key in the older form', sign(OLD_FORM, { key: stores.other.privateKey })],
    ['an unknown key', sign({ ...NEW_FORM, kid: 'two' })],
    ['a key’s name that is no text', sign({ ...NEW_FORM, kid: 1 })],
    ['a key’s name that is too long', sign({ ...NEW_FORM, kid: 'k'.repeat(201) })],
    [
      'a key that it brings along',
      sign({ ...NEW_FORM, jwk: jwk(stores.other.publicKey, 'one') }, { key: stores.other.privateKey }),
    ],
    ['an extension that nobody knows', sign({ ...NEW_FORM, crit: ['b64', 'exp'], exp: 1 })],
    ['no extension by name', sign({ ...NEW_FORM, crit: [] })],
    ['an encoded payload', sign({ ...NEW_FORM, b64: true })],
    ['a payload of unsaid form', sign({ alg: 'RS256', kid: 'one' })],
    ['a token of the store, whose payload is not the body', `${encodedHeader}..${base64url(token)}`],
    ['a signature that is not detached', sign(NEW_FORM).replace('..', `.${encodedBody}.`)],
    ['a header that is no JSON', `${base64url('{')}..${valid}`],
    ['a header that is a list', `${base64url('[]')}..${valid}`],
    ['a signature with padding', `${sign(NEW_FORM)}=`],
    ['one that is too long', `${sign(NEW_FORM)}${'A'.repeat(2_048)}`],
  ])('%s', async (_what, signature) => {
    expect(await verify(signature)).toBe('refused');
  });

  test('a key that is too short is refused, whichever the form', async () => {
    const keys = [jwk(stores.small.publicKey, 'one')];
    const key = stores.small.privateKey;
    expect(await verify(sign(NEW_FORM, { key }), { keys })).toBe('refused');
    expect(await verify(sign(OLD_FORM, { key }), { keys })).toBe('refused');
  });

  test('keys that are none prove nothing', async () => {
    const keys = [{ kty: 'RSA', kid: 'one' }, { kty: 'oct', kid: 'one', k: 'AAAA' }, {}];
    expect(await verify(sign(NEW_FORM), { keys })).toBe('refused');
    expect(await verify(sign(OLD_FORM), { keys })).toBe('refused');
  });

  test('whatever a signature says, it is refused without a fault, and what is no signature asks no store', async () => {
    const header = fc.string({ unit: 'binary', maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(header, async (text) => {
        const { asked, against } = proof();
        expect(await saleor.verify(call(text), against)).toBe('refused');
        expect(asked).toEqual([]);
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.json(), async (json) => {
        expect(await verify(`${base64url(json)}..${valid}`)).toBe('refused');
      }),
    );
  });
});

describe('the webhook’s secret key', () => {
  const hmac = (secret: string, body = BODY): string =>
    createHmac('sha256', secret).update(body).digest('hex');

  test('a call that is signed with it is genuine, and no store is asked', async () => {
    const { asked, against } = proof({ secrets: ['a secret key'] });
    expect(await saleor.verify(call(hmac('a secret key')), against)).toBe('genuine');
    expect(asked).toEqual([]);
  });

  test('the one before it counts as long as it is listed', async () => {
    expect(await verify(hmac('old'), { secrets: ['new', 'old'] })).toBe('genuine');
    expect(await verify(hmac('old'), { secrets: ['new'] })).toBe('refused');
  });

  test.each([
    ['another secret', hmac('another')],
    ['another body', hmac('a secret key', Buffer.from('{}'))],
    ['base64 instead of hex', createHmac('sha256', 'a secret key').update(BODY).digest('base64')],
    ['an empty secret', hmac('')],
  ])('%s is refused', async (_what, signature) => {
    expect(await verify(signature, { secrets: ['a secret key'] })).toBe('refused');
    expect(await verify(signature)).toBe('refused');
  });

  test('a store that still signs with its own key is accepted beside it', async () => {
    expect(await verify(sign(NEW_FORM), { secrets: ['a secret key'] })).toBe('genuine');
  });
});
