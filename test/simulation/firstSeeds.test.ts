import { expect, test } from 'vitest';
import { SEVERAL_WAITED } from './scheduler.ts';
import { playHalf, playSeeds } from './seeds.ts';

const LONG_ENOUGH_MS = 24 * 60 * 60_000;

test(
  'a hundred seeds of faults and races keep every promise, and meet every kind of trouble',
  () => playHalf('first'),
  LONG_ENOUGH_MS,
);

test('a seed plays the same again, to the last step', async () => {
  const seeds = [7, 8, 9, 10, 11, 12];
  const once = await playSeeds(seeds);
  const again = await playSeeds(seeds.toReversed());
  const sure = once.filter(({ counts }) => !counts.has(SEVERAL_WAITED));
  expect(sure.length).toBeGreaterThan(0);
  for (const { seed, trace } of sure) {
    expect(again.find((one) => one.seed === seed)?.trace).toEqual(trace);
  }
});
