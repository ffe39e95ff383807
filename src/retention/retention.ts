import { eachShard } from '../db/eachShard.ts';
import type { Pool } from '../db/pool.ts';
import { preferIndexes } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, DAY, earlier, HOUR, MINUTE, pause } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, startLoop } from '../kit/loop.ts';
import { dayOf } from '../usage/counters.ts';
import { foldCounts } from '../usage/foldSql.ts';
import { type Deleted, type Deletion, rules } from './sql.ts';

interface RetentionDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  /** For the metrics. */
  onDeleted?: (table: string, rows: number) => void;
}

/** A batch takes some milliseconds, and no other work waits for its locks. */
const BATCH = 1_000;
/** Usage counters of yesterday and today are still being written. Folding older ones removes no count. */
const UNFOLDED_MS = DAY;
/** Between two batches while there is more to delete, so that other statements get through. */
const PAUSE_MS = 100;
const POLL_MS = MINUTE;
/** The sandbox clock does not wait for deletions when it is moved less than this. */
const SETTLED_WITHIN_MS = HOUR;

/**
 * Deletes expired rows in small batches. Any number of processes may run it at once. The sandbox clock waits for it after a
 * move of an hour or more, but never stops on the way for a deletion, since no other work depends on one.
 */
export function startRetention({ pool, clock, log, onDeleted = () => {} }: RetentionDeps): Loop {
  let ranAt = Number.NEGATIVE_INFINITY;

  /** One batch per rule; returns whether there may be more. */
  const deleteBatches = async (now: Date): Promise<boolean> => {
    let more = false;
    for (const { keptMs, deletion } of rules) {
      const deleted = await deleteBatch(pool, deletion, earlier(now, keptMs));
      for (const { table, deleted: rows } of deleted) if (rows > 0) onDeleted(table, rows);
      more ||= deleted.some(({ deleted: rows }) => rows >= BATCH);
    }
    return (await foldCounts(pool, dayOf(earlier(now, UNFOLDED_MS)), BATCH)) >= BATCH || more;
  };

  const loop = startLoop({
    name: 'retention',
    clock,
    log,
    pollMs: POLL_MS,
    busy: () => 0,
    nextDue: async () => null,
    settled: async (now) => now.getTime() - ranAt < SETTLED_WITHIN_MS,
    async step() {
      const now = clock.now();
      const more = await deleteBatches(now);
      if (more) await pause(PAUSE_MS);
      else ranAt = now.getTime();
      return more;
    },
  });
  return {
    ...loop,
    async drain() {
      if (!(await loop.settled())) await loop.drain();
    },
  };
}

async function deleteBatch(pool: Pool, { findBusinesses, remove }: Deletion, before: Date) {
  const removeOf = (businessIds: readonly string[]): Promise<Deleted[]> =>
    transaction(pool, async (tx) => {
      await preferIndexes(tx);
      return remove(tx, before, BATCH, businessIds);
    });
  if (findBusinesses === null) return removeOf([]);
  const ids = (await findBusinesses(pool, before, BATCH)).map(({ business_id }) => business_id);
  if (ids.length === 0) return [];
  return (await eachShard(pool, ids, (id) => id, removeOf)).flat();
}
