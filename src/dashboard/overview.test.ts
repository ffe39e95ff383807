import { expect, test } from 'vitest';
import { daysLeft } from './overview.ts';

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
