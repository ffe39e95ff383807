import { type Channel, channels } from '../contract/channels.ts';
import { isConflict, isUnavailable, isUnstorable } from '../db/errors.ts';
import type { Client, Pool } from '../db/pool.ts';
import { type TransactionEnd, transaction } from '../db/transaction.ts';
import { ApiError } from '../kit/errors.ts';
import type { Tracing } from '../kit/tracing.ts';
import { type ApiKeyRef, refusalOf } from './callers.ts';
import { classify } from './classify.ts';
import { traceCommit } from './commitSpan.ts';
import { type DecideDeps, decideGroup, type GroupResult } from './decideGroup.ts';
import { type Preloaded, preload } from './load.ts';
import { type BatchKey, type Locks, tryLocks, waitForLocks } from './locks.ts';
import type { PushOutcome } from './outcomes.ts';
import { pushKey, type RecordKey } from './records.ts';
import type { PushItem } from './request.ts';

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

export interface AcceptDeps extends DecideDeps {
  pool: Pool;
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

/** Thrown by a group that should run again: another transaction is about to release what it needs. */
export class RunAgain extends ApiError {}

/** Fewer attempts than a worker makes, since a caller is waiting. */
const ACCEPT_TRANSACTION = {
  planning: 'by_key',
  attempts: 3,
  isRace: (error: unknown) => isConflict(error) || error instanceof RunAgain,
} as const;

/** Runs the group in its transaction, and notifies the workers. A conflict with another transaction is retried; any other error is thrown. */
export async function commitGroup(
  deps: AcceptDeps,
  items: readonly Pick<PushItem, 'businessId' | 'span'>[],
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
  { clock, hash }: DecideDeps,
  items: PushItem[],
  { wait, callers, batchKey }: LockOptions,
): Promise<LockedGroup> {
  const keys: RecordKey[] = items.map(pushKey);
  if (batchKey) keys.push(batchKey);
  const [locks, preloaded] = await Promise.all([
    wait ? waitForLocks(tx, items, batchKey ?? null) : tryLocks(tx, items),
    preload(tx, hash, { now: clock.now(), pushes: items, keys, callers }),
  ]);
  return { ...preloaded, locks };
}

function countSkipped(
  onSkipped: (channel: Channel, reason: string) => void,
  decided: GroupResult['decided'],
): void {
  for (const { decision } of decided)
    for (const channel of channels) {
      const reason = decision.result[channel]?.skipped_reason ?? null;
      if (reason !== null) onSkipped(channel, reason);
    }
}
