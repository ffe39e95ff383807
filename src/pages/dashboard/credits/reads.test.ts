import { expect, test } from 'vitest';
import { creditMonth, daysLeft, monthsBefore } from './reads.ts';

test.each([
  [100, 30, 100],
  [100, 60, 50],
  [1, 30, 1],
  [0, 30, 0],
  [100, 0, null],
  [100, -3, null],
])('%i credits, with %i spent in 30 days, last %s days', (spendable, spent, days) => {
  expect(daysLeft(spendable, spent)).toBe(days);
});

test.each([
  ['2026-08-20', 0, '2026-08-01'],
  ['2026-08-31', 11, '2025-09-01'],
  ['2026-03-31', 1, '2026-02-01'],
])('the month %s less %i begins on %s', (day, months, first) => {
  expect(monthsBefore(day, months)).toBe(first);
});

test('what a month spent where no country is known stands last', () => {
  const counted = [
    { month: '2026-08', country: 'EE', credits: 5 },
    { month: '2026-08', country: 'FI', credits: 2 },
    { month: '2026-07', country: 'EE', credits: 9 },
  ];
  expect(creditMonth('2026-08', 10, counted).countries).toEqual([
    { country: 'EE', credits: 5 },
    { country: 'FI', credits: 2 },
    { country: null, credits: 3 },
  ]);
  expect(creditMonth('2026-07', 9, counted).countries).toEqual([{ country: 'EE', credits: 9 }]);
});
