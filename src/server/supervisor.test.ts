import { expect, test } from 'vitest';
import { nextStart } from './supervisor.ts';

test.each([
  // early ends before, lived (ms), early ends, start again after (ms)
  [0, 60_000, 0, 0],
  [4, 10_000, 0, 0],
  [0, 9_999, 1, 500],
  [1, 100, 2, 1_000],
  [2, 100, 3, 2_000],
  [3, 100, 4, 4_000],
  [4, 100, 5, null],
])(
  'after %d early ends, a process that lived for %d ms: %d, again in %s ms',
  (before, lived, ends, again) => {
    expect(nextStart(before, lived)).toEqual({ earlyEnds: ends, afterMs: again });
  },
);
