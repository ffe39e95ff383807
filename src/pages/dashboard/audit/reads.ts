import type { Queryable } from '../../../db/statement.ts';
import { AFTER_EVERY_ID } from '../../../kit/ids.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import { type AuditRow, endOfAuditScan, listAudit } from './sql.ts';

/** Where an act came from: the dashboard, the API, the operator's command line. */
export const actorKinds = ['member', 'key', 'operator'] as const;
export type ActorKind = (typeof actorKinds)[number];

export interface AuditFilter {
  kind: ActorKind | null;
  action: string | null;
}

export interface AuditPage {
  items: AuditRow[];
  next_cursor: string | null;
  /** Whether there may be more although this page is not full: it looked through as many entries as one page may. */
  isCut: boolean;
}

const PAGE_SIZE = 50;
/** More entries than a page has, so that a filter finds what is rare in few pages; few enough to take milliseconds. */
const SCANNED = 5_000;
const cursors = pageCursors('audit log');

/** Newest first. A cursor that is not ours begins with the newest. */
export async function readAudit(
  db: Queryable,
  businessId: string,
  { kind, action }: AuditFilter,
  cursor: string | null,
  { size = PAGE_SIZE, scanned = SCANNED }: { size?: number; scanned?: number } = {},
): Promise<AuditPage> {
  const before = (cursor === null ? null : cursors.idIn(cursor)) ?? AFTER_EVERY_ID;
  // One extra row shows whether there is a next page.
  const rows = await listAudit(db, businessId, before, scanned, kind, action, size + 1);
  const items = rows.slice(0, size);
  const last = items.at(-1);
  if (rows.length > size && last) return { items, next_cursor: cursors.at(last.id), isCut: false };
  const [end] = await endOfAuditScan(db, businessId, before, scanned - 1);
  return { items, next_cursor: end ? cursors.at(end.id) : null, isCut: end !== undefined };
}
