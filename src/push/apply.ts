import type { Client } from '../db/pool.ts';
import { addedRows } from './addedRows.ts';
import { applyAdded, applyList } from './applySql.ts';
import { Rows } from './rows.ts';
import type { Written } from './written.ts';

/**
 * Writes all that a list decided, in one statement. Answers how many webhook deliveries were queued. `outdated`: whether an
 * answer may take the place of one that has run out.
 */
export async function apply(tx: Client, now: Date, written: Written, outdated: boolean): Promise<number> {
  const added = outdated ? null : addedRows(now, written);
  if (added !== null) {
    await applyAdded(tx, now, ...added);
    return 0;
  }
  const [applied] = await applyList(tx, now, ...new Rows(now, written).parameters());
  return applied?.deliveries ?? 0;
}
