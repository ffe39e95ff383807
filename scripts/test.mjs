import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, isWritable, npmCommand, prepare, ROOT, SetupError, say } from './prepare.mjs';

/*
 * npm test             every suite: lint, types, then all tests
 * npm test -- PATH …   only the tests whose file names contain a PATH; starts Postgres and a browser only if one needs it
 * npm run test:unit    the tests that need neither Postgres nor a browser
 * npm run test:long    the tests that repeat something, as often as is sensible before a release
 * Ends with the line "N passed, N failed"; lint and types count as one each.
 */

/** What configures a Waypost must not reach the tests: a shell may well name the database of a real one. */
const OF_A_REAL_ONE =
  /^(NODE_ENV|PORT|HOST|PUBLIC_URL|(DATABASE_URL|SECRET_KEY|OPERATOR_TOKEN)(_FILE)?|DATA_DIR|ROLES|(EMAIL|SMS|WHATSAPP)_PROVIDER|WEBHOOK_ALLOW_HOSTS|RATE_LIMIT_\w+|TRUSTED_PROXIES|LOG_LEVEL)$/;

/** What a test file imports whose length depends on the command. */
const LENGTH_HELPER = /^import .* from '[^']*\/shortOrLong\.ts';/m;

const inModules = (...path) => join(ROOT, 'node_modules', ...path);

const args = process.argv.slice(2);
const isUnit = args.includes('--unit');
const isLong = args.includes('--long');
const filters = args.filter((arg) => arg !== '--unit' && arg !== '--long');
const tally = { passed: 0, failed: 0, skipped: 0 };
let child = null;
let interrupted = null;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted = signal;
    child?.kill(signal);
  });
}

// Unit tests run the source, and no program that was built of it.
await prepare({ build: !isUnit });
const scratch = mkdtempSync(join(tmpdir(), 'waypost-run-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
try {
  const env = testEnvironment();
  if (filters.length === 0 && !isUnit && !isLong) {
    count(
      await run('lint', [process.execPath, inModules('@biomejs', 'biome', 'bin', 'biome'), 'ci', '.'], env),
    );
    count(await run('types', [...npmCommand(), 'run', '--silent', 'types'], env));
  }
  await runTests(env);
} catch (error) {
  fail(error);
}
if (interrupted !== null) process.exit(130);
const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
console.log(`${tally.passed} passed, ${tally.failed} failed${skipped}`);
process.exit(tally.failed > 0 ? 1 : 0);

function testEnvironment() {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_A_REAL_ONE.test(name)));
  env.TEST_LENGTH = isLong ? 'long' : 'short';
  if (!isWritable(homedir())) {
    env.HOME = join(scratch, 'home');
    mkdirSync(env.HOME);
  }
  return env;
}

async function runTests(env) {
  const report = join(scratch, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const chosen = [
    ...(isUnit ? ['--project', 'unit'] : []),
    ...(isLong && filters.length === 0 ? filesOfVaryingLength() : filters),
  ];
  const succeeded = await run(
    'tests',
    [process.execPath, inModules('vitest', 'vitest.mjs'), 'run', ...reporters, ...chosen],
    env,
  );
  const before = tally.failed;
  if (existsSync(report)) countReport(JSON.parse(readFileSync(report, 'utf8')));
  // It also fails for what belongs to no test: an error between them, the setup, nothing found to run.
  if (!succeeded && tally.failed === before) count(false);
}

/** No path at all would mean every test. */
function filesOfVaryingLength() {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /\.test\.tsx?$/.test(file))
      .filter((file) => LENGTH_HELPER.test(readFileSync(join(ROOT, file), 'utf8'))),
  );
  if (files.length === 0) throw new SetupError('No test imports shortOrLong.ts, so none has a long version.');
  return files;
}

function countReport({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) {
  // A file that could not be loaded or set up fails without any of its tests having failed.
  const broken = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  tally.passed += numPassedTests;
  tally.failed += numFailedTests + broken.length;
  tally.skipped += numPendingTests + numTodoTests;
}

function count(succeeded) {
  tally[succeeded ? 'passed' : 'failed'] += 1;
}

function run(name, [program, ...args], env) {
  if (interrupted !== null) return Promise.resolve(false);
  say(`\n— ${name}`);
  return new Promise((resolve) => {
    child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', (error) => {
      say(error.message);
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
}
