import type { Client } from '../db/pool.ts';
import type { Clock } from '../kit/clock.ts';
import type { Hasher } from '../kit/seal.ts';
import type { SnapshotCaller } from './buildSnapshot.ts';
import type { Calling } from './callers.ts';
import { type HeldNumber, type LoadedGroup, loadPlainGroup, type RecordKey, recordsByKey } from './load.ts';
import { type Locks, type OwnKey, preload, tryLocks, waitForLocks } from './locks.ts';
import type { PushItem } from './request.ts';

/** What the first round trip of a list brings. */
export interface Preloaded {
  locks: Locks;
  /** The callers' keys that still count. */
  callers: SnapshotCaller[];
  /** Answers given before, by business, scope and key. */
  records: LoadedGroup['records'];
  /** The numbers that the recipients hold once they are locked. */
  heldNumbers: HeldNumber[];
  /** All that the decisions need, where that could be told beforehand. */
  loaded: (() => LoadedGroup) | null;
}

/**
 * Takes the locks of a list, and looks at it as far as that needs no answer first. Most lists are plain and need no more;
 * the others are loaded once it is known which numbers their recipients hold.
 */
export async function lockAndPreload(
  tx: Client,
  { clock, hash }: { clock: Clock; hash: Hasher },
  items: PushItem[],
  /** Whether to wait for recipients that are busy. */
  wait: boolean,
  /** A batch's own key. */
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

/** Changes nobody's number or consent, touches no other message, and names no channel that costs. */
const isPlain = ({ request }: PushItem): boolean =>
  request.phone === null &&
  request.whatsappOptIn === null &&
  request.kind === 'one_off' &&
  request.obsoletes.length === 0 &&
  !request.smsIfWhatsappFails &&
  (request.channels ?? []).every((channel) => channel === 'email');
