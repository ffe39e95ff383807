import type { Queryable } from '../../../db/statement.ts';
import { AFTER_EVERY_ID } from '../../../kit/ids.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import {
  type AuditEntry,
  addressesOfMembers,
  auditOfAll,
  auditOfNoShop,
  auditOfShop,
  endOfAll,
  endOfNoShop,
  endOfShop,
  namesInShop,
  namesOfShops,
} from './sql.ts';

/** Who acts: a person in the dashboard, a program, the command line, a start of the program. */
export const AUDITED_ACTORS = ['member', 'key', 'operator', 'start'] as const;
export type AuditedActor = (typeof AUDITED_ACTORS)[number];

export interface AuditFilter {
  /** The id of a shop, or `platform` for what belongs to none; null: everything. */
  business: string | null;
  actor: AuditedActor | null;
  action: string | null;
}

export const PLATFORM_LOG = 'platform';

const PAGE_SIZE = 50;
/** Filters by actor and action have no index: one page looks through this many entries at most, and the next one goes on. */
export const AUDIT_SCANNED_MAX = 10_000;
const cursors = pageCursors('audit log');

/** The log of a shop, of what belongs to none, or of everything. A cursor that is not ours begins with the newest. */
export async function readAuditLog(
  db: Queryable,
  { business, actor, action }: AuditFilter,
  cursor: string | null,
  { size = PAGE_SIZE, scanned = AUDIT_SCANNED_MAX }: { size?: number; scanned?: number } = {},
) {
  const { readPage, findEnd } = statementsOf(business);
  const before = (cursor === null ? null : cursors.idIn(cursor)) ?? AFTER_EVERY_ID;
  const isFiltered = actor !== null || action !== null;
  const [end] = isFiltered ? await findEnd(db, before, scanned - 1) : [];
  // The oldest entry that the page looks at; empty: it looks at all.
  const from = end?.id ?? '';
  // One extra row shows whether there is a next page.
  const rows = await readPage(db, actor, action, from, before, size + 1);
  const items = rows.slice(0, size);
  const last = items.at(-1);
  if (rows.length > size && last) return { items, next_cursor: cursors.at(last.id), isCut: false };
  // There may be more although this page is not full: it looked through as many entries as one page may.
  return { items, next_cursor: from === '' ? null : cursors.at(from), isCut: from !== '' };
}

export type AuditPage = Awaited<ReturnType<typeof readAuditLog>>;

/** Those that read a page of a log, and that find where a look through it ends. */
function statementsOf(business: string | null): { readPage: typeof auditOfAll; findEnd: typeof endOfAll } {
  if (business === null) return { readPage: auditOfAll, findEnd: endOfAll };
  if (business === PLATFORM_LOG) return { readPage: auditOfNoShop, findEnd: endOfNoShop };
  return {
    readPage: (db, ...page) => auditOfShop(db, ...page, business),
    findEnd: (db, ...place) => endOfShop(db, ...place, business),
  };
}

/** What the entries of a shop name, by their ids. */
export async function readShopAuditNames(db: Queryable, businessId: string, entries: readonly AuditEntry[]) {
  const ids = entries.map(({ id }) => id);
  const rows = await namesInShop(db, businessId, ids);
  return new Map(rows.map((row) => [row.id, row]));
}

export const memberIn = ({ actor }: AuditEntry): string | null =>
  actor.startsWith('member:') ? actor.slice('member:'.length) : null;

/** The names of shops and the addresses of members that entries name, by their ids. */
export async function readPlatformAuditNames(db: Queryable, entries: readonly AuditEntry[]) {
  const rows = await Promise.all([
    namesOfShops(db, [...new Set(entries.flatMap(({ business_id }) => business_id ?? []))]),
    addressesOfMembers(db, [...new Set(entries.flatMap((entry) => memberIn(entry) ?? []))]),
  ]);
  return new Map(rows.flat().map(({ id, name }) => [id, name]));
}
