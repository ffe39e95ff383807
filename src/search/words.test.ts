import { expect, test } from 'vitest';
import { hasWords, wordsOf } from './words.ts';

test.each([
  ['Your order #1001 has shipped', ['your', 'order', '1001', 'has', 'shipped']],
  ['MÄNTY, mänty & Manty!', ['manty']],
  ['Tellimus EE-123/45', ['tellimus', 'ee', '123', '45']],
  ['طلبك في الطريق', ['طلبك', 'في', 'الطريق']],
  ['Zamówienie №7 – ﬁn', ['zamowienie', 'no7', 'fin']],
  ['<script>alert("x")</script>', ['script', 'alert', 'x']],
  ['— … !', []],
  ['x'.repeat(300), ['x'.repeat(64)]],
])('the words of %s', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test('a subject is found by its words or their beginnings in any order, and by no other part of one', () => {
  const subject = 'Your Blue Mug has shipped';
  for (const typed of ['mug BLUE', 'ship', 'b mu', 'blue blue', 'you your'])
    expect(hasWords(subject, wordsOf(typed))).toBe(true);
  for (const typed of ['blue mugs', 'hipped', 'mug box'])
    expect(hasWords(subject, wordsOf(typed))).toBe(false);
});
