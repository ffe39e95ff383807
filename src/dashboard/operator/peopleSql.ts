import { statement } from '../../db/statement.ts';
import type { MemberRole } from '../permissions.ts';

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

const withShops = (members: string): string => `
  select m.id, m.email, m.operator_since, m.created_at,
    (select max(last_seen_at) from dashboard_sessions d where d.member_id = m.id) as last_seen_at,
    coalesce((
      select json_agg(json_build_object('id', s.id, 'name', s.name, 'role', s.role) order by s.id) from (
        select b.id, b.name, ms.role from memberships ms join businesses b on b.id = ms.business_id
        where ms.member_id = m.id order by ms.business_id limit ${SHOPS_SHOWN}) s), '[]') as shops,
    (select count(*)::int from memberships ms where ms.member_id = m.id) as shop_count
  from (${members}) m`;

/** The newest members before an id: ids begin with their time. */
export const listPeople = statement<[before: string, limit: number], ListedPerson>(
  `${withShops('select * from members where id < $1 order by id desc limit $2')} order by m.id desc`,
);

/** All operators; they are few. */
export const listOperators = statement<[limit: number], ListedPerson>(
  `${withShops('select * from members where operator_since is not null order by email limit $1')} order by m.email`,
);

export const findPerson = statement<[email: string], ListedPerson>(
  withShops('select * from members where email = $1'),
);
