import { expect, test } from 'vitest';
import { facts, table } from './layout.ts';

test('columns line up, whatever letters they hold, and nothing trails', () => {
  const rows = [
    ['Käsitöö', 5, true],
    ['A', 12_345, false],
  ];
  expect(table(['name', 'balance', 'on'], rows, 'nothing')).toBe(
    ['NAME     BALANCE  ON', 'Käsitöö  5        yes', 'A        12345    no'].join('\n'),
  );
});

test('what is not there shows as a dash, times in UTC, lists with commas', () => {
  const at = new Date('2026-08-20T11:15:00+02:00');
  expect(
    facts([
      ['a', null],
      ['longer', at],
      ['b', ['EE', 'FI']],
      ['c', []],
      ['d', ''],
    ]),
  ).toBe(
    ['a       -', 'longer  2026-08-20T09:15:00.000Z', 'b       EE,FI', 'c       -', 'd       -'].join('\n'),
  );
});

test('nothing to list is said in words', () => {
  expect(table(['name'], [], 'There is nothing.')).toBe('There is nothing.');
});

test('what somebody else wrote cannot move the cursor or add lines', () => {
  expect(facts([['last_error', '\u001b[2J\r\nHTTP 200\u0007']])).toBe('last_error   [2J  HTTP 200');
});
