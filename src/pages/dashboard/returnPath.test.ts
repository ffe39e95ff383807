import { expect, test } from 'vitest';
import { returnPathFrom, signInAgainPath, signInPathTo } from './returnPath.ts';

test('a member comes back to a page of the dashboard', () => {
  for (const path of ['/dashboard/account', '/dashboard/mab12/keys/k_1-2/revoke'])
    expect(returnPathFrom(path)).toBe(path);
});

test.each([
  null,
  undefined,
  '',
  '/dashboard',
  '/dashboard/',
  '/sandbox',
  '/dashboard2/account',
  '//evil.example/dashboard/account',
  'https://evil.example/dashboard/account',
  '/dashboard/../sandbox',
  '/dashboard/..%2Fsandbox',
  '/dashboard//evil.example',
  '/dashboard/\\evil.example',
  '/dashboard/account?to=x',
  '/dashboard/account#x',
  '/dashboard/account\n',
  '/dashboard/account; Path=/',
  '/dashboard/a\r\nset-cookie: b',
  `/dashboard/${'a'.repeat(65)}`,
  `/dashboard${'/a'.repeat(9)}`,
])('a member is not led to %j', (path) => {
  expect(returnPathFrom(path)).toBeNull();
});

test('the page that asks to sign in again knows the way back, without its query', () => {
  expect(signInAgainPath('/dashboard/m1/keys/k1/revoke?flash=x')).toBe(
    '/dashboard/sign-in-again?to=/dashboard/m1/keys/k1/revoke',
  );
  expect(signInAgainPath('/dashboard/%2e%2e/x')).toBe('/dashboard/sign-in-again');
});

test('a member who is not signed in gets to the page of a link, once signed in', () => {
  expect(signInPathTo('/dashboard/m1/replies/r1?flash=x')).toBe(
    '/dashboard/sign-in?to=/dashboard/m1/replies/r1',
  );
  expect(signInPathTo('/dashboard/m1/messages?recipient=1')).toBe(
    '/dashboard/sign-in?to=/dashboard/m1/messages',
  );
  expect(signInPathTo('/dashboard//evil.example')).toBe('/dashboard/sign-in');
});
