import type { FinalWrites } from '../db/transaction.ts';
import { writeGroupChanges, writeGroupInserts } from './applySql.ts';
import { ChangeRows } from './changeRows.ts';
import { insertRows } from './insertRows.ts';
import type { WriteSet } from './writeSet.ts';

/**
 * Writes all that a list decided, in one statement. Answers how many webhook deliveries were queued. `hasExpired`: whether an
 * answer may take the place of one that has run out.
 */
export function apply(now: Date, writes: WriteSet, hasExpired: boolean): FinalWrites<number> {
  const inserts = hasExpired ? null : insertRows(now, writes);
  if (inserts !== null)
    return (send) => {
      send(writeGroupInserts, now, ...inserts);
      return () => 0;
    };
  const changes = new ChangeRows(now, writes).parameters();
  return (send) => {
    const applied = send(writeGroupChanges, now, ...changes);
    return () => applied()[0]?.deliveries ?? 0;
  };
}
