import type { KeyAccess } from '../contract/keys.ts';
import { lookUpOnAllShards, statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import type { Plan } from './settings.ts';

export interface CallerRow {
  position: number;
  keyId: string;
  businessId: string;
  /** The business's; calls of an inactive one are refused. */
  active: boolean;
  access: KeyAccess;
}

/** One look-up for many calls. `hashes` is a Postgres array, `position` a hash's place in it. Revoked keys are left out. */
export const findByHash = lookUpOnAllShards<[hashes: string], CallerRow>(
  'api_keys',
  'businesses',
  (keys, businesses) => `
  select requested.position::int as position, k.id as "keyId", k.business_id as "businessId", b.active, k.access
  from unnest($1::bytea[]) with ordinality as requested (hash, position)
  join ${keys} k on k.hash = requested.hash and k.revoked_at is null
  join ${businesses} b on b.id = k.business_id`,
);

/** An API key as lists show it (interface 2.8). */
export interface KeyRow {
  id: string;
  name: string;
  masked: string;
  created: Date;
  minted_by: string | null;
  access: KeyAccess;
}

/** The active keys of a business, newest first. */
export const listKeys = statement<[businessId: string], KeyRow>(`
  select id, name, masked, created_at as created, minted_by, access
  from api_keys where business_id = $1 and revoked_at is null
  order by created_at desc, id desc`);

export interface KeyWithUse extends KeyRow {
  /** The key that it falls with; null: none. */
  parent_id: string | null;
  last_used_at: Date | null;
  created_by: string | null;
  /** The address of the member who made it, while they belong to the business. */
  member_email: string | null;
}

export const listActiveWithUse = statement<[businessId: string], KeyWithUse>(`
  select k.id, k.name, k.masked, k.created_at as created, k.minted_by, k.access, k.parent_id, k.last_used_at, k.created_by,
    (select m.email from members m join memberships s on s.member_id = m.id and s.business_id = $1
     where m.id = substr(k.created_by, 8) and k.created_by like 'member:%') as member_email
  from api_keys k where k.business_id = $1 and k.revoked_at is null
  order by k.created_at, k.id`);

/** Skips a key that is being revoked instead of waiting, and never goes back: several processes note the uses of one key. */
export const noteUses = statementOfBusinesses<
  [businessIds: readonly string[], ids: readonly string[], at: Date]
>(
  ['businesses', 'parallel', 'same'],
  `
  with used as (
    select k.business_id, k.id from unnest($1::text[], $2::text[]) as u (business_id, id)
    join api_keys k on k.business_id = u.business_id and k.id = u.id
    where (k.last_used_at is null or k.last_used_at < $3)
    for no key update of k skip locked
  )
  update api_keys k set last_used_at = $3 from used
  where k.business_id = used.business_id and k.id = used.id`,
);

/**
 * Serialises changes to the keys of one business, so that the count is exact and no key is minted by one that is being
 * revoked. `for no key update` does not block pushes, whose foreign keys refer to the business's row.
 */
export const lockKeys = statement<[businessId: string], { plan: Plan; periodEnd: Date | null }>(`
  select plan, plan_period_end as "periodEnd" from businesses where id = $1 for no key update`);

/** A separate statement after `lockKeys`, so that it sees the commit of the lock's previous holder. */
export const countActive = statement<
  [businessId: string, minterId: string | null],
  { active: number; minter: boolean }
>(`
  select count(*)::int as active, coalesce(bool_or(id = $2), false) as minter
  from api_keys where business_id = $1 and revoked_at is null`);

export const insertKey = statement<
  [
    businessId: string,
    id: string,
    hash: Buffer,
    name: string,
    masked: string,
    mintedBy: string | null,
    parentId: string | null,
    createdAt: Date,
    access: KeyAccess,
    createdBy: string,
  ]
>(`
  insert into api_keys (business_id, id, hash, name, masked, minted_by, parent_id, created_at, access, created_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);

/** The key and its descendants. A detached key has no parent, so it is not among them. */
export const revokeWithChildren = statement<[businessId: string, id: string, at: Date], { id: string }>(`
  with recursive descendants as (
    select id from api_keys where business_id = $1 and id = $2 and revoked_at is null
    union
    select child.id from api_keys child join descendants on child.parent_id = descendants.id where child.business_id = $1
  )
  update api_keys set revoked_at = $3
  where business_id = $1 and id in (select id from descendants) and revoked_at is null
  returning id`);

/** An operator gives only a key's id; ids are random, so it is unique across businesses. */
export const findOwner = statement<[id: string], { businessId: string }>(`
  select business_id as "businessId" from api_keys where id = $1 and revoked_at is null`);
