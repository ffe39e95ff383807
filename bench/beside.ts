import type { BenchDatabase, BenchEnvironment } from './environment.ts';
import type { RowLoad } from './load/generator.ts';
import { checkThatItStarts, describeCommit } from './otherCheckout.ts';
import { RECIPIENTS, WARM_UP } from './parts.ts';
import { type BenchServer, startBuiltServer, THIS_CHECKOUT } from './program.ts';
import { BATCH_ITEMS, batchLoad } from './rows/batches.ts';
import { manyShopsLoad, pushLoad } from './rows/pushes.ts';
import { listLoad, viewLoad } from './rows/reads.ts';
import { replayLoad } from './rows/replays.ts';
import { compareSlices, SLICE_SECONDS, type SlicedComparison } from './slices.ts';
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
  { name: 'single pushes, 16 clients', load: (database) => pushLoad(database, 16) },
  { name: 'single pushes, 64 clients', load: (database) => pushLoad(database, 64) },
  { name: 'single pushes, 64 clients of 64 shops', load: manyShopsLoad },
  { name: 'pushes in batches of 100, 2 clients', load: batchLoad, each: BATCH_ITEMS },
  { name: 'GET message', load: viewLoad },
  { name: 'list of 50', load: listLoad },
  { name: 'replay of a spent key', load: replayLoad },
];

/**
 * Compares this checkout with another. Both programs run at once on one database, so that they read and write the same
 * tables; while one is under load, the other is idle.
 */
export async function compareBeside(
  world: BenchEnvironment,
  checkout: string,
  slices: number,
  report: (row: BesideRow) => void,
): Promise<void> {
  const database = await world.database('beside', RECIPIENTS);
  await checkThatItStarts(checkout, database.url);
  const ours = await startBuiltServer(THIS_CHECKOUT, database.url);
  const theirs = await startBuiltServer(checkout, database.url);
  try {
    for (const server of [ours, theirs])
      await underLoad(world, server, { ...pushLoad(database, WARM_UP.clients), seconds: WARM_UP.seconds });
    for (const { name, load, each } of WORK) {
      const slice = { ...(await load(database)), seconds: SLICE_SECONDS };
      const measure = (server: BenchServer) => () => underLoad(world, server, slice, each);
      report({ name, ...(await compareSlices(slices, measure(ours), measure(theirs))) });
    }
  } finally {
    await ours.stop();
    await theirs.stop();
  }
  await database.drop();
}

/** What was compared, in one line. */
export async function besideHeading(checkout: string, slices: number): Promise<string> {
  const [ours, theirs] = await Promise.all([describeCommit(THIS_CHECKOUT), describeCommit(checkout)]);
  return (
    `This checkout (${ours}) against ${checkout} (${theirs}), by ${slices} slices of ${SLICE_SECONDS} s each. ` +
    'The ratio is the geometric mean over the pairs of slices ± its standard error.'
  );
}
