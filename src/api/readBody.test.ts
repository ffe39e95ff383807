import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPace } from './readBody.ts';

test('a burst is read at once, what follows at the pace, each tenant on its own', () => {
  let now = 0;
  const pace = createPace({ perSecond: 100, burst: 200 }, () => now);
  expect([pace('a', 100), pace('a', 100), pace('a', 50)]).toEqual([0, 0, 500]);
  expect(pace('b', 200)).toBe(0);
  now = 500;
  expect(pace('a', 1)).toBe(10);
  now = 10_000;
  expect(pace('a', 200)).toBe(0);
});

test('a tenant that waits as told is never read faster than its pace', () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 50 }), (parts) => {
      let now = 0;
      const pace = createPace({ perSecond: 100, burst: 50 }, () => now);
      let read = 0;
      for (const bytes of parts) {
        // A part is read before it is known how large it is.
        expect(read).toBeLessThanOrEqual(50 + 100 * (now / 1_000) + 1e-6);
        now += pace('a', bytes);
        read += bytes;
      }
    }),
  ));

test('tenants that have waited long enough are forgotten', () => {
  let now = 0;
  const pace = createPace({ perSecond: 1_000, burst: 0 }, () => now);
  for (let n = 0; n < 5_000; n += 1) {
    pace(`tenant ${n}`, 1);
    now += 10;
  }
  expect(pace('tenant 1', 1)).toBe(1);
});
