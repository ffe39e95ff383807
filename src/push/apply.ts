import type { Client } from '../db/pool.ts';
import { applyAdded, applyList } from './applySql.ts';
import type { Rows } from './rows.ts';

/** Writes all that a list decided, in one statement. Answers how many webhook deliveries were queued. */
export async function apply(tx: Client, now: Date, rows: Rows): Promise<number> {
  const added = rows.added();
  if (added !== null) {
    await applyAdded(tx, now, ...added);
    return 0;
  }
  const [applied] = await applyList(tx, now, ...rows.parameters());
  return applied?.deliveries ?? 0;
}
