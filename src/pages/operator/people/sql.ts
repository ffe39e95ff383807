import { type Queryable, statement } from '../../../db/statement.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import type { MemberRole } from '../../../members/permissions.ts';
import { type ListPage, PAGE_SIZE, readListPage } from '../../kit/listPage.ts';

export interface ListedPerson {
  id: string;
  email: string;
  operator_since: Date | null;
  created_at: Date;
  /** When one of their sessions was last used; null: they are not signed in. */
  last_seen_at: Date | null;
  /** The first of their shops. */
  shops: { id: string; name: string; role: MemberRole }[];
  shop_count: number;
}

/** As many of a person's shops as a line has room for. */
const SHOPS_SHOWN = 5;

type Member = Omit<ListedPerson, 'shops' | 'shop_count'>;
type ShopsOfMember = Pick<ListedPerson, 'shops' | 'shop_count'> & { member_id: string };

/** Members and shops are two statements, since on a cluster members are copied to every node and shops are on their shards. */
const seen = (members: string): string => `
  select m.id, m.email, m.operator_since, m.created_at,
    (select max(last_seen_at) from dashboard_sessions d where d.member_id = m.id) as last_seen_at
  from (${members}) m`;

const shopsOf = statement<[memberIds: readonly string[]], ShopsOfMember>(`
  select ms.member_id, json_agg(json_build_object('id', b.id, 'name', b.name, 'role', ms.role) order by b.id) as shops,
    count(*)::int as shop_count
  from memberships ms join businesses b on b.id = ms.business_id
  where ms.member_id = any ($1::text[]) group by ms.member_id`);

async function withShops(db: Queryable, members: readonly Member[]): Promise<ListedPerson[]> {
  if (members.length === 0) return [];
  const rows = await shopsOf(
    db,
    members.map(({ id }) => id),
  );
  const byMember = new Map(rows.map((row) => [row.member_id, row]));
  return members.map((member) => {
    const { shops = [], shop_count = 0 } = byMember.get(member.id) ?? {};
    return { ...member, shops: shops.slice(0, SHOPS_SHOWN), shop_count };
  });
}

const newestMembers = statement<[before: string, limit: number], Member>(
  `${seen('select * from members where id < $1 order by id desc limit $2')} order by m.id desc`,
);

const operators = statement<[limit: number], Member>(
  `${seen('select * from members where operator_since is not null order by email limit $1')} order by m.email`,
);

const memberOfAddress = statement<[email: string], Member>(seen('select * from members where email = $1'));

const cursors = pageCursors('people');

export type PeopleList = ListPage<ListedPerson>;

/** Everybody who may sign in, newest first: ids begin with their time. A cursor that is not ours begins with the newest. */
export const readPeople = (db: Queryable, cursor: string | null, size = PAGE_SIZE): Promise<PeopleList> =>
  readListPage(cursors, cursor, size, async (before, limit) =>
    withShops(db, await newestMembers(db, before, limit)),
  );

/** All operators; they are few. */
export const listOperators = async (db: Queryable, limit: number): Promise<ListedPerson[]> =>
  withShops(db, await operators(db, limit));

export const findPerson = async (db: Queryable, email: string): Promise<ListedPerson[]> =>
  withShops(db, await memberOfAddress(db, email));
