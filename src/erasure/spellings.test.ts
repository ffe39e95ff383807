import { expect, test } from 'vitest';
import { spellingsOf } from './spellings.ts';

test.each([
  ['ann@example.com', ['ann@example.com', 'ann%40example.com']],
  ['ann+shop@example.com', ['ann\\u002bshop@example.com', 'ann%2bshop%40example.com']],
  ["a/o'b@example.com", ["a\\/o'b@example.com", 'a/o\\u0027b@example.com']],
  ['ann@xn--bcher-kva.de', ['ann@xn--bcher-kva.de', 'ann@bücher.de', 'ann@b\\u00fccher.de']],
])('%s is found however it is written', (email, some) => {
  expect(spellingsOf(email)).toEqual(expect.arrayContaining([email, ...some]));
});

test('a plain address has few spellings', () => {
  expect(spellingsOf('ann@example.com')).toEqual(['ann@example.com', 'ann%40example.com']);
});
