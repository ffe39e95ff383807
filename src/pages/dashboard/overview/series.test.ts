import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shareOf, underWay } from './series.ts';

const day = (messages: number, email: { delivered?: number; bounced?: number; not_sent?: number } = {}) => ({
  messages,
  email: { sent: 0, delivered: 0, opened: 0, bounced: 0, complained: 0, failed: 0, not_sent: 0, ...email },
});

describe('messages under way', () => {
  test.each([
    ['none', [day(3, { delivered: 2, bounced: 1 })], [0]],
    ['some of today', [day(3, { delivered: 1 })], [2]],
    ['pushed before midnight, delivered after', [day(3, { delivered: 2 }), day(2, { delivered: 3 })], [0, 0]],
    ['scheduled for two days later', [day(1), day(1, { delivered: 1 }), day(0, { delivered: 1 })], [0, 0, 0]],
    ['pushed before the first day', [day(0, { delivered: 5 }), day(2, { not_sent: 1 })], [0, 1]],
  ])('%s', (_name, days, open) => {
    expect(underWay(days)).toEqual(open);
  });

  test('are never more than the messages of the day, and together what is missing', () => {
    const days = fc.array(
      fc
        .tuple(fc.nat({ max: 50 }), fc.nat({ max: 60 }))
        .map(([messages, delivered]) => day(messages, { delivered })),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(days, (some) => {
        const open = underWay(some);
        for (const [index, count] of open.entries()) {
          expect(count).toBeGreaterThanOrEqual(0);
          expect(count).toBeLessThanOrEqual(some[index]?.messages ?? 0);
        }
        const sum = (of: (one: (typeof some)[number]) => number) =>
          some.reduce((all, one) => all + of(one), 0);
        const missing = sum(({ messages }) => messages) - sum(({ email }) => email.delivered);
        expect(open.reduce((all, count) => all + count, 0)).toBeGreaterThanOrEqual(Math.max(0, missing));
      }),
    );
  });
});

test.each([
  [1, 2, 50],
  [999, 1_000, 99],
  [3, 2, 100],
  [0, 5, 0],
  [0, 0, null],
  [2, 0, null],
])('%i of %i are %s percent', (part, whole, share) => {
  expect(shareOf(part, whole)).toBe(share);
});
