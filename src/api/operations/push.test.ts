import { expect, test } from 'vitest';
import { pushesAtOnce } from './push.ts';

test.each([
  [0, 64],
  [1, 4],
  [200, 20],
  [1_000, 100],
  [1_000_000, 100_000],
])('at %d calls a second a business has %d pushes in work beside others', (perSecond, atOnce) => {
  expect(pushesAtOnce(perSecond)).toBe(atOnce);
});
