import { groupBy } from '../kit/groupBy.ts';
import { type Pool, shardsOf } from './pool.ts';

/**
 * Runs `work` once for all items. On a cluster it runs for the items of each shard, so that each commits alone: a transaction
 * across shards would need two phases, and one worker's trouble would be everybody's. All parts are tried before an error
 * of one is thrown.
 */
export async function eachShard<Item, Result>(
  pool: Pool,
  items: readonly Item[],
  businessOf: (item: Item) => string,
  work: (items: readonly Item[]) => Promise<Result>,
): Promise<Result[]> {
  const shards = shardsOf(pool);
  const parts = shards ? [...groupBy(items, (item) => shards.of(businessOf(item))).values()] : [items];
  const results = await Promise.allSettled(parts.map((part) => work(part)));
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
