import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayAfter } from '../../../usage/read.ts';
import { burnDown } from './burnDown.ts';

const FIRST = '2026-11-21';
const spending = (...credits: number[]) =>
  credits.map((count, index) => ({ day: dayAfter(FIRST, index), credits: count }));

test('credits fall by what was spent, and on at the same rate to the day they end', () => {
  expect(burnDown(10, spending(2, 6, 4))).toEqual({
    days: [
      { day: '2026-11-21', left: 20, isProjected: false },
      { day: '2026-11-22', left: 14, isProjected: false },
      { day: '2026-11-23', left: 10, isProjected: false },
      { day: '2026-11-24', left: 6, isProjected: true },
      { day: '2026-11-25', left: 2, isProjected: true },
      { day: '2026-11-26', left: 0, isProjected: true },
    ],
    endsOn: '2026-11-26',
  });
});

test.each([
  ['nothing was spent', 10, [0, 0], null, 2],
  ['more was refunded than spent', 10, [1, -3], null, 2],
  ['none are left', 0, [1, 1], null, 2],
  ['they last for over a year', 1_000, [1, 1], null, 62],
  ['they last beyond the chart', 100, [1, 1], '2027-03-02', 62],
] as const)('%s', (_name, spendable, spent, endsOn, days) => {
  const found = burnDown(spendable, spending(...spent));
  expect(found.endsOn).toBe(endsOn);
  expect(found.days).toHaveLength(days);
});

test('the line never rises, passes today’s credits, and ends at 0 on the day it names', () => {
  const some = fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(fc.nat({ max: 100_000 }), some, (spendable, credits) => {
      const { days, endsOn } = burnDown(spendable, spending(...credits));
      expect(days[credits.length - 1]?.left).toBe(spendable);
      for (const [index, { left }] of days.entries())
        expect(left).toBeLessThanOrEqual(days[index - 1]?.left ?? left);
      const end = days.find(({ day }) => day === endsOn);
      if (end !== undefined) expect(end.left).toBe(0);
    }),
  );
});
