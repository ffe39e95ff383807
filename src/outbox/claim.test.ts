import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mayBeMore } from './claim.ts';

test('a look that gave someone all of their share may have left something', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 40 }),
      (limit, due) => {
        const share = Math.max(1, Math.floor(limit / due.length));
        const found = Math.min(
          limit,
          due.reduce((sum, waiting) => sum + Math.min(waiting, share), 0),
        );
        const left = due.reduce((sum, waiting) => sum + waiting, 0) - found;
        if (left > 0) expect(mayBeMore(found, limit)).toBe(true);
      },
    ),
    { numRuns: 5_000 },
  );
});

test.each([
  [0, 200],
  [1, 200],
  [25, 200],
])('of %i sends, up to %i wanted, nobody was given less than they had', (found, limit) =>
  expect(mayBeMore(found, limit)).toBe(false),
);
