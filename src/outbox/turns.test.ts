import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

const of = (...businesses: string[]) => businesses.map((business_id) => ({ business_id }));

test('a business with its lists under way waits, and nobody else does', () => {
  const turns = new Turns(2);
  const end = turns.begin(of('a', 'b', 'b', 'b'));
  expect(turns.taken()).toEqual([]);
  const endNext = turns.begin(of('a'));
  expect(turns.taken()).toEqual(['a']);
  end();
  expect(turns.taken()).toEqual([]);
  turns.begin(of('a', 'a'));
  expect(turns.taken()).toEqual(['a']);
  endNext();
  expect(turns.taken()).toEqual([]);
});

test('the end of a list says whether somebody was kept waiting', () => {
  const turns = new Turns(1);
  expect(turns.begin(of('a'))()).toBe(false);
  const end = turns.begin(of('a'));
  turns.taken();
  expect(end()).toBe(true);
  expect(turns.begin(of('a'))()).toBe(false);
});
