import { expect, test } from 'vitest';
import { shortOrLong } from '../support/shortOrLong.ts';
import { SEVERAL_WAITED } from './scheduler.ts';
import { runHalfOfSeeds, runSeeds } from './seeds.ts';

const LONG_ENOUGH_MS = 24 * 60 * 60_000;
/** In most seeds several statements wait for one lock at some point, and such seeds may run differently. */
const CANDIDATES = Array.from({ length: 60 }, (_, index) => 16 + index);
const PLAYED_TOGETHER = shortOrLong(2, 15);
const SEEDS = shortOrLong(4, 200);
const COMPARED_MAX = shortOrLong(1, 4);

test(
  `${SEEDS / 2} seeds of faults and races break no invariant, and a hundred meet every kind of fault`,
  () => runHalfOfSeeds('first', SEEDS),
  LONG_ENOUGH_MS,
);

test('a seed runs the same steps every time', async () => {
  const sure: Awaited<ReturnType<typeof runSeeds>> = [];
  for (let first = 0; first < CANDIDATES.length && sure.length === 0; first += PLAYED_TOGETHER) {
    const once = await runSeeds(CANDIDATES.slice(first, first + PLAYED_TOGETHER));
    sure.push(...once.filter(({ counts }) => !counts.has(SEVERAL_WAITED)).slice(0, COMPARED_MAX));
  }
  expect(sure.length).toBeGreaterThan(0);
  const again = await runSeeds(sure.map(({ seed }) => seed).toReversed());
  for (const { seed, trace } of sure) {
    expect(again.find((one) => one.seed === seed)?.trace).toEqual(trace);
  }
});
