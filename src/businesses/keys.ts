import { ACTIVE_KEYS_MAX } from '../config/limits.ts';
import type { Client, Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { newId, randomText, sha256 } from '../kit/ids.ts';
import { actingKey, OPERATOR, recordAudit } from './audit.ts';
import {
  countActive,
  findByHash,
  insertKey,
  type KeyRow,
  listActive,
  lockKeys,
  revokeWithChildren,
} from './keysSql.ts';
import { effectivePlan, noSuchBusiness } from './settings.ts';

const PREFIX = 'way_live_';
/** 207 bits: nobody guesses one, and a fast hash is enough to keep it. */
const RANDOM_CHARACTERS = 40;
const SHOWN_AT_THE_END = 4;
const UNTITLED = 'Untitled key';

/** Whose key a call carries. `active` is the business's: an inactive one is known, and refused. */
export interface Caller {
  keyId: string;
  businessId: string;
  active: boolean;
}

/** An API key as lists show it (interface 2.8). */
export type KeyItem = KeyRow;

/** A key just made. `key` is the whole of it, shown this once and kept nowhere. */
export interface NewKey extends KeyItem {
  key: string;
}

export interface KeyRequest {
  businessId: string;
  /** The key that asks for it; null from the CLI and the dashboard. */
  mintedBy: string | null;
  name: string | null;
  /** A detached key has no parent and outlives its creator. */
  detach: boolean;
}

/** What is stored and looked up instead of a key. */
export const keyHash = (key: string): Buffer => sha256(key);

/** Whose key each hash is, in the order asked; null for a key that never was or was revoked. */
export async function findCallers(db: Queryable, hashes: readonly Buffer[]): Promise<(Caller | null)[]> {
  const callers = new Array<Caller | null>(hashes.length).fill(null);
  for (const { position, keyId, businessId, active } of await findByHash(db, hashes)) {
    callers[position - 1] = { keyId, businessId, active };
  }
  return callers;
}

/** The active keys of a business, newest first. */
export const listKeys = (db: Queryable, businessId: string): Promise<KeyItem[]> => listActive(db, businessId);

/** Makes a key, unless the plan has lapsed or the business has as many as it may have, in this order. */
export function createKey(pool: Pool, clock: Clock, request: KeyRequest): Promise<NewKey> {
  return transaction(pool, async (tx) => {
    const now = clock.now();
    const [business] = await lockKeys(tx, request.businessId);
    if (!business) throw noSuchBusiness(request.businessId);
    if (effectivePlan(business, now) === 'lapsed') throw new ApiError('plan.read_only');
    return mintKey(tx, now, request);
  });
}

/** Makes a key whatever the plan, in a transaction that has locked the business's keys or has just made the business. */
export async function mintKey(tx: Client, now: Date, request: KeyRequest): Promise<NewKey> {
  const { businessId, mintedBy, detach } = request;
  const [count] = await countActive(tx, businessId, mintedBy);
  if (!count) throw new Error('a count came without a row');
  // The call was let in with this key, and the key was revoked since: to the caller as if it had come later.
  if (mintedBy !== null && !count.minter) throw new ApiError('business.invalid_api_key');
  if (count.active >= ACTIVE_KEYS_MAX) throw new ApiError('key.limit_reached');

  const id = newId(now);
  const name = nameOrDefault(request.name);
  const key = PREFIX + randomText(RANDOM_CHARACTERS);
  const masked = maskKey(key);
  await insertKey(tx, businessId, id, keyHash(key), name, masked, mintedBy, detach ? null : mintedBy, now);
  const actor = mintedBy === null ? OPERATOR : actingKey(mintedBy);
  await recordAudit(tx, now, {
    businessId,
    actor,
    action: 'key.created',
    detail: { key_id: id, detached: detach },
  });
  return { id, name, key, masked, created: now, minted_by: mintedBy };
}

/**
 * Revokes a key with every key that descends from it and is not detached. Answers their ids. A key may revoke
 * itself; `revokedBy` is the key whose call this is, or null for the operator.
 */
export function revokeKey(
  pool: Pool,
  clock: Clock,
  request: { businessId: string; keyId: string; revokedBy: string | null },
): Promise<string[]> {
  const { businessId, keyId, revokedBy } = request;
  return transaction(pool, async (tx) => {
    const now = clock.now();
    await lockKeys(tx, businessId);
    const revoked = (await revokeWithChildren(tx, businessId, keyId, now)).map(({ id }) => id);
    if (revoked.length === 0) throw new ApiError('key.not_found');
    const actor = revokedBy === null ? OPERATOR : actingKey(revokedBy);
    await recordAudit(tx, now, {
      businessId,
      actor,
      action: 'key.revoked',
      detail: { key_id: keyId, revoked },
    });
    return revoked;
  });
}

/** `way_live_…k3f9`: enough to tell keys apart, too little to use one. */
const maskKey = (key: string): string => `${PREFIX}…${key.slice(-SHOWN_AT_THE_END)}`;

const nameOrDefault = (name: string | null): string =>
  name === null || name.trim() === '' ? UNTITLED : name;
