import { expect, test } from 'vitest';
import { relyingPartyOf } from './passkeys.ts';

test.each([
  ['https://waypost.example', { id: 'waypost.example', origin: 'https://waypost.example' }],
  ['https://waypost.example:8443/app', { id: 'waypost.example', origin: 'https://waypost.example:8443' }],
  ['http://localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
  ['http://waypost.localhost', { id: 'waypost.localhost', origin: 'http://waypost.localhost' }],
  ['http://waypost.example', null],
  ['http://127.0.0.1:8080', null],
  ['https://192.0.2.7', null],
  ['https://[2001:db8::1]', null],
])('passkeys at %s', (publicUrl, expected) => {
  expect(relyingPartyOf(publicUrl)).toEqual(expected);
});
