import { test } from 'vitest';
import { shortOrLong } from '../support/shortOrLong.ts';
import { runHalfOfSeeds } from './seeds.ts';

const LONG_ENOUGH_MS = 24 * 60 * 60_000;
const SEEDS = shortOrLong(4, 200);

test(`${SEEDS / 2} more seeds break no invariant`, () => runHalfOfSeeds('second', SEEDS), LONG_ENOUGH_MS);
