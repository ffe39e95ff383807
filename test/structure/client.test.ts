import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The client is a package of its own, which runs wherever there is fetch and WebCrypto. */
const SOURCE = fileURLToPath(new URL('../../clients/typescript/src', import.meta.url));
const IMPORT = /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)/g;

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
);
const read = (file: string): string => readFileSync(join(SOURCE, file), 'utf8');
const imports = files.flatMap((from) =>
  [...read(from).matchAll(IMPORT)].map((match) => ({ from, target: match[1] ?? match[2] ?? '' })),
);
const isCli = (file: string): boolean => file.startsWith('cli/');

test('only the command line imports anything but files of the client', () => {
  expect(imports.length).toBeGreaterThan(40);
  const outside = imports.filter(({ from, target }) => {
    const resolved = normalize(join(dirname(from), target));
    return !target.startsWith('.') || resolved.startsWith('..') || !files.includes(resolved);
  });
  expect(outside.filter(({ from }) => !isCli(from))).toEqual([]);
  expect(outside.filter(({ target }) => !target.startsWith('node:'))).toEqual([]);
});

test('nothing imports the command line, so that no bundle has it', () => {
  const reaching = imports.filter(({ from, target }) => !isCli(from) && target.includes('cli/'));
  expect(reaching).toEqual([]);
});

test('nothing writes to a log', () => {
  expect(files.filter((file) => /\bconsole\./.test(read(file)))).toEqual([]);
});

test('files stay small enough to hold one idea, except for the generated one', () => {
  const long = files.filter((file) => read(file).split('\n').length > 301);
  expect(long).toEqual(['generated/api.ts']);
});
