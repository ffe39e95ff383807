import { statement } from '../../db/statement.ts';

export interface WholeAuditEntry {
  id: string;
  at: Date;
  actor: string;
  action: string;
  detail: Record<string, unknown>;
  /** Null: it concerns no single shop. */
  business_id: string | null;
  business_name: string | null;
  /** Of the member who acted; null: no member did, or they are gone. */
  member_email: string | null;
  /** The customer whom it is about, by id. */
  recipient_id: string | null;
}

const SHOPS = 'select business_id, id, actor, action, recipient_id, detail, at from audit_entries';
const PLATFORM = `
  select null::text as business_id, id, actor, action, null::text as recipient_id, detail, at from platform_audit_entries`;

const PASSES = `($1::text is null or split_part(actor, ':', 1) = $1) and ($2::text is null or action = $2)`;
/** Ids begin with their time, so they are the order of the log. */
const RANGE = 'id >= $3 and id < $4';
const PAGE = 'order by id desc limit $5';
/** The same over all shops, by an index of its own: the log of one shop must not read the entries of all others. */
const BY_TIME = `(id || '')`;
const RANGE_OF_ALL = `${BY_TIME} >= $3 and ${BY_TIME} < $4`;
const PAGE_OF_ALL = `order by ${BY_TIME} desc limit $5`;

type Asked = [kind: string | null, action: string | null, from: string, before: string, limit: number];

/** Only the rows of the page are joined. */
const withNames = (entries: string): string => `
  select e.*, b.name as business_name, m.email as member_email
  from (${entries}) e
  left join lateral (select name from businesses where id = e.business_id offset 0) b on true
  left join lateral (
    select email from members where id = split_part(e.actor, ':', 2) and e.actor like 'member:%' offset 0) m on true
  order by e.id desc`;

/** The entries of all shops and of none, each read by an index on the id. */
export const wholeAudit = statement<Asked, WholeAuditEntry>(
  withNames(`
    select * from (
      (${SHOPS} where ${RANGE_OF_ALL} and ${PASSES} ${PAGE_OF_ALL}) union all (${PLATFORM} where ${RANGE} and ${PASSES} ${PAGE})) both_logs
    ${PAGE}`),
);

export const auditOfShop = statement<[...Asked, businessId: string], WholeAuditEntry>(
  withNames(`${SHOPS} where business_id = $6 and ${RANGE} and ${PASSES} ${PAGE}`),
);

export const auditOfPlatform = statement<Asked, WholeAuditEntry>(
  withNames(`${PLATFORM} where ${RANGE} and ${PASSES} ${PAGE}`),
);

const END = 'id < $1 order by id desc offset $2 limit 1';

/** Where a look through this many entries of each log ends; the newer one, so that nothing before it was left out. */
export const endOfWholeAudit = statement<[before: string, skipped: number], { id: string | null }>(`
  select max(id) as id from (
    (select id from audit_entries where ${BY_TIME} < $1 order by ${BY_TIME} desc offset $2 limit 1) union all (select id from platform_audit_entries where ${END})) ends`);

export const endOfShopAudit = statement<
  [before: string, skipped: number, businessId: string],
  { id: string | null }
>(`
  select id from audit_entries where business_id = $3 and ${END}`);

export const endOfPlatformAudit = statement<[before: string, skipped: number], { id: string | null }>(`
  select id from platform_audit_entries where ${END}`);
