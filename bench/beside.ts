import { OperatorError } from '../src/kit/errors.ts';
import { API_ROW } from './apiPart.ts';
import type { BenchDatabase, BenchEnvironment } from './environment.ts';
import type { RowLoad } from './load/generator.ts';
import type { Round } from './measure.ts';
import { checkThatItStarts, describeCommit } from './otherCheckout.ts';
import { RECIPIENTS, WARM_UP } from './plan.ts';
import { type BenchServer, startBuiltServer, THIS_CHECKOUT } from './program.ts';
import { BATCH_ITEMS, batchLoad } from './rows/batches.ts';
import { manyShopsLoad, pushLoad } from './rows/pushes.ts';
import { listLoad, viewLoad } from './rows/reads.ts';
import { replayLoad } from './rows/replays.ts';
import {
  compareStarts,
  SLICE_SECONDS,
  SLICES_PER_START,
  type SlicedComparison,
  takeSlices,
} from './slices.ts';
import { underLoad } from './underLoad.ts';

export interface BesideRow extends SlicedComparison {
  name: string;
}

interface BesideWork {
  name: string;
  /** Made when the row begins: it may read what the rows before it wrote. */
  load(database: BenchDatabase): RowLoad | Promise<RowLoad>;
  /** Pushes per request, where a row counts those. */
  each?: number;
}

/** The rows of the part "api". */
const WORK: readonly BesideWork[] = [
  { name: API_ROW.fewClients, load: (database) => pushLoad(database, 16) },
  { name: API_ROW.manyClients, load: (database) => pushLoad(database, 64) },
  { name: API_ROW.manyShops, load: manyShopsLoad },
  { name: API_ROW.batches, load: batchLoad, each: BATCH_ITEMS },
  { name: API_ROW.view, load: viewLoad },
  { name: API_ROW.list, load: listLoad },
  { name: API_ROW.replay, load: replayLoad },
];

export interface BesideOptions {
  checkout: string;
  /** How often both programs are started; even. */
  starts: number;
  /** Of the rows, those with this in their name. */
  only: string;
}

/**
 * Compares this checkout with another. Both programs run at once on one database, so that they read and write the same
 * tables; while one is under load, the other is idle. They are started anew several times.
 */
export async function compareBeside(
  world: BenchEnvironment,
  { checkout, starts, only }: BesideOptions,
  onStartMeasured: (start: number) => void,
): Promise<BesideRow[]> {
  const chosen = WORK.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new OperatorError(`No row of --beside has "${only}" in its name.`);
  const database = await world.database('beside', RECIPIENTS);
  await checkThatItStarts(checkout, database.url);
  const measured: Round[][][] = [];
  for (let start = 1; start <= starts; start += 1) {
    measured.push(await measureStart(world, database, checkout, chosen, start % 2 === 0));
    onStartMeasured(start);
  }
  await database.drop();
  return chosen.map(({ name }, row) => ({ name, ...compareStarts(measured.map((rows) => rows[row] ?? [])) }));
}

/**
 * Starts both programs and answers the slices of each row. In every other start theirs stands wherever ours stood before: being first,
 * or measured while Postgres writes its checkpoint, makes a difference of several per cent.
 */
async function measureStart(
  world: BenchEnvironment,
  database: BenchDatabase,
  checkout: string,
  rows: readonly BesideWork[],
  theirsFirst: boolean,
): Promise<Round[][]> {
  const first = await startBuiltServer(theirsFirst ? checkout : THIS_CHECKOUT, database.url);
  const second = await startBuiltServer(theirsFirst ? THIS_CHECKOUT : checkout, database.url);
  try {
    for (const server of [first, second])
      await underLoad(world, server, { ...pushLoad(database, WARM_UP.clients), seconds: WARM_UP.seconds });
    const pairs: Round[][] = [];
    for (const { load, each } of rows) {
      const slice = { ...(await load(database)), seconds: SLICE_SECONDS };
      const measure = (server: BenchServer) => () => underLoad(world, server, slice, each);
      const taken = await takeSlices(measure(first), measure(second));
      pairs.push(theirsFirst ? taken.map(swapSides) : taken);
    }
    return pairs;
  } finally {
    await first.stop();
    await second.stop();
  }
}

const swapSides = ({ ours, baseline }: Round): Round => ({ ours: baseline, baseline: ours });

/** What was compared, in one line. */
export async function besideHeading({ checkout, starts }: BesideOptions): Promise<string> {
  const [ours, theirs] = await Promise.all([describeCommit(THIS_CHECKOUT), describeCommit(checkout)]);
  return (
    `This checkout (${ours}) against ${checkout} (${theirs}), by ${starts} starts of both with ${SLICES_PER_START} slices of ` +
    `${SLICE_SECONDS} s each. The ratio is the mean over the starts, of the median pair of slices of each, ± its standard error.`
  );
}
