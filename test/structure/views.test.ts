import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Attributes are escaped in one place: what JSX compiles to. No view may write markup in another way. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const RUNTIME = join('src', 'kit', 'jsxRuntime.ts');

const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map((file) => join('src', file));
const having = (pattern: RegExp): string[] => files.filter((file) => pattern.test(read(file)));

test('every view is compiled to our own runtime', () => {
  expect(JSON.parse(read('tsconfig.json')).compilerOptions).toMatchObject({
    jsx: 'react-jsx',
    jsxImportSource: '#html',
  });
  expect(JSON.parse(read('package.json')).imports).toEqual({
    '#html/jsx-runtime': { types: './src/kit/jsxRuntime.ts', default: './dist/kit/jsxRuntime.js' },
  });
  expect(having(/@jsx(?:ImportSource|Runtime|Frag)?\b/)).toEqual([]);
  expect(having(/@kitajs\/html\/jsx/)).toEqual([RUNTIME]);
  expect(having(/\b(?:createElement|attributesToString|contentsToString|Html\.)\b/)).toEqual([]);
});

test('no text is put into a tag by hand', () => {
  expect(having(/<[a-z][a-z0-9]*\b[^>`]*=\\?["']?\$\{[^`]*`/i)).toEqual([]);
});
