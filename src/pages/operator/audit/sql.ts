import { type Queryable, statement } from '../../../db/statement.ts';

export interface PlatformAuditLogEntry {
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

type Entry = Omit<PlatformAuditLogEntry, 'business_name' | 'member_email'>;

/** The entries of all shops and of none, each read by an index on the id. */
const entriesOfAll = statement<Asked, Entry>(`
    select * from (
      (${SHOPS} where ${RANGE_OF_ALL} and ${PASSES} ${PAGE_OF_ALL}) union all (${PLATFORM} where ${RANGE} and ${PASSES} ${PAGE})) both_logs
    ${PAGE}`);

const entriesOfShop = statement<[...Asked, businessId: string], Entry>(
  `${SHOPS} where business_id = $6 and ${RANGE} and ${PASSES} ${PAGE}`,
);

const entriesOfPlatform = statement<Asked, Entry>(`${PLATFORM} where ${RANGE} and ${PASSES} ${PAGE}`);

const namesOfShops = statement<[ids: readonly string[]], { id: string; name: string }>(`
  select id, name from businesses where id = any ($1::text[])`);

const addressesOfMembers = statement<[ids: readonly string[]], { id: string; email: string }>(`
  select id, email from members where id = any ($1::text[])`);

const memberIn = ({ actor }: Entry): string | null =>
  actor.startsWith('member:') ? (actor.split(':')[1] ?? null) : null;

/** Only for the entries of the page. Statements of their own, since on a cluster the logs are not beside every shop. */
async function withNames(db: Queryable, entries: readonly Entry[]): Promise<PlatformAuditLogEntry[]> {
  if (entries.length === 0) return [];
  const [shops, members] = await Promise.all([
    namesOfShops(db, [...new Set(entries.flatMap(({ business_id }) => business_id ?? []))]),
    addressesOfMembers(db, [...new Set(entries.flatMap((entry) => memberIn(entry) ?? []))]),
  ]);
  const nameOf = new Map(shops.map(({ id, name }) => [id, name]));
  const addressOf = new Map(members.map(({ id, email }) => [id, email]));
  return entries.map((entry) => ({
    ...entry,
    business_name: nameOf.get(entry.business_id ?? '') ?? null,
    member_email: addressOf.get(memberIn(entry) ?? '') ?? null,
  }));
}

export const platformAuditLog = async (db: Queryable, ...asked: Asked): Promise<PlatformAuditLogEntry[]> =>
  withNames(db, await entriesOfAll(db, ...asked));

export const auditOfShop = async (
  db: Queryable,
  ...asked: [...Asked, businessId: string]
): Promise<PlatformAuditLogEntry[]> => withNames(db, await entriesOfShop(db, ...asked));

export const auditOfNoShop = async (db: Queryable, ...asked: Asked): Promise<PlatformAuditLogEntry[]> =>
  withNames(db, await entriesOfPlatform(db, ...asked));

const END = 'id < $1 order by id desc offset $2 limit 1';

/** Where a look through this many entries of each log ends; the newer one, so that nothing before it was left out. */
export const endOfPlatformAuditLog = statement<[before: string, skipped: number], { id: string | null }>(`
  select max(id) as id from (
    (select id from audit_entries where ${BY_TIME} < $1 order by ${BY_TIME} desc offset $2 limit 1) union all (select id from platform_audit_entries where ${END})) ends`);

export const endOfShopAudit = statement<
  [before: string, skipped: number, businessId: string],
  { id: string | null }
>(`
  select id from audit_entries where business_id = $3 and ${END}`);

export const endOfNoShopAudit = statement<[before: string, skipped: number], { id: string | null }>(`
  select id from platform_audit_entries where ${END}`);
