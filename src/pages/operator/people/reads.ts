import type { Queryable } from '../../../db/statement.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import { type ListPage, readListPage } from '../../kit/listPage.ts';
import { type ListedPerson, listPeople } from './sql.ts';

const cursors = pageCursors('people');

export type PeopleList = ListPage<ListedPerson>;

/** Everybody who may sign in, newest first. A cursor that is not ours begins with the newest. */
export const readPeople = (db: Queryable, cursor: string | null, size: number): Promise<PeopleList> =>
  readListPage(cursors, cursor, size, (before, limit) => listPeople(db, before, limit));
