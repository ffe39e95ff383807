import { statement } from '../../../db/statement.ts';

export interface AuditRow {
  id: string;
  at: Date;
  actor: string;
  action: string;
  detail: Record<string, unknown>;
  recipient_id: string | null;
  /** Null: the entry is about no customer, or they were erased. */
  recipient_email: string | null;
  /** The key that acted; null: none did, or it is gone. */
  key_name: string | null;
  /** The member who acted, while they belong to the shop. */
  member_email: string | null;
  /** Whether a member acted who has every shop. */
  is_operator: boolean;
  /** The member whom it is about, while they belong to the shop. */
  about_email: string | null;
}

/**
 * Looks through at most `scanned` entries, so that a rare action takes no longer in a long log: the primary key has entries in
 * the order of time. Only the rows of the page are joined.
 */
export const listAudit = statement<
  [
    businessId: string,
    before: string,
    scanned: number,
    kind: string | null,
    action: string | null,
    limit: number,
  ],
  AuditRow
>(`
  select e.id, e.at, e.actor, e.action, e.detail, e.recipient_id, r.email as recipient_email, k.name as key_name,
    m.email as member_email, coalesce(o.is_operator, false) as is_operator, a.email as about_email
  from (
    select * from (
      select * from audit_entries where business_id = $1 and id < $2 order by id desc limit $3) scanned
    where ($4::text is null or split_part(actor, ':', 1) = $4) and ($5::text is null or action = $5)
    order by id desc limit $6) e
  left join lateral (
    select email from recipients where business_id = $1 and id = e.recipient_id offset 0) r on true
  left join lateral (
    select name from api_keys where business_id = $1 and e.actor = 'key:' || id
      and id = split_part(e.actor, ':', 2) offset 0) k on true
  left join lateral (
    select m.email from memberships s join members m on m.id = s.member_id
    where s.business_id = $1 and s.member_id = split_part(e.actor, ':', 2) and e.actor like 'member:%'
    offset 0) m on true
  left join lateral (
    select true as is_operator from members
    where id = split_part(e.actor, ':', 2) and e.actor like 'member:%' and operator_since is not null offset 0) o on true
  left join lateral (
    select m.email from memberships s join members m on m.id = s.member_id
    where s.business_id = $1 and s.member_id = e.detail->>'member_id' offset 0) a on true
  order by e.id desc`);

/** Where a look through so many entries ended; no row: there are fewer. */
export const endOfAuditScan = statement<
  [businessId: string, before: string, skipped: number],
  { id: string }
>(`
  select id from audit_entries where business_id = $1 and id < $2 order by id desc offset $3 limit 1`);
