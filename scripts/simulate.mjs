import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, prepare, ROOT } from './prepare.mjs';

/*
 * npm run simulate -- --seeds 1000            plays the seeds 1 to 1000, on two cores
 * npm run simulate -- --seeds 1 --seed 4711   plays that one and tells every step of it
 * Ends with 1 when a seed breaks a promise, and says how to replay it.
 */

try {
  const { values } = parseArgs({ options: { seeds: { type: 'string' }, seed: { type: 'string' } } });
  const seeds = wholeNumber('--seeds', values.seeds ?? '200');
  const first = wholeNumber('--seed', values.seed ?? '1');
  await prepare();
  // One seed needs one file.
  const files = seeds === 1 ? ['firstSeeds'] : ['firstSeeds', 'secondSeeds'];
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(
    process.execPath,
    [vitest, 'run', '-t', 'seeds', ...files.map((name) => `test/simulation/${name}.test.ts`)],
    {
      cwd: ROOT,
      env: { ...process.env, SIMULATION_SEEDS: String(seeds), SIMULATION_SEED: String(first) },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('close', (code) => process.exit(code ?? 130));
} catch (error) {
  fail(error);
}

function wholeNumber(name, text) {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error(`${name} is a whole number from 1, not "${text}".`);
}
