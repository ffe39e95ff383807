import { expect, test } from 'vitest';
import { SEVERAL_WAITED } from './scheduler.ts';
import { playHalf, playSeeds } from './seeds.ts';

const LONG_ENOUGH_MS = 24 * 60 * 60_000;
/** In some of them several wait for one lock, and those may play otherwise. */
const CANDIDATES = Array.from({ length: 15 }, (_, index) => 7 + index);
const COMPARED_MAX = 4;

test(
  'a hundred seeds of faults and races keep every promise, and meet every kind of trouble',
  () => playHalf('first'),
  LONG_ENOUGH_MS,
);

test('a seed plays the same again, to the last step', async () => {
  const once = await playSeeds(CANDIDATES);
  const sure = once.filter(({ counts }) => !counts.has(SEVERAL_WAITED)).slice(0, COMPARED_MAX);
  expect(sure.length).toBeGreaterThan(0);
  const again = await playSeeds(sure.map(({ seed }) => seed).toReversed());
  for (const { seed, trace } of sure) {
    expect(again.find((one) => one.seed === seed)?.trace).toEqual(trace);
  }
});
