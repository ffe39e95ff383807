import { statementOfBusinesses } from '../db/perBusiness.ts';
import { type Queryable, statement } from '../db/statement.ts';
import { unreadCount } from '../recipients/repliesSql.ts';
import type { MemberRole } from './permissions.ts';

export interface MemberRow {
  id: string;
  email: string;
}

/** The member of an address, made if there is none. Locked, so that a removal at the same moment waits. */
export const ensureMember = statement<[id: string, email: string, now: Date], MemberRow>(`
  insert into members (id, email, created_at) values ($1, $2, $3)
  on conflict (email) do update set email = excluded.email
  returning id, email`);

interface LockedMember extends MemberRow {
  operator: boolean;
  /** An operator in sessions that began at the issuer, and in no other. */
  operator_by_claim: boolean;
  oidc_issuer: string | null;
  oidc_subject: string | null;
}

/**
 * An update instead of `for update`: after one, Citus reads the member's shops over one connection per node. Once it has read
 * them over several, it refuses to change or delete the member.
 */
export const lockMember = statement<[email: string], LockedMember>(`
  update members set email = email where email = $1
  returning id, email, operator_since is not null as operator, operator_by_claim, oidc_issuer, oidc_subject`);

export const setMembership = statement<[businessId: string, memberId: string, role: MemberRole, now: Date]>(`
  insert into memberships (business_id, member_id, role, created_at) values ($1, $2, $3, $4)
  on conflict (business_id, member_id) do update set role = excluded.role`);

export const findMembership = statement<[businessId: string, memberId: string], { role: MemberRole }>(`
  select role from memberships where business_id = $1 and member_id = $2`);

/** Locked, so that of two owners who leave at once the second one sees that nobody else is left. */
export const lockOwners = statement<[businessId: string], { member_id: string }>(`
  select member_id from memberships where business_id = $1 and role = 'owner' order by member_id for update`);

export const countMembersOf = statement<[businessId: string], { count: number }>(`
  select count(*)::int as count from memberships where business_id = $1`);

/** Returns no row if the member is an operator already. An operator by claim stays one without the claim. */
export const makeOperator = statement<[memberId: string, now: Date], { id: string }>(`
  update members set operator_since = coalesce(operator_since, $2), operator_by_claim = false
  where id = $1 and (operator_since is null or operator_by_claim) returning id`);

export const endOperator = statement<[memberId: string]>(`
  update members set operator_since = null, operator_by_claim = false where id = $1`);

export const deleteMembership = statement<[businessId: string, memberId: string], { role: MemberRole }>(`
  delete from memberships where business_id = $1 and member_id = $2 returning role`);

/** The oldest of a member's shops; null: they belong to none. On every shard, since a member is beside no shop. */
export const firstShopOf = statement<[memberId: string], { business_id: string | null }>(`
  select min(business_id) as business_id from memberships where member_id = $1`);

/** The shop whose pages a member used last. */
export const lastUsedShopOf = statement<[memberId: string], { business_id: string }>(`
  select business_id from memberships where member_id = $1
  order by last_seen_at desc nulls last, business_id limit 1`);

const deleteMember = statement<[memberId: string]>(`
  delete from members where id = $1 and operator_since is null`);

/** Removes the member's row, with its sessions, links and passkeys, if it belongs to no shop any more. The caller has locked the row. */
export async function deleteMemberWithoutShop(tx: Queryable, memberId: string): Promise<void> {
  const [shop] = await firstShopOf(tx, memberId);
  if (shop?.business_id == null) await deleteMember(tx, memberId);
}

export const endSessionsOf = statement<[memberId: string]>(`
  delete from dashboard_sessions where member_id = $1`);

export const deleteLinksOf = statement<[memberId: string]>(`delete from sign_in_links where member_id = $1`);

export interface ListedMember {
  id: string;
  email: string;
  role: MemberRole;
  since: Date;
  /** When they last used a page of this shop; null: not yet. */
  last_seen_at: Date | null;
}

export const listMembersOf = statement<[businessId: string], ListedMember>(`
  select m.id, m.email, s.role, s.created_at as since, s.last_seen_at
  from memberships s join members m on m.id = s.member_id
  where s.business_id = $1 order by m.email`);

const firstShopOfAll = statement<[], { id: string | null }>('select min(id) as id from businesses');

/** The member who may sign in with an address, locked, and a shop of theirs: an operator without one gets the oldest of all. */
export async function lockMemberWithShop(tx: Queryable, email: string) {
  const [member] = await lockMember(tx, email);
  if (!member) return null;
  const [own] = await firstShopOf(tx, member.id);
  if (own?.business_id != null) return { id: member.id, business_id: own.business_id };
  if (!member.operator || member.operator_by_claim) return null;
  const [oldest] = await firstShopOfAll(tx);
  return { id: member.id, business_id: oldest?.id ?? null };
}

export interface LinkCounts {
  by_requester: number;
  by_all: number;
}

export const countLinksSince = statement<[memberId: string, requestedBy: Buffer, since: Date], LinkCounts>(`
  select count(*) filter (where requested_by = $2)::int as by_requester, count(*)::int as by_all
  from sign_in_links where member_id = $1 and created_at > $3`);

export const insertSignInLink = statement<
  [
    tokenHash: Buffer,
    memberId: string,
    browserHash: Buffer | null,
    requestedBy: Buffer | null,
    codeHash: Buffer | null,
    now: Date,
    expiresAt: Date,
  ]
>(`
  insert into sign_in_links (token_hash, member_id, browser_hash, requested_by, code_hash, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7)`);

/** A link that this browser can still use. */
export const findSignInLink = statement<
  [tokenHash: Buffer, browserHash: Buffer, now: Date],
  { member_id: string }
>(`
  select member_id from sign_in_links
  where token_hash = $1 and (browser_hash is null or browser_hash = $2) and expires_at > $3`);

/**
 * Uses the link up: of two requests at once, one gets the row. The link ends as of its creation, so that a request whose time is
 * earlier than the winner's finds it ended, too. It stays counted for the hour.
 */
export const takeSignInLink = statement<
  [tokenHash: Buffer, browserHash: Buffer, now: Date],
  { member_id: string }
>(`
  update sign_in_links set expires_at = created_at
  where token_hash = $1 and (browser_hash is null or browser_hash = $2) and expires_at > $3
  returning member_id`);

/** At the limit per member, the oldest sessions end. */
export const insertDashboardSession = statement<
  [
    id: string,
    tokenHash: Buffer,
    memberId: string,
    browser: string,
    now: Date,
    expiresAt: Date,
    others: number,
    signedInAt: Date,
    byOidc: boolean,
  ]
>(`
  with surplus as (
    delete from dashboard_sessions where id in (
      select id from dashboard_sessions where member_id = $3 order by last_seen_at desc, id desc offset $7)
  )
  insert into dashboard_sessions
    (id, token_hash, member_id, browser, created_at, signed_in_at, last_seen_at, expires_at, by_oidc)
  values ($1, $2, $3, $4, $5, $8, $5, $6, $9)`);

export interface DashboardSessionRow {
  id: string;
  memberId: string;
  email: string;
  operator: boolean;
  createdAt: Date;
  signedInAt: Date;
  lastSeenAt: Date;
  /** It began at the OpenID Connect issuer. */
  byOidc: boolean;
}

export const findDashboardSession = statement<[tokenHash: Buffer, now: Date], DashboardSessionRow>(`
  select s.id, s.member_id as "memberId", m.email,
    m.operator_since is not null and (s.by_oidc or not m.operator_by_claim) as operator, s.created_at as "createdAt",
    s.signed_in_at as "signedInAt", s.last_seen_at as "lastSeenAt", s.by_oidc as "byOidc"
  from dashboard_sessions s join members m on m.id = s.member_id
  where s.token_hash = $1 and s.expires_at > $2`);

export const touchDashboardSession = statement<[id: string, now: Date, expiresAt: Date]>(`
  update dashboard_sessions set last_seen_at = $2, expires_at = $3 where id = $1`);

export const deleteDashboardSession = statement<[memberId: string, id: string], { id: string }>(`
  delete from dashboard_sessions where member_id = $1 and id = $2 returning id`);

export interface ListedSession {
  id: string;
  browser: string;
  created_at: Date;
  last_seen_at: Date;
}

export const listDashboardSessions = statement<[memberId: string, now: Date], ListedSession>(`
  select id, browser, created_at, last_seen_at from dashboard_sessions
  where member_id = $1 and expires_at > $2 order by last_seen_at desc, id desc`);

export interface ShopRow {
  id: string;
  name: string;
  role: MemberRole | null;
}

/** A shop as a member sees it: without a role unless they belong to it. */
export const findShop = statementOfBusinesses<
  [businessId: string, memberId: string],
  ShopRow & { last_seen_at: Date | null; unread_replies: number }
>(
  ['business', 'same'],
  `
  select b.id, b.name, s.role, s.last_seen_at, ${unreadCount('b.id')} as unread_replies from businesses b
  left join memberships s on s.business_id = b.id and s.member_id = $2
  where b.id = $1`,
);

export const touchMembership = statement<[businessId: string, memberId: string, now: Date]>(`
  update memberships set last_seen_at = $3 where business_id = $1 and member_id = $2`);

export const listShopsOf = statement<[memberId: string], ShopRow>(`
  select b.id, b.name, s.role from memberships s join businesses b on b.id = s.business_id
  where s.member_id = $1 order by b.name, b.id`);

export const listAllShops = statement<[limit: number], ShopRow>(`
  select id, name, null as role from businesses order by name, id limit $1`);
