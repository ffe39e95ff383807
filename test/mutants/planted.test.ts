import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from './planted.ts';

const ROOT = join(import.meta.dirname, '..', '..');

test('there are mutants enough, each with a name of its own', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  expect(MUTANTS.length).toBeGreaterThanOrEqual(20);
});

test.each(MUTANTS)('$name: can still be planted', ({ file, find, replace, caughtBy }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(find).length - 1).toBe(1);
  expect(replace).not.toBe(find);
  expect(caughtBy === 'simulation' || existsSync(join(ROOT, caughtBy))).toBe(true);
});
