import { BATCH_MAX } from '../config/limits.ts';
import type { Client } from '../db/pool.ts';
import { lockNumber } from '../kit/ids.ts';
import { numberLock } from '../recipients/stops.ts';
import type { SnapshotCaller, StoredResponse } from './buildSnapshot.ts';
import { type Calling, distinctCallers } from './callers.ts';
import type { HeldNumber, RecordKey } from './load.ts';
import { preloadGroup, tryGroupLocks, waitForGroupLocks } from './loadSql.ts';
import type { PushRequest } from './request.ts';
import { keyOf } from './snapshot.ts';

/** As much of an item as says what to lock for it. */
export interface Lockable {
  businessId: string;
  key: string;
  request: Pick<PushRequest, 'recipientEmail' | 'phone'>;
}

/** A batch's own key, and how many items it has. */
export interface OwnKey extends RecordKey {
  items: number;
}

export interface Locks {
  /** By item, whether its idempotency key is ours; of a batch, all are or none is. */
  keys: boolean[];
  /** Whether a batch's own key is ours. */
  own: boolean;
  /** By item, whether its recipient is ours, and the number that it brings: nobody can text STOP from it meanwhile. */
  recipients: boolean[];
}

/** Takes what is free and waits for nothing. */
export async function tryLocks(tx: Client, items: Lockable[]): Promise<Locks> {
  const batches = batchLocks(items);
  const numbers = numberLocks(items);
  const [locks] = await tryGroupLocks(tx, items.map(pushLock), [...batches.values()].flat(), [
    ...recipientLocks(items),
    ...numbers.values(),
  ]);
  if (!locks) throw new Error('the locks of a list gave no answer');
  const { keys, recipients } = locks;
  const busy = new Set(
    [...batches].flatMap(([item, { length }], place) =>
      locks.batches.slice(place * length, (place + 1) * length).every(Boolean) ? [] : [item],
    ),
  );
  const missed = new Set([...numbers.keys()].filter((_, place) => recipients[items.length + place] !== true));
  return {
    keys: items.map((item, place) => keys[place] === true && !busy.has(item)),
    own: true,
    recipients: items.map((item, place) => recipients[place] === true && !missed.has(item)),
  };
}

/** Waits for the recipients, unless a key is being worked on: then there is nothing to wait for. */
export async function waitForLocks(tx: Client, items: Lockable[], own: OwnKey | null): Promise<Locks> {
  const keys = own ? [ownLock(own), ...itemsLocks(own)] : items.map(pushLock);
  const batches = own ? [] : [...batchLocks(items).values()].flat();
  const inOrder = [...ascending(recipientLocks(items)), ...ascending([...numberLocks(items).values()])];
  const [locks] = await waitForGroupLocks(tx, keys, batches, inOrder);
  if (!locks) throw new Error('the locks of a list gave no answer');
  const all = locks.keys.every(Boolean);
  return { keys: items.map(() => all), own: locks.keys[0] === true, recipients: items.map(() => all) };
}

export interface Preload {
  /** The keys that still count. */
  callers: SnapshotCaller[];
  /** The numbers that the recipients hold once they are locked. */
  heldNumbers: HeldNumber[];
  /** Answers that were given before. */
  records: StoredResponse[];
}

/** What must be known before the rest can be loaded. */
export async function preload(
  tx: Client,
  items: Lockable[],
  callings: readonly Calling[],
  now: Date,
): Promise<Preload> {
  const [found] = await preloadGroup(
    tx,
    items.map(({ businessId }) => businessId),
    items.map(({ request }) => request.recipientEmail),
    items.map(({ key }) => key),
    now,
    ...distinctCallers(callings),
  );
  if (!found) throw new Error('a list could not be looked at');
  const heldNumbers = items.flatMap(({ businessId }, index) => {
    const number = found.phones[index];
    return number ? [{ businessId, number }] : [];
  });
  return { callers: found.callers ?? [], heldNumbers, records: found.records ?? [] };
}

/** Whether an item can be decided here and now, or what is in its way. */
export type LockResult = 'free' | 'in_progress' | 'recipient_busy';

export function lockResults(items: Lockable[], locks: Pick<Locks, 'keys' | 'recipients'>): LockResult[] {
  const seen = new Set<string>();
  return items.map(({ businessId, key }, ordinal) => {
    const name = keyOf(businessId, key);
    // Twice in one list: the first is still being worked on when the second arrives.
    if (!locks.keys[ordinal] || seen.has(name)) return 'in_progress';
    seen.add(name);
    return locks.recipients[ordinal] ? 'free' : 'recipient_busy';
  });
}

const pushLock = ({ businessId, key }: Lockable): bigint =>
  lockNumber('idempotency', businessId, 'push', key);

const ownLock = ({ businessId, key }: RecordKey): bigint =>
  lockNumber('idempotency', businessId, 'batch', key);

const blockLock = (businessId: string, batchKey: string, block: string): bigint =>
  lockNumber('idempotency', businessId, 'items', batchKey, block);

/**
 * A batch does not lock its items' keys one by one, but the few blocks of places that they fill, each alone. Single pushes with the
 * key of an item share the blocks that it lies in.
 */
const itemsLocks = ({ businessId, key, items }: OwnKey): bigint[] =>
  blocksOf(items).map((block) => blockLock(businessId, key, block));

/** Of the single pushes that might be an item of a batch, in their order. */
const batchLocks = (items: Lockable[]): Map<Lockable, bigint[]> =>
  new Map(
    items.flatMap((item) => {
      const known = itemOf(item.key);
      if (known === null) return [];
      const { batchKey, index } = known;
      const locks = blocksAround(index).map((block) => blockLock(item.businessId, batchKey, block));
      return [[item, locks] as const];
    }),
  );

const recipientLocks = (items: Lockable[]): bigint[] =>
  items.map(({ businessId, request }) => lockNumber('recipient', businessId, request.recipientEmail));

/** Of the items that bring a number, in their order. */
const numberLocks = (items: Lockable[]): Map<Lockable, bigint> =>
  new Map(
    items.flatMap((item) =>
      item.request.phone === null ? [] : [[item, numberLock(item.request.phone.number)] as const],
    ),
  );

const ascending = (locks: bigint[]): bigint[] => [...new Set(locks)].sort((a, b) => (a < b ? -1 : 1));

/** The key of an item of a batch: a single push that brings it is the same push. */
export const itemKey = (batchKey: string, index: number): string => `${batchKey}#${index}`;

/** The item that a push with this key would be, if there is such a batch. */
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
 * Items lie in blocks of 1, 2, 4 … of them. A batch is a few blocks (100 = 64 + 32 + 4), an item lies in one of each size: they
 * have a block in common just when the item is one of the batch's.
 */

/** The blocks that the items of a batch fill. */
export const blocksOf = (items: number): string[] =>
  LEVELS.filter((level) => (items >> level) & 1).map((level) => `${level}:${(items >> level) - 1}`);

/** The blocks that an item lies in. */
export const blocksAround = (index: number): string[] => LEVELS.map((level) => `${level}:${index >> level}`);
