import { actingMember, recordAudit } from '../businesses/audit.ts';
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
import { refusalOf } from './callers.ts';
import { traceCommit } from './commitSpan.ts';
import { applyToSnapshot, decide } from './decide.ts';
import { type LoadedGroup, loadGroup, type RecordKey } from './load.ts';
import { lockAndPreload, pushKey } from './lockAndPreload.ts';
import { lockResults } from './locks.ts';
import {
  type BatchContext,
  type ErasedDetail,
  earlyOutcome,
  inProgress,
  KeyReleasePending,
  type PushOutcome,
  responseRow,
  stillTaken,
  storedOutcome,
  throwIfAnswered,
} from './outcomes.ts';
import type { PushItem } from './request.ts';
import { keyOf } from './snapshot.ts';
import type { ResponseRow, WriteSet } from './writeSet.ts';

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

/** Fewer attempts than a worker makes, since a caller is waiting. */
const ACCEPT_TRANSACTION = {
  planning: 'by_key',
  attempts: 3,
  isRace: (error: unknown) => isConflict(error) || error instanceof KeyReleasePending,
} as const;

/**
 * Accepts a group of pushes in one transaction: lock, load, decide each in order, write and commit, in two or three round
 * trips for any group size. A conflict with another transaction is retried; any other error is thrown.
 */
export async function acceptGroup(
  deps: AcceptDeps,
  items: PushItem[],
  options: GroupOptions,
): Promise<PushOutcome[]> {
  const { outcomes, decided, queued, deliveries } = await traceCommit(deps.tracing, items, () =>
    transaction(deps.pool, (tx) => decideGroup(tx, deps, items, options), ACCEPT_TRANSACTION),
  );
  if (deps.onSkipped) countSkipped(deps.onSkipped, decided);
  if (queued) deps.onSendsOf([...new Set(items.map(({ businessId }) => businessId))]);
  if (deliveries > 0) deps.onEvents();
  return outcomes;
}

/** A member of the shop who pushes by hand: known by a session instead of an API key. */
export interface PushingMember {
  id: string;
}

export interface GroupOptions {
  /** Whether to wait for recipients that another transaction has locked; if not, their items are deferred. */
  wait: boolean;
  batch: BatchContext | null;
  /** Whose push it is, if not an API key's. The group is then this one push. */
  member?: PushingMember;
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

async function decideGroup(
  tx: Client,
  deps: AcceptDeps,
  items: PushItem[],
  { wait, batch, member }: GroupOptions,
): Promise<TransactionEnd<GroupResult>> {
  const {
    locks,
    callers,
    records,
    heldNumbers,
    loaded: preloaded,
  } = await lockAndPreload(tx, deps, items, wait, batch?.key ?? null);
  const refused = batch ? refusalOf(callers, batch.key) : null;
  if (refused) throw refused;
  if (batch && !locks.keys.every(Boolean)) throw stillTaken(items, locks, records);
  // Read after the locks, so that the rows are not dated before those of a transaction that this one waited for.
  const now = deps.clock.now();
  const writes: WriteSet = { decided: [], forErasure: [], batchResponse: null };
  const lockStates = lockResults(items, locks);
  const early = items.map((item) => {
    if (member) return storedOutcome(records, pushKey(item), item);
    return batch ? null : earlyOutcome(callers, records, item);
  });
  const open = items.filter((_, ordinal) => early[ordinal] === null && lockStates[ordinal] !== 'in_progress');
  const replays = early.flatMap((outcome) => (outcome?.kind === 'answer' ? outcome : []));
  // A replay never changes, so it is answered before the locks are released.
  if (replays.length === items.length && !batch) return TransactionEnd.readOnly(nothingWritten(replays));
  if (open.length === 0 && !batch)
    return TransactionEnd.noFinalWrites(
      nothingWritten(early.map((outcome): PushOutcome => outcome ?? inProgress())),
    );

  const keys: RecordKey[] = open.map(pushKey);
  if (batch) keys.push(batch.key);
  const decidable = items.filter((_, ordinal) => early[ordinal] === null && lockStates[ordinal] === 'free');
  const loaded = preloaded?.() ?? (await loadGroup(tx, deps.hash, now, keys, decidable, heldNumbers));
  if (batch) throwIfAnswered(loaded, batch);

  const outcomes = items.map((item, ordinal): PushOutcome => {
    const lockState = lockStates[ordinal];
    const earlyResult = early[ordinal];
    if (earlyResult) return earlyResult;
    if (lockState === 'in_progress') return inProgress();
    const stored = storedOutcome(loaded.records, pushKey(item), item);
    if (stored && batch) rememberRepeated(writes, loaded, pushKey(item), item.fingerprint);
    if (stored) return stored;
    return lockState === 'free' ? decideOne(deps, loaded, writes, item, now, ordinal) : { kind: 'deferred' };
  });
  if (batch) {
    const { key, erasedDetails, respond } = batch;
    writes.batchResponse = responseRow(key, key.fingerprint, 200, respond(outcomes), undefined);
    writes.forErasure.push(...erasedDetails.map((erased) => erasedDetailRow(key, erased)));
  }
  if (member) await auditPush(tx, member, writes, now);
  const { reassignedPhones } = loaded.snapshot;
  if (reassignedPhones.length > 0)
    await clearReassignedPhones(
      tx,
      reassignedPhones.map(({ businessId }) => businessId),
      reassignedPhones.map(({ number }) => number),
    );
  const { decided, batchResponse } = writes;
  if (decided.length === 0 && batchResponse === null)
    return TransactionEnd.noFinalWrites(nothingWritten(outcomes));
  const queued = decided.some(({ decision }) => decision.sends.length > 0);
  for (const { decision } of decided) recordEventBusinesses(tx, decision.events);
  const applyAll = apply(now, writes, loaded.hasExpired);
  return TransactionEnd.finalWrites((send) => {
    const deliveries = applyAll(send);
    return () => ({ outcomes, decided, queued, deliveries: deliveries() });
  });
}

/** In the transaction of the push, so that neither is there without the other. A replay writes nothing. */
async function auditPush(tx: Client, member: PushingMember, { decided }: WriteSet, now: Date): Promise<void> {
  for (const { decision } of decided)
    await recordAudit(tx, now, {
      businessId: decision.businessId,
      actor: actingMember(member.id),
      action: 'message.pushed',
      // The message's id stands for its recipient, whom no entry's detail may name.
      detail: { message_id: decision.message.id, created: decision.created },
    });
}

const nothingWritten = (outcomes: PushOutcome[]): GroupResult => ({
  outcomes,
  decided: [],
  queued: false,
  deliveries: 0,
});

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

function decideOne(
  deps: AcceptDeps,
  loaded: LoadedGroup,
  writes: WriteSet,
  item: PushItem,
  now: Date,
  ordinal: number,
): PushOutcome {
  const business = loaded.snapshot.businesses.get(item.businessId);
  if (!business) return { kind: 'error', error: new ApiError('business.invalid_api_key') };
  const verdict = decide(item.request, business, loaded.snapshot, now, () => newId(now, ordinal));
  if (verdict.kind === 'refused') return { kind: 'error', error: verdict.error };
  const { decision } = verdict;
  applyToSnapshot(loaded.snapshot, business, decision);
  const body = deps.render(decision.result);
  const answer = responseRow(pushKey(item), item.fingerprint, 201, body, decision.recipient.id);
  writes.decided.push({ decision, answer, trace: item.span?.context });
  return { kind: 'answer', answer: { status: 201, body, replayed: false } };
}

/**
 * A batch's response contains the stored response of an item, and is kept longer than that. The item's key may be reused
 * meanwhile, so this row lets an erasure still find the batch.
 */
function rememberRepeated(writes: WriteSet, loaded: LoadedGroup, key: RecordKey, fingerprint: string): void {
  const repeated = loaded.records.get(keyOf(key.businessId, key.scope, key.key));
  if (repeated?.fingerprint !== fingerprint) return;
  const { status, recipient_id } = repeated;
  writes.forErasure.push({
    ...responseRow(key, fingerprint, status, '', recipient_id ?? undefined),
    scope: 'batch_item',
  });
}

/** The recipient of an invalid item is unknown, so the next erasure in the business replaces the item's detail. */
const erasedDetailRow = (
  { businessId, fingerprint }: BatchContext['key'],
  { key, detail }: ErasedDetail,
): ResponseRow => ({
  ...responseRow({ businessId, scope: 'batch', key }, fingerprint, 422, detail, undefined),
  scope: 'batch_item',
});
