import { expect, test } from 'vitest';
import { filledPath, queryString } from './call.ts';

test.each([
  ['ann@example.com', '/recipients/ann%40example.com/sms'],
  ['a/b?c#d e', '/recipients/a%2Fb%3Fc%23d%20e/sms'],
  ['õie+1@näide.ee', '/recipients/%C3%B5ie%2B1%40n%C3%A4ide.ee/sms'],
  ['...', '/recipients/.../sms'],
])('%s in a path stays one part of it', (email, path) => {
  expect(filledPath('/recipients/{email}/sms', { email })).toBe(path);
  expect(new URL(`http://localhost${path}`).pathname.split('/')).toHaveLength(4);
});

test.each(['', '.', '..', undefined, 7])('%s would lead to another path and is refused', (email) => {
  expect(() => filledPath('/recipients/{email}', { email })).toThrow('email must be a text');
});

test('a query leaves out what is not given', () => {
  expect(queryString({})).toBe('');
  expect(queryString({ cursor: undefined, after: null })).toBe('');
  expect(queryString({ limit: 0, types: ['ping', 'sms.failed'], q: 'a&b=c' })).toBe(
    '?limit=0&types=ping%2Csms.failed&q=a%26b%3Dc',
  );
});
