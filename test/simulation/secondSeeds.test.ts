import { test } from 'vitest';
import { playHalf } from './seeds.ts';

const LONG_ENOUGH_MS = 24 * 60 * 60_000;

test('a hundred more seeds do, too', () => playHalf('second'), LONG_ENOUGH_MS);
