import { actingKey } from '../businesses/audit.ts';
import type { PushResult } from '../contract/push.ts';
import { recordEventBusinesses } from '../db/committedEvents.ts';
import type { Client } from '../db/pool.ts';
import { TransactionEnd } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { columns } from '../kit/columns.ts';
import { ApiError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import { apply } from './apply.ts';
import { clearReassignedPhones } from './applySql.ts';
import type { Classification } from './classify.ts';
import { applyToSnapshot, decide } from './decide.ts';
import { loadGroup, type Preloaded } from './load.ts';
import { type PushOutcome, type ResponseRow, responseRow } from './outcomes.ts';
import { pushKey } from './records.ts';
import type { PushItem } from './request.ts';
import type { PushSnapshot } from './snapshot.ts';
import type { WriteSet } from './writeSet.ts';

export interface DecideDeps {
  clock: Clock;
  hash: Hasher;
  render: (result: PushResult) => string;
}

export interface GroupResult {
  outcomes: PushOutcome[];
  decided: WriteSet['decided'];
  /** Whether any send was queued. */
  queued: boolean;
  /** The number of webhook deliveries queued. */
  deliveries: number;
}

/** What a batch or a member's push writes beside its decisions; the records of a batch. */
type MoreWrites = (
  outcomes: PushOutcome[],
  decided: WriteSet['decided'],
  now: Date,
) => Promise<ResponseRow[]>;

/** Loads the snapshot unless the first round trip did, decides the items, and writes all changes at the end of the transaction. */
export async function decideGroup(
  tx: Client,
  deps: DecideDeps,
  items: PushItem[],
  preloaded: Preloaded,
  classified: Classification[],
  moreWrites?: MoreWrites,
): Promise<TransactionEnd<GroupResult>> {
  // Read after the locks, so that the rows are not dated before those of a transaction that this one waited for.
  const now = deps.clock.now();
  const decidable = items.filter((_, ordinal) => classified[ordinal]?.kind === 'decidable');
  const snapshot =
    decidable.length === 0
      ? null
      : (preloaded.buildSnapshot?.() ??
        (await loadGroup(tx, deps.hash, now, decidable, preloaded.heldNumbers)));
  const { outcomes, decided } = decideEach(deps, items, classified, snapshot, now);
  const batchRecords = (await moreWrites?.(outcomes, decided, now)) ?? [];
  if (decided.length === 0 && batchRecords.length === 0) {
    const result = { outcomes, decided, queued: false, deliveries: 0 };
    // A replay never changes, so it is answered before the locks are released.
    const isReplay = outcomes.every(({ kind }) => kind === 'answer');
    return isReplay ? TransactionEnd.readOnly(result) : TransactionEnd.noFinalWrites(result);
  }
  await clearNumbers(tx, snapshot);
  for (const { decision } of decided) recordEventBusinesses(tx, decision.events);
  const writeAll = apply(now, { decided, batchRecords }, preloaded.records.hasExpired);
  const queued = decided.some(({ decision }) => decision.sends.length > 0);
  return TransactionEnd.finalWrites((send) => {
    const deliveries = writeAll(send);
    return () => ({ outcomes, decided, queued, deliveries: deliveries() });
  });
}

/** Decides the items in order: each sees what those before it changed. */
function decideEach(
  { render }: DecideDeps,
  items: PushItem[],
  classified: Classification[],
  snapshot: PushSnapshot | null,
  now: Date,
): { outcomes: PushOutcome[]; decided: WriteSet['decided'] } {
  const decided: WriteSet['decided'] = [];
  const outcomes = classified.map((known, ordinal): PushOutcome => {
    const item = items[ordinal];
    if (known.kind !== 'decidable') return known;
    const business = item && snapshot?.businesses.get(item.businessId);
    if (!business || !snapshot) return { kind: 'error', error: new ApiError('business.invalid_api_key') };
    const verdict = decide(item.request, business, snapshot, now, () => newId(now, ordinal));
    if (verdict.kind === 'refused') return { kind: 'error', error: verdict.error };
    const { decision } = verdict;
    applyToSnapshot(snapshot, business, decision);
    const body = render(decision.result);
    const answer = responseRow(pushKey(item), item.fingerprint, 201, body, decision.recipient.id);
    decided.push({ decision, answer, by: pusherOf(item), trace: item.span?.context });
    return { kind: 'answer', answer: { status: 201, body, replayed: false } };
  });
  return { outcomes, decided };
}

const pusherOf = ({ by, keyId }: PushItem): string | null => by ?? (keyId === null ? null : actingKey(keyId));

/** Numbers that other recipients give up: before the writes, since a number is unique within a business. */
async function clearNumbers(tx: Client, snapshot: PushSnapshot | null): Promise<void> {
  const reassigned = snapshot?.reassignedPhones ?? [];
  if (reassigned.length > 0) await clearReassignedPhones(tx, ...columns(reassigned, 'businessId', 'number'));
}
