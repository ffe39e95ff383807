import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { handshake, isFromMeta } from './metaSignature.ts';

const SECRET = 'meta_app_secret';
const BODY = Buffer.from('{"object":"whatsapp_business_account","entry":[]}');
const SIGNATURE = 'sha256=e6ad1226d7dbb376b93779e72f6ea6cc56d514dbcb4b3fa023b679f8f0220325';

test('Meta’s worked example', () => expect(isFromMeta(SECRET, SIGNATURE, BODY)).toBe(true));

describe('nothing of it can be changed', () => {
  test.each<[string, string, string | undefined, Buffer]>([
    ['the secret', 'meta_app_secres', SIGNATURE, BODY],
    ['the body', SECRET, SIGNATURE, Buffer.from('{"object":"whatsapp_business_account","entry":[1]}')],
    ['white space', SECRET, SIGNATURE, Buffer.from('{"object": "whatsapp_business_account","entry":[]}')],
    ['the signature', SECRET, SIGNATURE.replace('e6', 'e7'), BODY],
    ['half of the signature', SECRET, SIGNATURE.slice(0, 40), BODY],
    ['the older kind', SECRET, SIGNATURE.replace('sha256=', 'sha1='), BODY],
    ['no signature', SECRET, undefined, BODY],
    ['an empty one', SECRET, 'sha256=', BODY],
  ])('%s', (_what, secret, signature, body) => expect(isFromMeta(secret, signature, body)).toBe(false));

  test('the bytes count, not what they mean: é and its escape differ', () => {
    const plain = Buffer.from('{"a":"é"}');
    const escaped = Buffer.from('{"a":"\\u00e9"}');
    expect(JSON.parse(plain.toString())).toEqual(JSON.parse(escaped.toString()));
    const signature = `sha256=${createHmac('sha256', SECRET).update(plain).digest('hex')}`;
    expect(isFromMeta(SECRET, signature, plain)).toBe(true);
    expect(isFromMeta(SECRET, signature, escaped)).toBe(false);
  });
});

describe('the question whether the address is ours', () => {
  const query = (change: Record<string, string> = {}) =>
    new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': 'a word',
      'hub.challenge': '1158201444',
      ...change,
    });

  test('is answered with the challenge', () => expect(handshake('a word', query())).toBe('1158201444'));
  test.each([
    ['a wrong word', { 'hub.verify_token': 'another' }],
    ['no word', { 'hub.verify_token': '' }],
    ['another mode', { 'hub.mode': 'unsubscribe' }],
  ])('is not answered for %s', (_what, change) => expect(handshake('a word', query(change))).toBeNull());
});
