import { groupBy } from '../kit/groupBy.ts';
import { isUnavailable, SilentShard } from './errors.ts';
import { type Pool, shardsOf } from './pool.ts';

type WorkByShard<Item, Result> = [
  pool: Pool,
  items: readonly Item[],
  businessOf: (item: Item) => string,
  work: (items: readonly Item[]) => Promise<Result>,
];

/**
 * Runs `work` for the items of each shard, so that each commits alone: a transaction across shards would need two phases, and the
 * trouble of one would be everybody's. All parts but those that do not answer are tried before an error of one is thrown.
 */
export async function eachShard<Item, Result>(...parts: WorkByShard<Item, Result>): Promise<Result[]> {
  const results = await settleEach(...parts);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/**
 * The same for claims, without the parts that cannot be reached: what the others claimed must not be forgotten. Throws if none
 * could be reached, or if something else went wrong.
 */
export async function eachReachable<Item, Result>(...parts: WorkByShard<Item, Result>): Promise<Result[]> {
  const results = await settleEach(...parts);
  const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  for (const result of results)
    if (result.status === 'rejected' && (done.length === 0 || !isUnavailable(result.reason)))
      throw result.reason;
  return done;
}

function settleEach<Item, Result>(
  ...[pool, items, businessOf, work]: WorkByShard<Item, Result>
): Promise<PromiseSettledResult<Result>[]> {
  const shards = shardsOf(pool);
  const parts = groupBy(items, (item) => shards.of(businessOf(item)));
  return Promise.allSettled(
    Array.from(parts, async ([shard, part]) => {
      if (shards.silent.has(shard)) throw new SilentShard();
      return work(part);
    }),
  );
}
