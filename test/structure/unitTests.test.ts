import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { UNIT_FILES, UNIT_FOLDERS } from '../../vitest.config.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Whatever imports one of these needs a Postgres, a browser, or the built program with its Postgres. */
const NEEDS_MORE = [
  'src/db/embedded/embedded.ts',
  'test/newcomers/newcomer.ts',
  'test/support/browser.ts',
  'test/support/citus.ts',
  'test/support/program.ts',
  'test/support/sharedResources.ts',
  'test/support/systemPostgres.ts',
  'test/start/embeddedProcess.ts',
];
/** They need neither, but work for long with npm, the compiler and the test runner itself. */
const PROCESSES = [
  'test/security/install.test.ts',
  'test/start/prepare.test.ts',
  'test/start/testRun.test.ts',
];

const IMPORT = /(?:^|\n)(?:import|export)\s(?!type\b)[^;]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/g;

const importsOf = (file: string): string[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)]
    .map((match) => normalize(join(dirname(file), match[1] ?? match[2] ?? '')))
    .filter((target) => existsSync(join(ROOT, target)));

const imports = new Map<string, string[]>();
function everythingBehind(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  if (!imports.has(file)) imports.set(file, importsOf(file));
  for (const target of imports.get(file) ?? []) everythingBehind(target, found);
  return found;
}

const needOf = (file: string): string | undefined => {
  const behind = everythingBehind(file);
  return NEEDS_MORE.find((target) => behind.has(target));
};

const files = ['src', 'test', 'clients/typescript/src', 'connectors/medusa/src'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.test\.tsx?$/.test(file)),
);
const isUnit = (file: string): boolean =>
  UNIT_FILES.includes(file) || UNIT_FOLDERS.some((folder) => file.startsWith(folder));

test('no unit test imports what starts Postgres or a browser', () => {
  const needy = files.filter(isUnit).filter((file) => needOf(file) !== undefined);
  expect(needy.map((file) => `${file} imports ${needOf(file)}`)).toEqual([]);
});

test('every test that needs neither is a unit test, so that npm run test:unit runs it', () => {
  const others = files.filter((file) => !isUnit(file));
  expect(others.filter((file) => needOf(file) === undefined)).toEqual(PROCESSES);
  expect(UNIT_FILES.filter((file) => !files.includes(file))).toEqual([]);
});

test('the files of the long run are there', () => {
  const files: string[] = JSON.parse(readFileSync(join(ROOT, 'test/longFiles.json'), 'utf8'));
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});
