import { test } from 'vitest';
import { shortOrLong } from '../helpers/shortOrLong.ts';
import { playHalf } from './seeds.ts';

const LONG_ENOUGH_MS = 24 * 60 * 60_000;
const SEEDS = shortOrLong(24, 200);

test(`${SEEDS / 2} more seeds do, too`, () => playHalf('second', SEEDS), LONG_ENOUGH_MS);
