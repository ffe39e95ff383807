import { parseArgs } from 'node:util';
import { OperatorError } from '../src/kit/errors.ts';
import { killAllPrograms } from '../test/support/program.ts';
import { besideHeading, compareBeside } from './beside.ts';
import { benchCapacity } from './capacity.ts';
import { atEnd, closeWhenInterrupted, runFolder, thenClose } from './cleanup.ts';
import { benchCluster, clusterTable } from './cluster.ts';
import { measureCurves } from './curves.ts';
import { type BenchEnvironment, openBenchEnvironment } from './environment.ts';
import { benchErasure } from './erasure.ts';
import { findCheckout } from './otherCheckout.ts';
import { type Reporter, type Row, reporter } from './report/row.ts';
import { besideTable, resultsTable, writeBenchDocs } from './report/table.ts';
import { benchRetention } from './retention.ts';
import { measureApi } from './rows/api.ts';
import { measureConnections } from './rows/connections.ts';
import { measureDashboard } from './rows/dashboard.ts';
import { measureEvents } from './rows/events.ts';
import { measureNudges } from './rows/nudges.ts';
import { measureOrders } from './rows/orders.ts';
import { measureOutbox } from './rows/outbox.ts';
import { measurePeers } from './rows/peers.ts';
import { measureProcesses } from './rows/processes.ts';
import { measureSize } from './rows/size.ts';
import { measureWebhooks } from './rows/webhooks.ts';
import { startCount } from './slices.ts';
import { soak } from './soak.ts';

/** The rows of the report, in parts that share processes. */
const BENCH_PARTS: Record<string, (world: BenchEnvironment, report: Reporter) => Promise<void>> = {
  api: measureApi,
  orders: measureOrders,
  connections: measureConnections,
  outbox: measureOutbox,
  nudges: measureNudges,
  size: measureSize,
  dashboard: measureDashboard,
  webhooks: measureWebhooks,
  events: measureEvents,
  processes: measureProcesses,
  peers: measurePeers,
};

/** Returns the exit status. */
export async function bench(args: string[]): Promise<number> {
  closeWhenInterrupted();
  try {
    await thenClose(() => run(args));
    return 0;
  } catch (error) {
    // A mistake of the caller's is one sentence, and anything else has its stack.
    console.error(error instanceof OperatorError ? error.message : error);
    return 1;
  }
}

/**
 * npm run bench                       the table
 * npm run bench -- --json             the same with every round, as JSON
 * npm run bench -- --only api,size    some of its parts
 * npm run bench -- --beside FOLDER    the API of this checkout against that of another, which is installed and built;
 *                                     with --starts N, by N starts of each; with --only WORD, rows named so
 * npm run bench -- --write-docs       the table, and how cost grows, into docs/performance.md
 * npm run soak  -- --minutes 2        steady load, and what becomes of the tables
 * node bench/run.mjs capacity '{…}'   what the life of a message costs in processor time and on disk
 * node bench/run.mjs erasure '{…}'    an erasure beside pushes
 * node bench/run.mjs retention '{…}'  deletion in big tables beside pushes
 * node bench/run.mjs cluster '{…}'    what a Citus cluster costs beside one Postgres; --json: every round
 * BENCH_POSTGRES=stock before any of the others: on the operating system's Postgres, with its stock settings
 */
async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      only: { type: 'string' },
      beside: { type: 'string' },
      starts: { type: 'string' },
      'write-docs': { type: 'boolean', default: false },
      minutes: { type: 'string', default: '10' },
    },
  });
  const [command = 'table', settings = '{}'] = positionals;
  const options = JSON.parse(settings);
  const { only, beside } = values;
  const print = <Result>(result: Result, asText: (result: Result) => string): void =>
    console.log(values.json ? asJson(result) : asText(result));
  if (command === 'cluster') return print(await benchCluster(say, options), clusterTable);
  // Before anything starts that takes long.
  const comparison = beside !== undefined && {
    checkout: findCheckout('--beside', beside),
    starts: startCount(values.starts),
    only: only ?? '',
    say,
  };
  const world = await openBenchEnvironment(await runFolder());
  atEnd(killAllPrograms);
  if (command === 'soak') return console.log(await soak(world, Number(values.minutes)));
  if (command === 'capacity') return console.log(await benchCapacity(world, options));
  if (command === 'erasure') return console.log(asJson(await benchErasure(world, options)));
  if (command === 'retention') return console.log(asJson(await benchRetention(world, options)));
  if (comparison) {
    const heading = await besideHeading(comparison);
    return print(await compareBeside(world, comparison), (rows) => `${heading}\n\n${besideTable(rows)}`);
  }
  const rows = await measureParts(world, only?.split(',') ?? Object.keys(BENCH_PARTS));
  print(rows, resultsTable);
  if (values['write-docs']) await writeBenchDocs(rows, await measureCurves(world, say));
}

const asJson = (result: unknown): string => JSON.stringify(result, null, 2);

async function measureParts(world: BenchEnvironment, names: string[]): Promise<Row[]> {
  const rows: Row[] = [];
  const report = reporter((row) => {
    rows.push(row);
    say(`${row.name}: ${row.ratio?.toFixed(2) ?? row.ours.p99?.toFixed(1) ?? ''}`);
  });
  for (const name of names) {
    const part = BENCH_PARTS[name];
    if (!part) throw new OperatorError(`There is no part "${name}": ${Object.keys(BENCH_PARTS).join(', ')}.`);
    await thenClose(() => part(world, report));
  }
  return rows;
}

/** Progress goes to stderr; stdout has only the report. */
const say = (text: string): void => {
  const seconds = Math.round(performance.now() / 1_000);
  console.error(`${`${seconds}`.padStart(3)} s  ${text}`);
};
