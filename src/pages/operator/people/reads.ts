import type { Queryable } from '../../../db/statement.ts';
import { AFTER_EVERY_ID } from '../../../kit/ids.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import { type ListedPerson, listPeople } from './sql.ts';

const cursors = pageCursors('people');

export interface PeopleList {
  items: ListedPerson[];
  next_cursor: string | null;
}

/** Everybody who may sign in, newest first. A cursor that is not ours begins with the newest. */
export async function readPeople(db: Queryable, cursor: string | null, size: number): Promise<PeopleList> {
  const before = cursor === null ? null : cursors.idIn(cursor);
  // One extra row shows whether there is a next page.
  const rows = await listPeople(db, before ?? AFTER_EVERY_ID, size + 1);
  const items = rows.slice(0, size);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > size && last ? cursors.at(last.id) : null };
}
