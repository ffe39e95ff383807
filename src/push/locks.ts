import { BATCH_MAX } from '../config/limits.ts';
import type { Client } from '../db/pool.ts';
import { lockNumber } from '../kit/ids.ts';
import { numberLock } from '../recipients/stops.ts';
import { tryGroupLocks, waitForGroupLocks } from './loadSql.ts';
import type { RecordKey } from './records.ts';
import type { PushRequest } from './request.ts';

/** The parts of an item that determine its locks. */
export interface Lockable {
  businessId: string;
  key: string;
  request: Pick<PushRequest, 'recipientEmail' | 'phone'>;
}

/** The idempotency key of a batch, and its number of items. */
export interface BatchKey extends RecordKey {
  items: number;
}

export interface Locks {
  /** Per item: whether we hold the lock on its idempotency key; for a batch, on all keys or none. */
  keys: boolean[];
  /** Whether we hold the lock on the batch's key. */
  batchKey: boolean;
  /** Per item: whether we hold the locks on its recipient and on its number; a STOP from that number then waits. */
  recipients: boolean[];
}

/** Takes the free locks without waiting. */
export async function tryLocks(tx: Client, items: Lockable[]): Promise<Locks> {
  const batches = batchLocks(items);
  const numbers = numberLocks(items);
  const [locks] = await tryGroupLocks(tx, items.map(pushLock), [...batches.values()].flat(), [
    ...recipientLocks(items),
    ...numbers.values(),
  ]);
  if (!locks) throw new Error('tryGroupLocks returned no row');
  const { keys, recipients } = locks;
  const busy = new Set(
    [...batches].flatMap(([item, { length }], place) =>
      locks.batches.slice(place * length, (place + 1) * length).every(Boolean) ? [] : [item],
    ),
  );
  const missed = new Set([...numbers.keys()].filter((_, place) => recipients[items.length + place] !== true));
  return {
    keys: items.map((item, place) => keys[place] === true && !busy.has(item)),
    batchKey: true,
    recipients: items.map((item, place) => recipients[place] === true && !missed.has(item)),
  };
}

/** Waits for the recipients' locks, unless a key is locked: then the answer is "in progress" without waiting. */
export async function waitForLocks(tx: Client, items: Lockable[], batchKey: BatchKey | null): Promise<Locks> {
  const keys = batchKey ? [batchLock(batchKey), ...itemsLocks(batchKey)] : items.map(pushLock);
  const batches = batchKey ? [] : [...batchLocks(items).values()].flat();
  const inOrder = [...ascending(recipientLocks(items)), ...ascending([...numberLocks(items).values()])];
  const [locks] = await waitForGroupLocks(tx, keys, batches, inOrder);
  if (!locks) throw new Error('waitForGroupLocks returned no row');
  const all = locks.keys.every(Boolean);
  return { keys: items.map(() => all), batchKey: locks.keys[0] === true, recipients: items.map(() => all) };
}

const pushLock = ({ businessId, key }: Lockable): bigint =>
  lockNumber('idempotency', businessId, 'push', key);

const batchLock = ({ businessId, key }: RecordKey): bigint =>
  lockNumber('idempotency', businessId, 'batch', key);

const blockLock = (businessId: string, batchKey: string, block: string): bigint =>
  lockNumber('idempotency', businessId, 'items', batchKey, block);

/**
 * A batch locks a few blocks of item positions exclusively, instead of each item's key. A single push with the key of an
 * item takes shared locks on the blocks that contain it.
 */
const itemsLocks = ({ businessId, key, items }: BatchKey): bigint[] =>
  blocksOf(items).map((block) => blockLock(businessId, key, block));

/** The block locks of single pushes whose key has the form of a batch item's key, in order. */
const batchLocks = (items: Lockable[]): Map<Lockable, bigint[]> =>
  new Map(
    items.flatMap((item) => {
      const batchItem = itemOf(item.key);
      if (batchItem === null) return [];
      const { batchKey, index } = batchItem;
      const locks = blocksAround(index).map((block) => blockLock(item.businessId, batchKey, block));
      return [[item, locks] as const];
    }),
  );

const recipientLocks = (items: Lockable[]): bigint[] =>
  items.map(({ businessId, request }) => lockNumber('recipient', businessId, request.recipientEmail));

/** The number locks of items with a number, in order. */
const numberLocks = (items: Lockable[]): Map<Lockable, bigint> =>
  new Map(
    items.flatMap((item) =>
      item.request.phone === null ? [] : [[item, numberLock(item.request.phone.number)] as const],
    ),
  );

export const ascending = (locks: bigint[]): bigint[] => [...new Set(locks)].sort((a, b) => (a < b ? -1 : 1));

/** The idempotency key of a batch item: a single push with this key is the same push. */
export const itemKey = (batchKey: string, index: number): string => `${batchKey}#${index}`;

/** The batch item that a push with this key would be; null: the key has another form. */
export function itemOf(key: string): { batchKey: string; index: number } | null {
  const at = key.lastIndexOf('#');
  if (at < 1) return null;
  const batchKey = key.slice(0, at);
  const index = Number(key.slice(at + 1));
  const isIndex = Number.isInteger(index) && index >= 0 && index < BATCH_MAX;
  return isIndex && itemKey(batchKey, index) === key ? { batchKey, index } : null;
}

const LEVELS = Array.from({ length: Math.ceil(Math.log2(BATCH_MAX + 1)) }, (_, level) => level);

/*
 * Positions form blocks of 1, 2, 4 … items. A batch covers a few blocks (100 = 64 + 32 + 4), and an item is in one block of
 * each size, so they share a block exactly when the item belongs to the batch.
 */

/** The blocks that a batch of this many items covers. */
export const blocksOf = (items: number): string[] =>
  LEVELS.filter((level) => (items >> level) & 1).map((level) => `${level}:${(items >> level) - 1}`);

/** The blocks that contain an item. */
export const blocksAround = (index: number): string[] => LEVELS.map((level) => `${level}:${index >> level}`);
