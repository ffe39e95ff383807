import { expect, test } from 'vitest';
import { secretsOf, sendableKey } from './keys.ts';

test.each(['way_live_0123', 'order-1001 shipped', '~'])('%j can be sent', (key) => {
  expect(sendableKey('apiKey', key)).toBe(key);
});

test.each([undefined, null, '', 7])('%j is no key', (key) => {
  expect(() => sendableKey('apiKey', key)).toThrow(new TypeError('apiKey must be a text that is not empty'));
});

test.each(['way_live_0\n', 'a\r\nx-other: 1', 'tellimus-õ', '\u2026', '\u0000'])(
  'no header can carry %j',
  (key) => {
    expect(() => sendableKey('apiKey', key)).toThrow(/^apiKey has a character that no header can carry/);
  },
);

test('secrets are one or several texts', () => {
  expect(secretsOf('verifyWebhook', 'a')).toEqual(['a']);
  expect(secretsOf('verifyWebhook', ['a', 'b'])).toEqual(['a', 'b']);
  for (const missing of [undefined, null, '', [], ['a', undefined], [''], 7])
    expect(() => secretsOf('verifyWebhook', Object([missing])[0])).toThrow(
      new TypeError('verifyWebhook needs the secret of the endpoint: whsec_… (is its variable set?)'),
    );
});
