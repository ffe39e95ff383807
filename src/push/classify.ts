import { ApiError } from '../kit/errors.ts';
import type { Locks } from './locks.ts';
import type { PushOutcome } from './outcomes.ts';
import { pushKey, type RecordKey, type Records, recordOf } from './records.ts';
import type { PushItem } from './request.ts';
import { keyOf } from './snapshot.ts';

type KeyedItem = Pick<PushItem, 'businessId' | 'key' | 'fingerprint'>;

/** What becomes of an item: its outcome is known already, or it is to be decided. */
export type Classification = PushOutcome | { kind: 'decidable' };

/**
 * Classifies the items of a group from locks and stored responses alone. A caller whose key is refused learns nothing else; a
 * replay needs no lock. `deferred`: another transaction holds the recipient, so the item runs again alone.
 */
export function classify<Item extends KeyedItem>(
  items: readonly Item[],
  locks: Pick<Locks, 'keys' | 'recipients'>,
  records: Records,
  refusalOf: (item: Item) => ApiError | null,
  recordKeyOf: (item: Item) => RecordKey = pushKey,
): Classification[] {
  const lockStates = lockResults(items, locks);
  return items.map((item, ordinal) => {
    const error = refusalOf(item);
    if (error !== null) return { kind: 'error', error };
    const stored = storedOutcome(records, recordKeyOf(item), item.fingerprint);
    if (stored !== null) return stored;
    switch (lockStates[ordinal]) {
      case 'free':
        return { kind: 'decidable' };
      case 'recipient_busy':
        return { kind: 'deferred' };
      default:
        return { kind: 'error', error: new ApiError('idempotency.request_in_progress') };
    }
  });
}

/** Whether an item can be decided, or which lock is taken. */
type LockResult = 'free' | 'in_progress' | 'recipient_busy';

function lockResults(items: readonly KeyedItem[], locks: Pick<Locks, 'keys' | 'recipients'>): LockResult[] {
  const seen = new Set<string>();
  return items.map(({ businessId, key }, ordinal) => {
    const name = keyOf(businessId, key);
    // The same key twice in one group: the first item is still in progress.
    if (!locks.keys[ordinal] || seen.has(name)) return 'in_progress';
    seen.add(name);
    return locks.recipients[ordinal] ? 'free' : 'recipient_busy';
  });
}

/** Replays the stored response; a key that was used for a different request is refused. */
export function storedOutcome(
  records: Records,
  key: RecordKey,
  fingerprint: string,
): Exclude<PushOutcome, { kind: 'deferred' }> | null {
  const before = recordOf(records, key);
  if (before === undefined) return null;
  if (before.fingerprint !== fingerprint)
    return { kind: 'error', error: new ApiError('idempotency.key_reused') };
  return { kind: 'answer', answer: { status: before.status, body: before.response, replayed: true } };
}
