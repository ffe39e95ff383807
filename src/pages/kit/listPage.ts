import { AFTER_EVERY_ID } from '../../kit/ids.ts';
import type { PageCursors } from '../../kit/pageCursor.ts';

/** The rows of a list that a page shows. */
export const PAGE_SIZE = 25;

/** A page of a list, newest first. */
export interface ListPage<Row> {
  items: Row[];
  next_cursor: string | null;
}

/** Reads a page from its cursor on. A cursor that is not the list's begins with the newest. */
export async function readListPage<Row extends { id: string }>(
  cursors: PageCursors,
  cursor: string | null,
  size: number,
  rowsBefore: (before: string, limit: number) => Promise<Row[]>,
): Promise<ListPage<Row>> {
  const before = (cursor === null ? null : cursors.idIn(cursor)) ?? AFTER_EVERY_ID;
  // One extra row shows whether there is a next page.
  const rows = await rowsBefore(before, size + 1);
  const items = rows.slice(0, size);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > size && last ? cursors.at(last.id) : null };
}
