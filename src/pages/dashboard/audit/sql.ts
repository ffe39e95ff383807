import { statement } from '../../../db/statement.ts';

export interface AuditEntry {
  id: string;
  at: Date;
  actor: string;
  action: string;
  detail: Record<string, unknown>;
  /** Null: it concerns no single shop. */
  business_id: string | null;
  /** The customer whom it is about. */
  recipient_id: string | null;
}

const SHOPS = 'select business_id, id, actor, action, recipient_id, detail, at from audit_entries';
const NO_SHOP = `
  select null::text as business_id, id, actor, action, null::text as recipient_id, detail, at from platform_audit_entries`;

const PASSES = `($1::text is null or split_part(actor, ':', 1) = $1) and ($2::text is null or action = $2)`;
/** Ids begin with their time, so they are the order of the log. */
const RANGE = 'id >= $3 and id < $4';
const PAGE = 'order by id desc limit $5';
/** The same over all shops, by an index of its own: the log of one shop must not read the entries of all others. */
const BY_TIME = `(id || '')`;
const RANGE_OF_ALL = `${BY_TIME} >= $3 and ${BY_TIME} < $4`;
const PAGE_OF_ALL = `order by ${BY_TIME} desc limit $5`;

type Page = [actor: string | null, action: string | null, from: string, before: string, limit: number];

/** The entries of all shops and of none, each read by an index on the id. */
export const auditOfAll = statement<Page, AuditEntry>(`
  select * from (
    (${SHOPS} where ${RANGE_OF_ALL} and ${PASSES} ${PAGE_OF_ALL}) union all (${NO_SHOP} where ${RANGE} and ${PASSES} ${PAGE})) both_logs
  ${PAGE}`);

export const auditOfShop = statement<[...Page, businessId: string], AuditEntry>(
  `${SHOPS} where business_id = $6 and ${RANGE} and ${PASSES} ${PAGE}`,
);

export const auditOfNoShop = statement<Page, AuditEntry>(`${NO_SHOP} where ${RANGE} and ${PASSES} ${PAGE}`);

const END = 'id < $1 order by id desc offset $2 limit 1';

/** Where a look through this many entries of each log ends; the newer one, so that nothing before it was left out. */
export const endOfAll = statement<[before: string, skipped: number], { id: string | null }>(`
  select max(id) as id from (
    (select id from audit_entries where ${BY_TIME} < $1 order by ${BY_TIME} desc offset $2 limit 1) union all (select id from platform_audit_entries where ${END})) ends`);

export const endOfShop = statement<[before: string, skipped: number, businessId: string], { id: string }>(`
  select id from audit_entries where business_id = $3 and ${END}`);

export const endOfNoShop = statement<[before: string, skipped: number], { id: string }>(`
  select id from platform_audit_entries where ${END}`);

/** Who and what an entry of a shop names, as its members may see it. */
export interface ShopAuditNames {
  id: string;
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

export const namesInShop = statement<[businessId: string, entryIds: readonly string[]], ShopAuditNames>(`
  select e.id, r.email as recipient_email, k.name as key_name, m.email as member_email,
    coalesce(o.is_operator, false) as is_operator, a.email as about_email
  from audit_entries e
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
  where e.business_id = $1 and e.id = any ($2::text[])`);

/** For operators, who may see every name. Two statements, since on a cluster members are not beside every shop. */
export const namesOfShops = statement<[ids: readonly string[]], { id: string; name: string }>(`
  select id, name from businesses where id = any ($1::text[])`);

export const addressesOfMembers = statement<[ids: readonly string[]], { id: string; name: string }>(`
  select id, email as name from members where id = any ($1::text[])`);
