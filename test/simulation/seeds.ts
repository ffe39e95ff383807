import { expect } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { REQUIRED_COVERAGE } from './requiredCoverage.ts';
import { type SimulationResult, simulate } from './simulate.ts';
import { openTestBed } from './testBed.ts';

const LAST_LINES = 150;

/** Runs these seeds on one database, and stops at the first violation. */
export async function runSeeds(seeds: readonly number[]): Promise<SimulationResult[]> {
  const database = await testDatabase();
  const stage = await openTestBed(database.url);
  try {
    const outcomes: SimulationResult[] = [];
    for (const seed of seeds) {
      const outcome = await simulate(stage, seed);
      outcomes.push(outcome);
      if (outcome.failures.length > 0) break;
    }
    return outcomes;
  } finally {
    await stage.close();
    await database.drop();
  }
}

/** Fails with the command that reproduces it, and the steps so far. */
function expectKept(outcomes: readonly SimulationResult[]): void {
  const broken = outcomes.find(({ failures }) => failures.length > 0);
  if (broken) throw new Error(replayOf(broken));
}

function replayOf({ seed, failures, trace }: SimulationResult): string {
  const actions = trace.filter((line) => !/^ *\d+ {2}/.test(line));
  return [
    `seed ${seed}: ${failures.join('\n')}`,
    `replay it: npm run simulate -- --seeds 1 --seed ${seed}`,
    'what was done:',
    ...actions,
    `the last ${LAST_LINES} steps:`,
    ...trace.slice(-LAST_LINES),
  ].join('\n');
}

/** How often each situation occurred, over all seeds. */
function tallyOf(outcomes: readonly SimulationResult[]): Map<string, number> {
  const tally = new Map(REQUIRED_COVERAGE.map((name) => [name, 0]));
  for (const { counts } of outcomes) {
    for (const [name, count] of counts) tally.set(name, (tally.get(name) ?? 0) + count);
  }
  return tally;
}

function expectReached(outcomes: readonly SimulationResult[]): void {
  const tally = tallyOf(outcomes);
  expect(REQUIRED_COVERAGE.filter((name) => tally.get(name) === 0)).toEqual([]);
}

/** Fewer seeds cannot cover all situations. */
const ENOUGH = 100;

/** Runs the seeds of one of the two files, which run in parallel, and checks their coverage. */
export async function runHalfOfSeeds(half: 'first' | 'second', ofBoth: number): Promise<void> {
  const { seeds, verbose } = seedsOf(half, ofBoth);
  const outcomes = await runSeeds(seeds);
  if (verbose) printResults(outcomes);
  expectKept(outcomes);
  if (outcomes.length >= ENOUGH) expectReached(outcomes);
}

/** `ofBoth` seeds in the tests; as many as asked for, from any on, in `npm run simulate`. */
function seedsOf(half: 'first' | 'second', ofBoth: number): { seeds: number[]; verbose: boolean } {
  const first = Number(process.env.SIMULATION_SEED ?? 1);
  const count = Number(process.env.SIMULATION_SEEDS ?? ofBoth);
  const middle = Math.ceil(count / 2);
  const seeds = half === 'first' ? seedsFrom(first, middle) : seedsFrom(first + middle, count - middle);
  return { seeds, verbose: process.env.SIMULATION_SEEDS !== undefined };
}

const seedsFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, place) => first + place);

/** For `npm run simulate`: the steps of one seed, or the coverage of many. */
function printResults(outcomes: readonly SimulationResult[]): void {
  const [only] = outcomes;
  const lines =
    outcomes.length === 1 && only
      ? only.trace
      : [...tallyOf(outcomes)].sort().map(([name, count]) => `${String(count).padStart(8)} ${name}`);
  const steps = outcomes.reduce((sum, result) => sum + result.steps, 0);
  process.stdout.write(`${lines.join('\n')}\n${outcomes.length} seeds, ${steps} steps\n`);
}
