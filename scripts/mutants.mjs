import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { importTypescript } from './importTypescript.mjs';
import { fail, prepare, ROOT, say } from './prepare.mjs';

/*
 * npm run mutants              plants every bug of test/mutants/planted.ts, alone and in a copy of the tree, and runs what must catch it
 * npm run mutants -- WORD …    only those whose name has one of the words
 * Ends with 1 when one survives or can no longer be planted.
 */

const words = process.argv.slice(2);
const module = await importTypescript(join(ROOT, 'test', 'mutants', 'planted.ts'));
const mutants = module.MUTANTS.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
let child = null;
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    stopped = true;
    child?.kill(signal);
  });
}

await prepare();
const copy = mkdtempSync(join(tmpdir(), 'waypost-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
try {
  copyTree();
  const rows = [];
  for (const mutant of mutants) {
    if (stopped) process.exit(130);
    const row = await plant(mutant);
    rows.push(row);
    say(
      `${row.caught ? 'caught  ' : 'SURVIVED'}  ${String(row.seconds).padStart(4)} s  ${mutant.name}  (${mutant.caughtBy})`,
    );
  }
  print(rows);
  process.exit(rows.every(({ caught }) => caught) ? 0 : 1);
} catch (error) {
  fail(error);
}

/** What git knows or would add, with the modules of this checkout. */
function copyTree() {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  });
  for (const file of list.toString().split('\0').filter(Boolean)) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
}

async function plant({ name, file, find, replace, caughtBy }) {
  const path = join(copy, file);
  const whole = readFileSync(path, 'utf8');
  if (whole.split(find).length !== 2)
    throw new Error(`"${name}" can no longer be planted: ${file} has changed.`);
  writeFileSync(
    path,
    whole.replace(find, () => replace),
  );
  const began = performance.now();
  try {
    const caught = await isNoticed(caughtBy);
    return { name, caughtBy, caught, seconds: Math.round((performance.now() - began) / 1000) };
  } finally {
    writeFileSync(path, whole);
  }
}

/** Whether a test has noticed; a suite that could not run at all has noticed nothing. */
async function isNoticed(suite) {
  const filters =
    suite === 'simulation'
      ? [
          'test/simulation/firstSeeds.test.ts',
          'test/simulation/secondSeeds.test.ts',
          '-t',
          'seeds',
          '--bail',
          '1',
        ]
      : [suite];
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  await new Promise((resolve, reject) => {
    const vitest = join(copy, 'node_modules', 'vitest', 'vitest.mjs');
    child = spawn(
      process.execPath,
      [vitest, 'run', ...filters, '--reporter=json', `--outputFile=${report}`],
      // Some bugs show only in one of many seeds.
      { cwd: copy, env: { ...process.env, TEST_LENGTH: 'long' }, stdio: 'ignore' },
    );
    child.once('error', reject);
    child.once('close', resolve);
  });
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failures = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .flatMap(({ failureMessages }) => failureMessages);
  // Of the simulation only a broken promise counts, not that its seeds now meet less.
  return failures.some((message) => suite !== 'simulation' || message.includes('replay it:'));
}

function print(rows) {
  const width = Math.max(...rows.map(({ name }) => name.length));
  console.log(`\n${'mutant'.padEnd(width)}  seconds  caught by`);
  for (const { name, caughtBy, caught, seconds } of rows)
    console.log(`${name.padEnd(width)}  ${String(seconds).padStart(7)}  ${caught ? caughtBy : 'NOBODY'}`);
  console.log(`\n${rows.filter(({ caught }) => caught).length} of ${rows.length} caught`);
}
