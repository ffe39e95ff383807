import { shippedBinaries } from './binaries.ts';
import { holdsData } from './location.ts';

/** Whether a start has made a database in `dataDir`. Throws if none has and none could, which is the mistake then. */
export function hasEmbedded(dataDir: string): boolean {
  if (holdsData(dataDir)) return true;
  shippedBinaries();
  return false;
}
