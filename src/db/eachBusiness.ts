import { groupBy } from '../kit/groupBy.ts';
import { isOnCluster, type Pool } from './pool.ts';

/**
 * Runs `work` once for all items. On a cluster it runs for the items of each business, so that each commits alone: a transaction
 * across shards would need two phases, and one business's trouble would be everybody's. All parts are tried before an error
 * of one is thrown.
 */
export async function eachBusiness<Item, Result>(
  pool: Pool,
  items: readonly Item[],
  businessOf: (item: Item) => string,
  work: (items: readonly Item[]) => Promise<Result>,
): Promise<Result[]> {
  const parts = isOnCluster(pool) ? [...groupBy(items, businessOf).values()] : [items];
  const results = await Promise.allSettled(parts.map((part) => work(part)));
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
