import { expect, test } from 'vitest';
import { isFromPostmark } from './postmarkAuth.ts';

const login = { user: 'waypost', password: 'a password: with a colon' };
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

test('who knows the name and the password is believed', () => {
  expect(isFromPostmark(login, basic('waypost:a password: with a colon'))).toBe(true);
  expect(isFromPostmark(login, basic('waypost:a password: with a colon').replace('Basic', 'basic'))).toBe(
    true,
  );
});

test.each([
  ['no header', undefined],
  ['an empty one', ''],
  ['another password', basic('waypost:another')],
  ['another name', basic('wayposd:a password: with a colon')],
  ['no password', basic('waypost:')],
  ['half of it', basic('waypost:a password')],
  ['another scheme', `Bearer ${Buffer.from('waypost:a password: with a colon').toString('base64')}`],
  ['the plain text', 'Basic waypost:a password: with a colon'],
])('%s is not', (_what, authorization) => expect(isFromPostmark(login, authorization)).toBe(false));
