import { expect, test } from 'vitest';
import { playHalf, playSeeds } from './seeds.ts';

const LONG_ENOUGH_MS = 24 * 60 * 60_000;

test(
  'a hundred seeds of faults and races keep every promise, and meet every kind of trouble',
  () => playHalf('first'),
  LONG_ENOUGH_MS,
);

test('a seed plays the same again, to the last step', async () => {
  const [first] = await playSeeds([7]);
  const [, again] = await playSeeds([8, 7]);
  expect(again?.trace).toEqual(first?.trace);
});
