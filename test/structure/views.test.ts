import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as runtime from '../../src/kit/jsxRuntime.ts';

/** Text is escaped in one place: what JSX compiles to. No view may write markup in another way. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map((file) => join('src', file));
const having = (pattern: RegExp): string[] => files.filter((file) => pattern.test(read(file)));

test('every view is compiled to our own runtime', () => {
  expect(JSON.parse(read('tsconfig.json')).compilerOptions).toMatchObject({
    jsx: 'react-jsx',
    jsxImportSource: '#html',
  });
  expect(having(/@jsx(?:ImportSource|Runtime|Frag)?\b/)).toEqual([]);
});

test('nothing makes markup of a text', () => {
  expect(Object.keys(runtime).sort()).toEqual(['Fragment', 'escapeHtml', 'jsonLd', 'jsx', 'jsxs']);
  expect(having(/\bescapeHtml\b/)).toEqual([
    join('src', 'kit', 'jsxRuntime.ts'),
    // A mail is drawn once per language, with placeholders for the texts that are filled in afterwards.
    join('src', 'nudges', 'compiledTemplate.ts'),
  ]);
});

test('no text is put into a tag by hand', () => {
  expect(having(/<[a-z][a-z0-9]*\b[^>`]*=\\?["']?\$\{[^`]*`/i)).toEqual([]);
});
