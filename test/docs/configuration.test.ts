import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { variables } from '../../src/environment/variables.ts';
import { variablesPage } from '../../src/environment/variablesPage.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

test('the page of all variables is what the code says: npm run docs:configuration', () => {
  expect(read('docs/configuration.md')).toBe(variablesPage());
});

test('every variable has a row of its own', () => {
  const rows = [...variablesPage().matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual(Object.keys(variables).sort());
});

/** Of npm and of Node, which describe themselves. */
const OF_OTHERS = ['PATH', 'npm_lifecycle_event'];

test('no other part of the program reads a variable of its own', () => {
  const files = readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
  );
  const named = files.flatMap((file) =>
    [...read(`src/${file}`).matchAll(/\benv(?:\.|\[')(\w+)/g)].map(([, name = '']) => name),
  );
  expect(named.filter((name) => !(name in variables) && !OF_OTHERS.includes(name))).toEqual([]);
});

test('variables that the README sets exist', () => {
  const known = new Set(Object.keys(variables).flatMap((name) => [name, `${name}_FILE`]));
  const named = [...read('README.md').matchAll(/\b([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)=/g)].map(
    ([, name = '']) => name,
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
