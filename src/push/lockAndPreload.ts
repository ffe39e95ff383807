import type { Client } from '../db/pool.ts';
import type { Clock } from '../kit/clock.ts';
import type { Hasher } from '../kit/seal.ts';
import type { SnapshotCaller } from './buildSnapshot.ts';
import type { Calling } from './callers.ts';
import { type HeldNumber, type LoadedGroup, loadPlainGroup, type RecordKey, recordsByKey } from './load.ts';
import { type Locks, type OwnKey, preload, tryLocks, waitForLocks } from './locks.ts';
import type { PushItem } from './request.ts';

/** The result of a group's first round trip. */
interface Preloaded {
  locks: Locks;
  /** The callers' valid API keys. */
  callers: SnapshotCaller[];
  /** Stored responses, by business, scope and key. */
  records: LoadedGroup['records'];
  /** The recipients' numbers, read after the locks. */
  heldNumbers: HeldNumber[];
  /** Builds the snapshot of a plain group; null: it must be loaded. */
  loaded: (() => LoadedGroup) | null;
}

/**
 * Takes the locks of a group and, in the same round trip, reads everything that does not depend on an earlier result. Most
 * groups are plain and need nothing else; the others are loaded once their recipients' numbers are known.
 */
export async function lockAndPreload(
  tx: Client,
  { clock, hash }: { clock: Clock; hash: Hasher },
  items: PushItem[],
  /** Whether to wait for recipients that another transaction has locked. */
  wait: boolean,
  /** The idempotency key of a batch. */
  own: (OwnKey & Calling) | null,
): Promise<Preloaded> {
  const now = clock.now();
  const locking = wait ? waitForLocks(tx, items, own) : tryLocks(tx, items);
  const callings: readonly Calling[] = own ? [own] : items;
  if (items.every(isPlain)) {
    const keys = [...items.map(pushKey), ...(own ? [own] : [])];
    const [locks, { callers, heldNumbers, records, buildGroup }] = await Promise.all([
      locking,
      loadPlainGroup(tx, hash, now, keys, items, callings),
    ]);
    return {
      locks,
      callers,
      records,
      heldNumbers,
      loaded: buildGroup,
    };
  }
  const [locks, { callers, heldNumbers, records }] = await Promise.all([
    locking,
    preload(tx, items, callings, now),
  ]);
  return { locks, callers, records: recordsByKey(records), heldNumbers, loaded: null };
}

export const pushKey = ({ businessId, key }: PushItem): RecordKey => ({ businessId, scope: 'push', key });

/** Whether a push changes no number or consent, touches no other message and names no paid channel. */
const isPlain = ({ request }: PushItem): boolean =>
  request.phone === null &&
  request.whatsappOptIn === null &&
  request.kind === 'one_off' &&
  request.obsoletes.length === 0 &&
  !request.smsIfWhatsappFails &&
  (request.channels ?? []).every((channel) => channel === 'email');
