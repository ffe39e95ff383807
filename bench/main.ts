import { runCleanups } from '../chaos/cleanup.ts';
import { OperatorError } from '../src/kit/errors.ts';
import { type BesideOptions, besideHeading, compareBeside } from './beside.ts';
import { benchCluster, clusterTable } from './cluster.ts';
import { measureCurves } from './curves.ts';
import { type BenchEnvironment, openBenchEnvironment } from './environment.ts';
import { runBench } from './onPostgres.ts';
import { findCheckout } from './otherCheckout.ts';
import { BENCH_PARTS } from './parts.ts';
import { writeBenchDocs } from './report/docs.ts';
import type { Row } from './report/row.ts';
import { besideTable, resultsTable } from './report/table.ts';
import { startCount } from './slices.ts';
import { soak } from './soak.ts';

/** Stops the processes of an interrupted run. */
export let interrupt = async (): Promise<void> => {};

/**
 * npm run bench                       the table
 * npm run bench -- --json             the same with every round, as JSON
 * npm run bench -- --only api,size    some of its parts
 * npm run bench -- --beside FOLDER    the API of this checkout against that of another, which is installed and built;
 *                                     with --starts N, by N starts of each; with --only WORD, rows named so
 * npm run bench -- --write-docs       the table, and how cost grows, into docs/performance.md and its pictures
 * npm run soak  -- --minutes 2        steady load, and what becomes of the tables
 * node bench/run.mjs erasure '{…}'    an erasure beside pushes
 * node bench/run.mjs retention '{…}'  deletion in big tables beside pushes
 * node bench/run.mjs cluster '{…}'    what a Citus cluster costs beside one Postgres; --json: every round
 * BENCH_POSTGRES=stock before any of the others: on the operating system's Postgres, with its stock settings
 */
export async function main(args: string[], folder: string): Promise<void> {
  if (args[0] === 'erasure' || args[0] === 'retention') {
    console.log(JSON.stringify(await runBench(args[0], JSON.parse(args[1] ?? '{}'), folder), null, 2));
    return;
  }
  if (args[0] === 'cluster') {
    interrupt = runCleanups;
    const rows = await benchCluster(folder, say, JSON.parse(args.find((arg) => arg.startsWith('{')) ?? '{}'));
    console.log(args.includes('--json') ? JSON.stringify(rows, null, 2) : clusterTable(rows));
    return;
  }
  const beside = args.includes('--beside')
    ? {
        checkout: findCheckout(optionOf(args, '--beside')),
        starts: startCount(optionOf(args, '--starts')),
        only: optionOf(args, '--only') ?? '',
      }
    : null;
  const world = await openBenchEnvironment(folder);
  interrupt = world.stop;
  try {
    if (args[0] === 'soak') {
      console.log(await soak(world, Number(optionOf(args, '--minutes') ?? 10)));
      return;
    }
    if (beside !== null) {
      console.log(await measureBeside(world, beside, args.includes('--json')));
      return;
    }
    const rows = await measureParts(world, optionOf(args, '--only')?.split(',') ?? Object.keys(BENCH_PARTS));
    console.log(args.includes('--json') ? JSON.stringify(rows, null, 2) : resultsTable(rows));
    if (args.includes('--write-docs')) await writeBenchDocs(rows, await measureCurves(world, say));
  } finally {
    await world.stop();
  }
}

/** For people: a mistake of the caller's is one sentence, and anything else has its stack. */
export const failureText = (error: unknown): unknown =>
  error instanceof OperatorError ? error.message : error;

async function measureParts(world: BenchEnvironment, names: string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of names) {
    const part = BENCH_PARTS[name];
    if (!part) throw new Error(`There is no part "${name}": ${Object.keys(BENCH_PARTS).join(', ')}.`);
    await part(world, (row) => {
      rows.push(row);
      say(`${row.name}: ${row.ratio?.toFixed(2) ?? row.ours.p99?.toFixed(1) ?? ''}`);
    });
  }
  return rows;
}

async function measureBeside(
  world: BenchEnvironment,
  options: BesideOptions,
  json: boolean,
): Promise<string> {
  const rows = await compareBeside(world, options, (start) => say(`start ${start} of ${options.starts}`));
  return json ? JSON.stringify(rows, null, 2) : `${await besideHeading(options)}\n\n${besideTable(rows)}`;
}

/** Progress goes to stderr; stdout has only the report. */
const say = (text: string): void => {
  const seconds = Math.round(performance.now() / 1_000);
  console.error(`${`${seconds}`.padStart(3)} s  ${text}`);
};

function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at === -1 ? undefined : args[at + 1];
}
