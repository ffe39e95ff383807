import type { Client } from '../db/pool.ts';
import { applyAdded, applyList } from './applySql.ts';
import type { Rows } from './rows.ts';

/**
 * Writes all that a list decided, in one statement. Answers how many webhook deliveries were queued. `outdated`: whether an
 * answer may take the place of one that has run out.
 */
export async function apply(tx: Client, now: Date, rows: Rows, outdated: boolean): Promise<number> {
  const added = outdated ? null : rows.added();
  if (added !== null) {
    await applyAdded(tx, now, ...added);
    return 0;
  }
  const [applied] = await applyList(tx, now, ...rows.parameters());
  return applied?.deliveries ?? 0;
}
