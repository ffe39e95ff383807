import { isUnavailable, SilentShard } from '../errors.ts';
import { type Client, isOnCluster, shardsOf } from '../pool.ts';
import { isSharded } from './tables.ts';

/*
 * Before Citus moves a shard it waits for the transactions that have written to it, and not for those that have only locked rows there.
 * Their locks would stay behind on the old worker: two transactions could change one row, and the second would undo the first. So a
 * transaction holds its shard from its first statement on.
 */

/** The mode 5 is `share`, which a write takes as well: transactions do not wait for each other. */
const HOLD = {
  name: 'hold shards',
  text: `select lock_shard_metadata(5, array(
    select get_shard_id_for_distribution_column('businesses', id) from unnest($1::text[]) id))`,
};

interface Sent {
  text: string;
  values: readonly unknown[];
}
type Sender = { query(statement: { name: string; text: string; values: unknown[] }): Promise<unknown> };

/** The shards that a transaction holds; nothing for what is no transaction on a cluster. */
const heldBy = new WeakMap<object, Set<number>>();

export const beginHolding = (tx: Client): void => {
  if (isOnCluster(tx)) heldBy.set(tx, new Set());
};

/** Sends what holds the shards of these statements, unless the transaction holds them already. */
export function holdShards(tx: Sender, statements: readonly Sent[]): Promise<unknown>[] {
  const [held, shards] = [heldBy.get(tx), shardsOf(tx)];
  if (held === undefined) return [];
  const others = statements.flatMap(businessesIn).filter((id) => {
    const isNew = !held.has(shards.of(id));
    held.add(shards.of(id));
    return isNew;
  });
  return others.length === 0 ? [] : [tx.query({ ...HOLD, values: [others] })];
}

/** Throws if one of these statements needs a shard that is silent, or all of them. */
export function refuseSilentShards(db: object, statements: readonly Sent[]): void {
  const shards = shardsOf(db);
  if (shards.silent.size === 0) return;
  const isRefused = (statement: Sent): boolean => {
    const businesses = businessesIn(statement);
    return businesses.length === 0
      ? isSharded(statement.text)
      : businesses.some((id) => shards.silent.has(shards.of(id)));
  };
  if (statements.some(isRefused)) throw new SilentShard();
}

/** A worker that is down fails a statement at once, and would fail the next ones: it is asked like one that hangs. */
export function suspectShards(db: object, error: unknown): void {
  const shards = shardsOf(db);
  if (shards.count > 1 && isUnavailable(error)) shards.areSuspect = true;
}

const BUSINESS = /\b(?:business_id|businesses where id|businesses\.id) = (?:any \()?\$(\d+)/;

/** The businesses that a statement names; none if it only inserts, which holds the shard by itself. */
function businessesIn({ text, values }: Sent): string[] {
  const value = values[Number(BUSINESS.exec(text)?.[1]) - 1];
  return Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
}
