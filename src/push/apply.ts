import type { FinalWrites } from '../db/transaction.ts';
import { writeGroupChanges, writeGroupInserts } from './applySql.ts';
import { ChangeRows } from './changeRows.ts';
import { insertRows } from './insertRows.ts';
import type { WriteSet } from './writeSet.ts';

/**
 * Writes the decisions of a group in one statement. Returns the number of webhook deliveries queued. `hasExpired`: whether
 * a response may overwrite an expired one.
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
    return () => applied()[0]?.counted ?? 0;
  };
}
