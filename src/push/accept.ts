import { type Channel, channels } from '../contract/channels.ts';
import type { PushResult } from '../contract/push.ts';
import { recordEventBusinesses } from '../db/committedEvents.ts';
import { isConflict, isUnavailable, isUnstorable } from '../db/errors.ts';
import type { Client, Pool } from '../db/pool.ts';
import { TransactionEnd, transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import type { Tracing } from '../kit/tracing.ts';
import { apply } from './apply.ts';
import { clearReassignedPhones } from './applySql.ts';
import { type ApiKeyRef, refusalOf } from './callers.ts';
import { type Classification, classify } from './classify.ts';
import { traceCommit } from './commitSpan.ts';
import { applyToSnapshot, decide } from './decide.ts';
import { loadGroup, type Preloaded, preload } from './load.ts';
import { type BatchKey, type Locks, tryLocks, waitForLocks } from './locks.ts';
import { type PushOutcome, responseRow } from './outcomes.ts';
import { pushKey, type RecordKey } from './records.ts';
import type { PushItem } from './request.ts';
import type { PushSnapshot } from './snapshot.ts';
import type { WriteSet } from './writeSet.ts';

/*
 * A group of pushes is accepted in one transaction, in two or three round trips for any group size:
 *
 *   items ──► classify ──────► load ──────► decide ──────► write
 *             locks and        snapshot     each item,     changes,
 *             responses        of rows      in order       responses, commit
 *                 │
 *                 └──► replay, conflict, in progress, refused, deferred
 *
 * Batches (acceptBatch.ts) and a member's push by hand (acceptFromMember.ts) are groups with other callers and more to write.
 */

export interface AcceptDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
  render: (result: PushResult) => string;
  /** Called after a group with new sends is committed, so that workers need not wait for their next poll. */
  onSendsOf: (businesses: readonly string[]) => void;
  onEvents: () => void;
  /** Called for each channel on which a committed push sends nothing. */
  onSkipped?: (channel: Channel, reason: string) => void;
  tracing?: Tracing | null;
}

/** `wait`: whether to wait for recipients that another transaction has locked; if not, their items are deferred. */
export function acceptGroup(
  deps: AcceptDeps,
  items: PushItem[],
  { wait }: { wait: boolean },
): Promise<PushOutcome[]> {
  return commitGroup(deps, items, async (tx) => {
    const group = await lockAndPreload(tx, deps, items, { wait, callers: items });
    const classified = classify(items, group.locks, group.records, (item) => refusalOf(group.callers, item));
    return decideGroup(tx, deps, items, group, classified);
  });
}

/** The response to each caller of a group that failed. Throws an error that has no response of its own. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isUnstorable(error)) return new ApiError('request.unstorable_input');
  if (isConflict(error)) return new ApiError('request.conflict');
  if (isUnavailable(error)) return new ApiError('common.unavailable', undefined, { 'retry-after': '1' });
  throw error;
}

interface GroupResult {
  outcomes: PushOutcome[];
  decided: WriteSet['decided'];
  /** Whether any send was queued. */
  queued: boolean;
  /** The number of webhook deliveries queued. */
  deliveries: number;
}

/** Thrown by a group that should run again: another transaction is about to release what it needs. */
export class RunAgain extends ApiError {}

/** Fewer attempts than a worker makes, since a caller is waiting. */
const ACCEPT_TRANSACTION = {
  planning: 'by_key',
  attempts: 3,
  isRace: (error: unknown) => isConflict(error) || error instanceof RunAgain,
} as const;

/** Runs the group in its transaction, and tells the workers. A conflict with another transaction is retried; any other error is thrown. */
export async function commitGroup(
  deps: AcceptDeps,
  items: PushItem[],
  work: (tx: Client) => Promise<TransactionEnd<GroupResult>>,
): Promise<PushOutcome[]> {
  const { outcomes, decided, queued, deliveries } = await traceCommit(deps.tracing, items, () =>
    transaction(deps.pool, work, ACCEPT_TRANSACTION),
  );
  if (deps.onSkipped) countSkipped(deps.onSkipped, decided);
  if (queued) deps.onSendsOf([...new Set(items.map(({ businessId }) => businessId))]);
  if (deliveries > 0) deps.onEvents();
  return outcomes;
}

export interface LockedGroup extends Preloaded {
  locks: Locks;
}

interface LockOptions {
  wait: boolean;
  callers: readonly ApiKeyRef[];
  batchKey?: BatchKey;
}

/** The first round trip. */
export async function lockAndPreload(
  tx: Client,
  { clock, hash }: AcceptDeps,
  items: PushItem[],
  { wait, callers, batchKey }: LockOptions,
): Promise<LockedGroup> {
  const keys: RecordKey[] = items.map(pushKey);
  if (batchKey) keys.push(batchKey);
  const [locks, preloaded] = await Promise.all([
    wait ? waitForLocks(tx, items, batchKey ?? null) : tryLocks(tx, items),
    preload(tx, hash, clock.now(), items, keys, callers),
  ]);
  return { ...preloaded, locks };
}

/** What a batch or a member's push writes beside its decisions. */
type MoreWrites = (
  outcomes: PushOutcome[],
  decided: WriteSet['decided'],
  now: Date,
) => Promise<Omit<WriteSet, 'decided'>>;

const NO_MORE: Omit<WriteSet, 'decided'> = { forErasure: [], batchResponse: null };

export async function decideGroup(
  tx: Client,
  deps: AcceptDeps,
  items: PushItem[],
  group: LockedGroup,
  classified: Classification[],
  moreWrites?: MoreWrites,
): Promise<TransactionEnd<GroupResult>> {
  // Read after the locks, so that the rows are not dated before those of a transaction that this one waited for.
  const now = deps.clock.now();
  const decidable = items.filter((_, ordinal) => classified[ordinal]?.kind === 'decidable');
  const snapshot =
    decidable.length === 0
      ? null
      : (group.buildSnapshot?.() ?? (await loadGroup(tx, deps.hash, now, decidable, group.heldNumbers)));
  const { outcomes, decided } = decideEach(deps, items, classified, snapshot, now);
  const more = (await moreWrites?.(outcomes, decided, now)) ?? NO_MORE;
  if (decided.length === 0 && more.batchResponse === null) {
    const result = { outcomes, decided, queued: false, deliveries: 0 };
    // A replay never changes, so it is answered before the locks are released.
    const isReplay = outcomes.every(({ kind }) => kind === 'answer');
    return isReplay ? TransactionEnd.readOnly(result) : TransactionEnd.noFinalWrites(result);
  }
  await clearNumbers(tx, snapshot);
  for (const { decision } of decided) recordEventBusinesses(tx, decision.events);
  const writeAll = apply(now, { decided, ...more }, group.records.hasExpired);
  const queued = decided.some(({ decision }) => decision.sends.length > 0);
  return TransactionEnd.finalWrites((send) => {
    const deliveries = writeAll(send);
    return () => ({ outcomes, decided, queued, deliveries: deliveries() });
  });
}

/** Decides the items in order: each sees what those before it changed. */
function decideEach(
  { render }: AcceptDeps,
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
    decided.push({ decision, answer, trace: item.span?.context });
    return { kind: 'answer', answer: { status: 201, body, replayed: false } };
  });
  return { outcomes, decided };
}

/** Numbers that other recipients give up: before the writes, since a number is unique within a business. */
async function clearNumbers(tx: Client, snapshot: PushSnapshot | null): Promise<void> {
  const reassigned = snapshot?.reassignedPhones ?? [];
  if (reassigned.length > 0)
    await clearReassignedPhones(
      tx,
      reassigned.map(({ businessId }) => businessId),
      reassigned.map(({ number }) => number),
    );
}

function countSkipped(
  onSkipped: (channel: Channel, reason: string) => void,
  decided: WriteSet['decided'],
): void {
  for (const { decision } of decided)
    for (const channel of channels) {
      const reason = decision.result[channel]?.skipped_reason ?? null;
      if (reason !== null) onSkipped(channel, reason);
    }
}
