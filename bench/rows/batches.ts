import { startChild } from '../children.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import type { RowLoad } from '../load/generator.ts';
import { alternate, type Compared } from '../measure.ts';
import { underLoad } from '../underLoad.ts';

export const BATCH_ITEMS = 100;
const CLIENTS = 2;

export const batchLoad = ({ apiKey, recipients }: BenchDatabase): RowLoad => ({
  clients: CLIENTS,
  requests: { kind: 'batch', path: '/api/v1/messages/batch', apiKey, recipients, items: BATCH_ITEMS },
});

/** Batches of 100, against the set-based statement alone. Both count pushes. */
export async function compareBatches(
  world: BenchEnvironment,
  ours: { pid: number; port: number },
  mine: BenchDatabase,
  theirs: BenchDatabase,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Compared> {
  const { recipients } = mine;
  const { url, businessId } = theirs;
  const bare = await startChild('limits/bareBatches.ts', { url, businessId, recipients });
  try {
    return await alternate(
      rounds,
      () => underLoad(world, ours, { ...batchLoad(mine), seconds }, BATCH_ITEMS),
      () => bare.call('run', { seconds }),
    );
  } finally {
    await bare.stop();
  }
}
