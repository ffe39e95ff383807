import { OperatorError } from '../src/kit/errors.ts';
import { thenClose } from './cleanup.ts';
import type { BenchDatabase, BenchEnvironment } from './environment.ts';
import type { Round } from './measure.ts';
import { checkThatItStarts, describeCommit } from './otherCheckout.ts';
import { RECIPIENTS } from './plan.ts';
import { API_ONLY, type BenchServer, startBenchServer, THIS_CHECKOUT } from './program.ts';
import { API_ROWS } from './rows/api.ts';
import { warmUp } from './rows/loads.ts';
import { compareStarts, SLICE_SECONDS, SLICES_PER_START, takeSlices } from './slices.ts';

export type BesideRow = { name: string } & ReturnType<typeof compareStarts>;

export interface BesideOptions {
  checkout: string;
  /** How often both programs are started; even. */
  starts: number;
  /** Of the rows of the part "api", those with this in their name. */
  only: string;
  say: (text: string) => void;
}

/**
 * Compares this checkout with another. Both programs run at once on one database, so that they read and write the same
 * tables; while one is under load, the other is idle. They are started anew several times.
 */
export async function compareBeside(
  world: BenchEnvironment,
  { checkout, starts, only, say }: BesideOptions,
): Promise<BesideRow[]> {
  const rows = API_ROWS.filter(([name]) => name.includes(only));
  if (rows.length === 0) throw new OperatorError(`No row of --beside has "${only}" in its name.`);
  const database = await world.database('beside', RECIPIENTS);
  await checkThatItStarts(checkout, database.url);
  const measured: Round[][][] = [];
  for (let start = 1; start <= starts; start += 1) {
    const theirsFirst = start % 2 === 0;
    measured.push(await thenClose(() => measureStart(world, database, checkout, rows, theirsFirst)));
    say(`start ${start} of ${starts}`);
  }
  return rows.map(([name], row) => ({ name, ...compareStarts(measured.map((slices) => slices[row] ?? [])) }));
}

/**
 * Starts both programs and answers the slices of each row. In every other start theirs stands wherever ours stood before: being first,
 * or measured while Postgres writes its checkpoint, makes a difference of several per cent.
 */
async function measureStart(
  world: BenchEnvironment,
  database: BenchDatabase,
  checkout: string,
  rows: typeof API_ROWS,
  theirsFirst: boolean,
): Promise<Round[][]> {
  const start = (folder: string) => startBenchServer(world, database, API_ONLY, folder);
  const first = await start(theirsFirst ? checkout : THIS_CHECKOUT);
  const second = await start(theirsFirst ? THIS_CHECKOUT : checkout);
  for (const server of [first, second]) await warmUp(server);
  const slices: Round[][] = [];
  for (const [, load] of rows) {
    const made = await load(database);
    const measure = (server: BenchServer) => () => server.measure(made, SLICE_SECONDS);
    const taken = await takeSlices(measure(first), measure(second));
    slices.push(
      theirsFirst ? taken.map(({ ours, baseline }) => ({ ours: baseline, baseline: ours })) : taken,
    );
  }
  return slices;
}

/** What was compared, in one line. */
export async function besideHeading({ checkout, starts }: BesideOptions): Promise<string> {
  const [ours, theirs] = await Promise.all([describeCommit(THIS_CHECKOUT), describeCommit(checkout)]);
  return (
    `This checkout (${ours}) against ${checkout} (${theirs}), by ${starts} starts of both with ${SLICES_PER_START} slices of ` +
    `${SLICE_SECONDS} s each. The ratio is the mean over the starts, of the median pair of slices of each, ± its standard error.`
  );
}
