import { ACTIVE_KEYS_MAX } from '../config/limits.ts';
import type { KeyAccess } from '../contract/keys.ts';
import type { Client, Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { newId, randomText, sha256 } from '../kit/ids.ts';
import { actingKey, OPERATOR, recordAudit } from './audit.ts';
import {
  type CallerRow,
  countActive,
  findByHash,
  insertKey,
  type KeyRow,
  lockKeys,
  revokeWithChildren,
} from './keysSql.ts';
import { effectivePlan, noSuchBusiness } from './settings.ts';

const PREFIX = 'way_live_';
/** 207 bits cannot be guessed, so a fast hash is enough. */
const RANDOM_CHARACTERS = 40;
const SHOWN_AT_THE_END = 4;

export type Caller = Omit<CallerRow, 'position'>;

/** `key` is the full key, which is returned once and not stored. */
export interface NewKey extends KeyRow {
  key: string;
}

interface KeyRequest {
  businessId: string;
  /** The key of the call; null from the CLI and the dashboard. */
  mintedBy: string | null;
  name: string | null;
  /** A detached key has no parent and outlives its creator. */
  detach: boolean;
  /** By default full. */
  access?: KeyAccess;
  /** For the audit; by default the key of the call, or the operator. */
  actor?: string;
}

export const keyHash = (key: string): Buffer => sha256(key);

/** In the order of the hashes. Null: a key that is unknown or revoked; undefined: it may be on a shard that does not answer. */
export async function findCallers(db: Queryable, hashes: readonly Buffer[]) {
  const list = hashes.map((hash) => `\\\\x${hash.toString('hex')}`);
  const { rows, complete } = await findByHash(db, `{${list}}`);
  const callers = new Array<Caller | null | undefined>(hashes.length).fill(complete ? null : undefined);
  for (const { position, ...caller } of rows) callers[position - 1] = caller;
  return callers;
}

/** Refuses for a lapsed plan first, then for the limit of active keys. */
export const createKey = (pool: Pool, clock: Clock, request: KeyRequest): Promise<NewKey> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    const [business] = await lockKeys(tx, request.businessId);
    if (!business) throw noSuchBusiness(request.businessId);
    if (effectivePlan(business, now) === 'lapsed') throw new ApiError('plan.read_only');
    return mintKey(tx, now, request);
  });

/** Ignores the plan. The transaction must have locked the business's keys or created the business. */
export async function mintKey(tx: Client, now: Date, request: KeyRequest): Promise<NewKey> {
  const { businessId, mintedBy, detach, access = 'full' } = request;
  const [count] = await countActive(tx, businessId, mintedBy);
  if (!count) throw new Error('countActive returned no row');
  // The key was revoked after the call was authenticated: refused as if the call had come later.
  if (mintedBy !== null && !count.minter) throw new ApiError('business.invalid_api_key');
  if (count.active >= ACTIVE_KEYS_MAX) throw new ApiError('key.limit_reached');

  const id = newId(now);
  const name = nameOrDefault(request.name);
  const key = PREFIX + randomText(RANDOM_CHARACTERS);
  const masked = maskKey(key);
  const parent = detach ? null : mintedBy;
  const actor = request.actor ?? actorOf(mintedBy);
  await insertKey(tx, businessId, id, keyHash(key), name, masked, mintedBy, parent, now, access, actor);
  const detail = { key_id: id, detached: detach, access };
  await recordAudit(tx, now, { businessId, actor, action: 'key.created', detail });
  return { id, name, key, masked, created: now, minted_by: mintedBy, access };
}

/**
 * Revokes a key and its descendants, except detached ones. Returns their ids. A key may revoke itself; `revokedBy` is the key
 * of the call, or null for the operator and the dashboard, which names its member as the actor.
 */
export function revokeKey(
  pool: Pool,
  clock: Clock,
  request: { businessId: string; keyId: string; revokedBy: string | null; actor?: string },
): Promise<string[]> {
  const { businessId, keyId, revokedBy, actor = actorOf(revokedBy) } = request;
  return transaction(pool, async (tx) => {
    const now = clock.now();
    await lockKeys(tx, businessId);
    const revoked = (await revokeWithChildren(tx, businessId, keyId, now)).map(({ id }) => id);
    if (revoked.length === 0) throw new ApiError('key.not_found');
    const detail = { key_id: keyId, revoked };
    await recordAudit(tx, now, { businessId, actor, action: 'key.revoked', detail });
    return revoked;
  });
}

const actorOf = (keyId: string | null): string => (keyId === null ? OPERATOR : actingKey(keyId));

/** `way_live_…k3f9`: enough to tell keys apart, too little to use one. */
const maskKey = (key: string): string => `${PREFIX}…${key.slice(-SHOWN_AT_THE_END)}`;

const nameOrDefault = (name: string | null) => (name === null || name.trim() === '' ? 'Untitled key' : name);
