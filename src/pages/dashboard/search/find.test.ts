import { expect, test } from 'vitest';
import { referencesFor } from './find.ts';

test.each([
  ['#1001', ['#1001', '1001']],
  ['1001', ['1001', '#1001']],
  ['A-7', ['A-7', '#A-7']],
  ['a-7', ['a-7', '#a-7', 'A-7', '#A-7']],
  ['#', []],
  ['', []],
  ['X'.repeat(64), ['X'.repeat(64)]],
])('%s may be the reference %j', (text, references) => {
  expect(referencesFor(text)).toEqual(references);
});
