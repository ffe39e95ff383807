import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseNewPasskey, parseUsedPasskey } from './passkeyResponse.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64url');
const clientDataJSON = encoded(JSON.stringify({ type: 'webauthn.get', challenge: 'Y2hhbGxlbmdl' }));
const response = { clientDataJSON, attestationObject: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' };
const whole = { id: 'aWQ', rawId: 'aWQ', type: 'public-key', response };

test('what a browser sends is read, and nothing else is kept', () => {
  const text = JSON.stringify({ ...whole, more: 1, response: { ...response, transports: ['usb', 'x'] } });
  expect(parseNewPasskey(text)).toEqual({
    credentialId: 'aWQ',
    challenge: 'Y2hhbGxlbmdl',
    response: {
      id: 'aWQ',
      rawId: 'aWQ',
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject: 'AAAA', transports: ['usb'] },
    },
  });
  expect(parseUsedPasskey(text)?.response.response).toEqual({
    clientDataJSON,
    authenticatorData: 'AAAA',
    signature: 'AAAA',
  });
});

test.each([
  '',
  'null',
  '[]',
  '{}',
  '{"__proto__": {"id": "aWQ"}}',
  JSON.stringify({ ...whole, id: 'a b' }),
  JSON.stringify({ ...whole, id: 7 }),
  JSON.stringify({ ...whole, response: null }),
  JSON.stringify({ ...whole, response: { ...response, clientDataJSON: encoded('{') } }),
  JSON.stringify({ ...whole, response: { ...response, clientDataJSON: encoded('{"challenge": 1}') } }),
  JSON.stringify({ ...whole, response: { clientDataJSON } }),
])('%s is no passkey', (text) => {
  expect([parseNewPasskey(text), parseUsedPasskey(text)]).toEqual([null, null]);
});

test('whatever comes, nothing is thrown', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      parseNewPasskey(text);
      parseUsedPasskey(text);
    }),
  );
});
