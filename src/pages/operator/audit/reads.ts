import type { Queryable } from '../../../db/statement.ts';
import { AFTER_EVERY_ID } from '../../../kit/ids.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import {
  auditOfNoShop,
  auditOfShop,
  endOfNoShopAudit,
  endOfPlatformAuditLog,
  endOfShopAudit,
  type PlatformAuditLogEntry,
  platformAuditLog,
} from './sql.ts';

/** Who acts: a person in the dashboard, a program, the command line, a start of the program. */
export const AUDITED_ACTORS = ['member', 'key', 'operator', 'start'] as const;

export interface PlatformAuditLogFilter {
  /** The id of a shop, or `platform` for what belongs to none. */
  business: string | null;
  actor: (typeof AUDITED_ACTORS)[number] | null;
  action: string | null;
}

export const PLATFORM_LOG = 'platform';

export interface PlatformAuditLogPage {
  /** Newest first. */
  items: PlatformAuditLogEntry[];
  next_cursor: string | null;
}

/** Filters by actor and action have no index: one page looks through this many entries at most, and the next one goes on. */
export const AUDIT_SCANNED_MAX = 10_000;

const cursors = pageCursors('whole audit');

/** The log of everything. A cursor that is not ours begins with the newest. */
export async function readPlatformAuditLog(
  db: Queryable,
  filter: PlatformAuditLogFilter,
  cursor: string | null,
  size: number,
  scanned: number = AUDIT_SCANNED_MAX,
): Promise<PlatformAuditLogPage> {
  const before = (cursor === null ? null : cursors.idIn(cursor)) ?? AFTER_EVERY_ID;
  const isFiltered = filter.actor !== null || filter.action !== null;
  const from = isFiltered ? await endOfScan(db, filter.business, before, scanned) : '';
  // One extra row shows whether there is a next page.
  const asked = [filter.actor, filter.action, from, before, size + 1] as const;
  const rows = await entriesOf(db, filter.business, asked);
  const items = rows.slice(0, size);
  const last = items.at(-1);
  if (rows.length > size && last) return { items, next_cursor: cursors.at(last.id) };
  return { items, next_cursor: from === '' ? null : cursors.at(from) };
}

type Asked = readonly [
  actor: string | null,
  action: string | null,
  from: string,
  before: string,
  limit: number,
];

function entriesOf(db: Queryable, business: string | null, asked: Asked): Promise<PlatformAuditLogEntry[]> {
  if (business === null) return platformAuditLog(db, ...asked);
  return business === PLATFORM_LOG ? auditOfNoShop(db, ...asked) : auditOfShop(db, ...asked, business);
}

/** The oldest entry that the page looks at; empty: it looks at all. */
async function endOfScan(
  db: Queryable,
  business: string | null,
  before: string,
  scanned: number,
): Promise<string> {
  const place = [before, scanned - 1] as const;
  const [end] =
    business === null
      ? await endOfPlatformAuditLog(db, ...place)
      : business === PLATFORM_LOG
        ? await endOfNoShopAudit(db, ...place)
        : await endOfShopAudit(db, ...place, business);
  return end?.id ?? '';
}
