import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const POSTGRES_STARTS = 'Starting a Postgres for the tests …';
const SKIPPED =
  'Browser tests were skipped: no Chromium runs here. Install one, or set CHROMIUM_PATH to its program.';
let checkout: string;

/** A checkout with the real scripts, helpers and source, and small tests of its own. */
beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'waypost-checkout-'));
  const copied = ['.ci', 'scripts', 'src', 'migrations', 'test/support', 'package.json', 'package-lock.json'];
  await mkdir(join(checkout, 'test'));
  for (const path of [...copied, 'vitest.config.ts', 'tsconfig.json']) await copy(path);
  // Our own tests of varying length stay behind, so that what is counted is known.
  for (const path of ['nudges/inEveryLanguage.test.ts', 'connections/decide.properties.test.ts'])
    await rm(join(checkout, 'src', path));
  // Built already in a run of everything.
  if (existsSync(join(ROOT, 'dist'))) await copy('dist');
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  await mkdir(join(checkout, 'test', 'small'));
  for (const name of ['first', 'second'])
    await write(
      `test/small/${name}Database.test.ts`,
      `import { testDatabase } from '../support/database.ts';
     test('two in one file', async () => {
       const databases = await Promise.all([testDatabase(), testDatabase()]);
       await Promise.all(databases.map((database) => database.drop()));
     });`,
    );
  await write(
    'test/small/page.test.ts',
    `import { browserTest, openBrowser } from '../support/browser.ts';
     browserTest('a page', async () => {
       const browser = await openBrowser();
       await (await browser.person()).newPage();
       await browser.close();
     });
     test('no page', () => {});`,
  );
  await write(
    'test/small/rounds.test.ts',
    [
      "import { expect } from 'vitest';",
      "import { shortOrLong } from '../support/shortOrLong.ts';",
      "test('the rounds', () => expect(shortOrLong(1, 2)).toBe(Number(process.env.ROUNDS)));",
    ].join('\n'),
  );
  await write(
    'test/small/helper.ts',
    `import {
       shortOrLong,
     } from '../support/shortOrLong.ts';
     export const rounds = shortOrLong(1, 2);`,
  );
  await write(
    'test/small/helped.test.ts',
    [
      "import { expect } from 'vitest';",
      "import { rounds } from './helper.ts';",
      "test('the rounds of a helper', () => expect(rounds).toBe(Number(process.env.ROUNDS)));",
    ].join('\n'),
  );
  await write('test/small/slow.test.ts', "test('takes long', () => {});");
  await writeFile(join(checkout, 'test/longFiles.json'), '["test/small/slow.test.ts"]');
  await write(
    'src/kit/needy.test.ts',
    `import { testDatabase } from '../../test/support/database.ts';
     test('wants a database', async () => void (await testDatabase()));`,
  );
});
afterAll(() => rm(checkout, { recursive: true, force: true }));

/** By the operating system's program: Node takes a second of processor time for these thousands of files. */
const copy = (path: string): Promise<unknown> =>
  promisify(execFile)('cp', ['-R', '-p', join(ROOT, path), join(checkout, path)]);

const write = (path: string, code: string): Promise<void> =>
  writeFile(join(checkout, path), `import { test } from 'vitest';\n${code}`);

interface Run {
  code: number | null;
  said: string;
  /** The line that every run ends with. */
  tally: string | undefined;
}

const run = (args: string[], environment: Record<string, string> = {}): Promise<Run> =>
  runProgram([process.execPath, 'scripts/test.mjs', ...args], environment);

async function runProgram(
  [program = '', ...args]: string[],
  environment: Record<string, string>,
): Promise<Run> {
  // As typed into a shell: not as a part of the run that this test is in.
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|npm_|TEST_|NODE_ENV)/.test(name));
  const child = spawn(program, args, {
    cwd: checkout,
    env: { ...Object.fromEntries(own), NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, said: said + out, tally: out.trim().split('\n').at(-1) };
}

/** Each run takes seconds, so that two tests look at one where they can. */
function shared(args: string[], environment: Record<string, string>): () => Promise<Run> {
  let started: Promise<Run> | undefined;
  return () => {
    started ??= run(args, environment);
    return started;
  };
}
const withWrongBrowser = shared(['test/small/first', 'test/small/second', 'test/small/page'], {
  CHROMIUM_PATH: '/nowhere/chromium',
});
// Neither a browser on the path nor npm to fetch one with.
const withoutBrowser = shared(['test/small/page', 'test/small/rounds', 'test/small/helped'], {
  CHROMIUM_PATH: '',
  PATH: '/nowhere',
  ROUNDS: '1',
});

test('a run of unit tests starts no Postgres and looks for no browser', async () => {
  const { code, said, tally } = await run(['src/push/locks'], { CHROMIUM_PATH: '/nowhere/chromium' });
  expect([code, tally]).toEqual([0, expect.stringMatching(/^[1-9]\d* passed, 0 failed$/)]);
  expect(said).not.toContain(POSTGRES_STARTS);
});

test('files that need Postgres start it, once however many processes ask', async () => {
  const { said, tally } = await withWrongBrowser();
  // The page's file fails, by the browser's path.
  expect(tally).toBe('2 passed, 1 failed');
  expect(said.split(POSTGRES_STARTS)).toHaveLength(2);
});

test('where no browser can be had its tests are skipped, and one line says how to get one', async () => {
  const { code, said, tally } = await withoutBrowser();
  expect([code, tally]).toEqual([0, '3 passed, 0 failed, 1 skipped']);
  expect(said.split(SKIPPED)).toHaveLength(2);
  expect(said).not.toContain(POSTGRES_STARTS);
});

test('a CHROMIUM_PATH that does not run is a failure that names it', async () => {
  const { code, said, tally } = await withWrongBrowser();
  expect([code, tally]).toEqual([1, '2 passed, 1 failed']);
  expect(said).toContain('CHROMIUM_PATH is /nowhere/chromium, which does not run.');
});

test('what repeats is short in npm test; test:long runs the long version and what takes long, and nothing else', async () => {
  const short = await withoutBrowser();
  expect([short.code, short.tally]).toEqual([0, '3 passed, 0 failed, 1 skipped']);
  const long = await run(['--long'], { ROUNDS: '2' });
  expect([long.code, long.tally]).toEqual([0, '3 passed, 0 failed']);
});

test('npm test leaves out what takes long, unless it is named', async () => {
  const vitest = [process.execPath, 'node_modules/vitest/vitest.mjs', 'list', '--filesOnly', 'test/small'];
  const { said } = await runProgram(vitest, { TEST_LENGTH: 'short' });
  expect(said).toContain('rounds.test.ts');
  expect(said).not.toContain('slow.test.ts');
  expect((await run(['test/small/slow'])).tally).toBe('1 passed, 0 failed');
});

test('a unit test that asks for Postgres fails with a message that says where it belongs', async () => {
  const { code, said, tally } = await run(['--unit', 'src/kit/needy']);
  expect([code, tally]).toEqual([1, '0 passed, 1 failed']);
  expect(said).toContain('A unit test asked for Postgres.');
  expect(said).not.toContain(POSTGRES_STARTS);
});

test('CI runs a failed file once more, alone: a pass is named as flaky, a second failure fails', async () => {
  const failing = (name: string, runsThatFail: number) =>
    write(
      `src/kit/${name}.test.ts`,
      `import { appendFileSync, readFileSync } from 'node:fs';
       import { expect } from 'vitest';
       test('fails at first', () => {
         appendFileSync('${name}.runs', 'x');
         expect(readFileSync('${name}.runs', 'utf8').length).toBeGreaterThan(${runsThatFail});
       });`,
    );
  await Promise.all([failing('steady', 0), failing('chancy', 1), failing('broken', 2)]);
  const suite = (...files: string[]) =>
    runProgram(['.ci/suite', 'npm', 'test', '--', ...files], { FLAKY: 'flaky' });
  const runsOf = async (name: string) => (await readFile(join(checkout, `${name}.runs`), 'utf8')).length;

  expect((await suite('src/kit/steady', 'src/kit/chancy')).code).toBe(0);
  expect([await runsOf('steady'), await runsOf('chancy')]).toEqual([1, 2]);
  expect((await suite('src/kit/broken')).code).toBe(1);
  expect(await runsOf('broken')).toBe(2);
  expect(await readFile(join(checkout, 'flaky'), 'utf8')).toBe('flaky: src/kit/chancy.test.ts\n');
});
