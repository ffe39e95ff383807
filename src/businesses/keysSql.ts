import { statement } from '../db/statement.ts';
import type { Plan } from './settings.ts';

export interface CallerRow {
  position: number;
  keyId: string;
  businessId: string;
  active: boolean;
}

/** One look-up for many calls: each hash's place in the list, with whose key it is. Revoked keys are not found. */
export const findByHash = statement<[hashes: readonly Buffer[]], CallerRow>(`
  select asked.position::int as position, k.id as "keyId", k.business_id as "businessId", b.active
  from unnest($1::bytea[]) with ordinality as asked (hash, position)
  join api_keys k on k.hash = asked.hash and k.revoked_at is null
  join businesses b on b.id = k.business_id`);

export interface KeyRow {
  id: string;
  name: string;
  masked: string;
  created: Date;
  minted_by: string | null;
}

export const listActive = statement<[businessId: string], KeyRow>(`
  select id, name, masked, created_at as created, minted_by
  from api_keys where business_id = $1 and revoked_at is null
  order by created_at desc, id desc`);

/**
 * Keys of one business are made and revoked one after the other, so that a count stays true and no key is minted by
 * one that is being revoked. No key update: pushes, which refer to the business's row, do not wait for this.
 */
export const lockKeys = statement<[businessId: string], { plan: Plan; periodEnd: Date | null }>(`
  select plan, plan_period_end as "periodEnd" from businesses where id = $1 for no key update`);

/** Runs after `lockKeys`, in a statement of its own, so that it sees what the lock's previous holder did. */
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
  ]
>(`
  insert into api_keys (business_id, id, hash, name, masked, minted_by, parent_id, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`);

/** The key and all that descends from it; a detached key has no parent, so the descent stops before it. */
export const revokeWithChildren = statement<[businessId: string, id: string, at: Date], { id: string }>(`
  with recursive falling as (
    select id from api_keys where business_id = $1 and id = $2 and revoked_at is null
    union
    select child.id from api_keys child join falling on child.parent_id = falling.id where child.business_id = $1
  )
  update api_keys set revoked_at = $3
  where business_id = $1 and id in (select id from falling) and revoked_at is null
  returning id`);

/** An operator names a key alone; ids are random, so no two businesses share one. */
export const findOwner = statement<[id: string], { businessId: string }>(`
  select business_id as "businessId" from api_keys where id = $1 and revoked_at is null`);
