import { statement } from '../../../db/statement.ts';

interface Changer {
  order_status: string;
  /** The key that changed it; null: none did, or it is gone. */
  key_name: string | null;
  /** The member who changed it, while they belong to the shop. */
  member_email: string | null;
  /** Whether a member changed it who has every shop. */
  is_operator: boolean;
}

/** Who changed the shop's own texts of a language. */
export const changersOfTexts = statement<[businessId: string, language: string], Changer>(`
  select t.order_status, k.name as key_name, m.email as member_email, coalesce(o.is_operator, false) as is_operator
  from business_texts t
  left join lateral (
    select name from api_keys where business_id = $1 and t.changed_by = 'key:' || id
      and id = split_part(t.changed_by, ':', 2) offset 0) k on true
  left join lateral (
    select m.email from memberships s join members m on m.id = s.member_id
    where s.business_id = $1 and s.member_id = split_part(t.changed_by, ':', 2) and t.changed_by like 'member:%'
    offset 0) m on true
  left join lateral (
    select true as is_operator from members
    where id = split_part(t.changed_by, ':', 2) and t.changed_by like 'member:%' and operator_since is not null
    offset 0) o on true
  where t.business_id = $1 and t.language = $2`);
