import type { Client } from '../db/pool.ts';
import { writeChanges, writeInserts } from './applySql.ts';
import { ChangeRows } from './changeRows.ts';
import { insertRows } from './insertRows.ts';
import type { WriteSet } from './writeSet.ts';

/**
 * Writes all that a list decided, in one statement. Answers how many webhook deliveries were queued. `hasExpired`: whether an
 * answer may take the place of one that has run out.
 */
export async function apply(tx: Client, now: Date, writes: WriteSet, hasExpired: boolean): Promise<number> {
  const inserts = hasExpired ? null : insertRows(now, writes);
  if (inserts !== null) {
    await writeInserts(tx, now, ...inserts);
    return 0;
  }
  const [applied] = await writeChanges(tx, now, ...new ChangeRows(now, writes).parameters());
  return applied?.deliveries ?? 0;
}
