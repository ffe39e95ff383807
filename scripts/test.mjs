import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fail, isWritable, npmCommand, prepare, ROOT, say } from './prepare.mjs';

/*
 * npm test             every promise once, with lint and types beside the tests
 * npm test -- PATH …   only the tests whose file names contain a PATH; starts Postgres and a browser only if one needs it
 * npm run test:unit    the tests that need neither Postgres nor a browser
 * npm run test:long    the tests that take long (test/longFiles.json), and those that repeat something, as often as is sensible
 *                      before a release
 * npm run test:image   the test that builds the container image and runs it, where there are programs for that
 * npm run test:medusa  the test that installs a Medusa (700 MB) with our plugin and lets orders run through it
 * Ends with the line "N passed, N failed"; lint and types count as one each.
 * TEST_FAILED_FILES names a file for the paths of the test files that failed, one per line: .ci/suite runs those once more.
 */

/** What configures a Waypost must not reach the tests: a shell may well name the database of a real one. */
const OF_A_REAL_ONE =
  /^(NODE_ENV|PORT|HOST|PUBLIC_URL|(DATABASE_URL|SECRET_KEY|OPERATOR_TOKEN)(_FILE)?|DATA_DIR|ROLES|(EMAIL|SMS|WHATSAPP)_PROVIDER|WEBHOOK_ALLOW_HOSTS|RATE_LIMIT_\w+|TRUSTED_PROXIES|LOG_LEVEL)$/;

/** What a test file imports, itself or by way of its helpers, whose length depends on the command. */
const LENGTH_HELPER = join(ROOT, 'test', 'support', 'shortOrLong.ts');
const IMPORT = /^import\s[^;]*?from\s+'(\.[^']+)'/gm;

/** The longest unit tests wait for something that never comes, each in a worker. */
const UNIT_WORKERS = '5';

const inModules = (...path) => join(ROOT, 'node_modules', ...path);

/** Tests that a flag of their own runs, and nothing else does. */
const ALONE = { '--image': 'test/deploy/image.test.ts', '--medusa': 'test/medusa/medusa.test.ts' };
const FLAGS = ['--unit', '--long', ...Object.keys(ALONE)];
const args = process.argv.slice(2);
const isUnit = args.includes('--unit');
const isLong = args.includes('--long');
const alone = args.flatMap((arg) => ALONE[arg] ?? []);
const filters = alone.length > 0 ? alone : args.filter((arg) => !FLAGS.includes(arg));
const tally = { passed: 0, failed: 0, skipped: 0 };
const failedFiles = [];
/** Lint, types, or an error that belongs to no file: running the failed files once more cannot mend it. */
let otherFailures = 0;
const children = new Set();
let interrupted = null;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted = signal;
    for (const child of children) child.kill(signal);
  });
}

// Unit tests run the source, and no program that was built of it.
await prepare({ build: !isUnit });
const scratch = mkdtempSync(join(tmpdir(), 'waypost-run-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
try {
  const env = testEnvironment();
  // The compiler keeps one core busy for long, and many tests wait: side by side they take less time.
  const checks = filters.length === 0 && !isUnit && !isLong ? check(env) : [];
  await runTests(env);
  if (env.TEST_CLIENT !== undefined) sayCalls(env);
  for await (const { name, succeeded, printed } of checks) {
    say(`\n— ${name}`);
    process.stderr.write(printed);
    count(succeeded);
  }
} catch (error) {
  fail(error);
}
if (interrupted !== null) process.exit(130);
const failedFilesList = process.env.TEST_FAILED_FILES;
if (failedFilesList !== undefined && otherFailures === 0)
  writeFileSync(failedFilesList, failedFiles.map((file) => `${relative(ROOT, file)}\n`).join(''));
const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
console.log(`${tally.passed} passed, ${tally.failed} failed${skipped}`);
process.exit(tally.failed > 0 ? 1 : 0);

function testEnvironment() {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_A_REAL_ONE.test(name)));
  delete env.TEST_FAILED_FILES; // tests run this script, too
  delete env.TEST_LENGTH;
  if (isLong) env.TEST_LENGTH = 'long';
  else if (filters.length === 0) env.TEST_LENGTH = 'short';
  if (alone.length > 0) env.TEST_ALONE = alone.join();
  if (isUnit) env.TEST_WORKERS ??= UNIT_WORKERS;
  if (env.TEST_CLIENT !== undefined) {
    env.TEST_CLIENT_CALLS = join(scratch, 'calls');
    mkdirSync(env.TEST_CLIENT_CALLS);
  }
  if (!isWritable(homedir())) {
    env.HOME = join(scratch, 'home');
    mkdirSync(env.HOME);
  }
  return env;
}

/** Lint and types, which print nothing while the tests do. */
function check(env) {
  const commands = {
    lint: [process.execPath, inModules('@biomejs', 'biome', 'bin', 'biome'), 'ci', '.'],
    types: [...npmCommand(), 'run', '--silent', 'types'],
  };
  return Object.entries(commands).map(async ([name, command]) => {
    let printed = '';
    const succeeded = await start(command, env, (text) => {
      printed += text;
    });
    return { name, succeeded, printed };
  });
}

async function runTests(env) {
  const report = join(scratch, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const chosen = [
    ...(isUnit ? ['--project', 'unit'] : []),
    ...(isLong && filters.length === 0 ? filesOfLongRuns() : filters),
  ];
  say('\n— tests');
  const succeeded = await start(
    [process.execPath, inModules('vitest', 'vitest.mjs'), 'run', ...reporters, ...chosen],
    env,
  );
  const before = tally.failed;
  if (existsSync(report)) countReport(JSON.parse(readFileSync(report, 'utf8')));
  // It also fails for what belongs to no test: an error between them, the setup, nothing found to run.
  if (!succeeded && tally.failed === before) count(false);
}

/** How many calls went through a client. None: it was not tested. */
function sayCalls({ TEST_CLIENT, TEST_CLIENT_CALLS: folder }) {
  const counts = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
  const [byClient, byHand] = ['byClient', 'byHand'].map((kind) =>
    counts.reduce((sum, count) => sum + count[kind], 0),
  );
  say(`\n${byClient} calls through the client for ${TEST_CLIENT}, ${byHand} by hand`);
  if (byClient === 0) count(false);
}

/** No path at all would mean every test. */
function filesOfLongRuns() {
  const long = JSON.parse(readFileSync(join(ROOT, 'test', 'longFiles.json'), 'utf8'));
  const varying = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /\.test\.tsx?$/.test(file))
      .filter((file) => hasVaryingLength(join(ROOT, file))),
  );
  return [...new Set([...long, ...varying])];
}

/** Looks through helpers in test/ alone: the source imports none of them. */
function hasVaryingLength(file, seen = new Set()) {
  seen.add(file);
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)]
    .map(([, path]) => join(dirname(file), path))
    .some(
      (path) =>
        path === LENGTH_HELPER ||
        (path.startsWith(join(ROOT, 'test')) &&
          !seen.has(path) &&
          existsSync(path) &&
          hasVaryingLength(path, seen)),
    );
}

function countReport({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) {
  // A file that could not be loaded or set up fails without any of its tests having failed.
  const failed = testResults.filter((file) => file.status === 'failed');
  const broken = failed.filter((file) => !file.assertionResults.some((test) => test.status === 'failed'));
  failedFiles.push(...failed.map((file) => file.name));
  tally.passed += numPassedTests;
  tally.failed += numFailedTests + broken.length;
  tally.skipped += numPendingTests + numTodoTests;
}

/** Of what is no test file. */
function count(succeeded) {
  tally[succeeded ? 'passed' : 'failed'] += 1;
  if (!succeeded) otherFailures += 1;
}

/** Resolves to whether it succeeded; what it prints goes to `print`, or straight on. */
function start([program, ...args], env, print) {
  if (interrupted !== null) return Promise.resolve(false);
  const output = print === undefined ? 'inherit' : 'pipe';
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', output, output] });
    children.add(child);
    child.stdout?.on('data', print);
    child.stderr?.on('data', print);
    child.once('error', (error) => {
      say(error.message);
      resolve(false);
    });
    child.once('close', (code) => {
      children.delete(child);
      resolve(code === 0);
    });
  });
}
