import { ApiError, type Fault } from '../kit/errors.ts';
import {
  type AcceptDeps,
  commitGroup,
  decideGroup,
  type LockedGroup,
  lockAndPreload,
  RunAgain,
} from './accept.ts';
import { type ApiKeyRef, refusalOf } from './callers.ts';
import { classify, storedOutcome } from './classify.ts';
import type { BatchKey } from './locks.ts';
import { type PushOutcome, type PushResponse, responseRow } from './outcomes.ts';
import { pushKey, recordOf } from './records.ts';
import type { PushItem } from './request.ts';
import type { ResponseRow, WriteSet } from './writeSet.ts';

export interface Batch extends ApiKeyRef {
  key: string;
  fingerprint: string;
  items: BatchItem[];
  bytes: number;
}

/** One item of a batch: a push, or an item that failed validation. */
export type BatchItem =
  | { kind: 'push'; push: PushItem }
  | { kind: 'invalid'; error: ApiError; erasedDetail: ErasedDetail | null };

/** The text that replaces an item's error detail in an erasure, because the detail quotes the caller's input. */
export interface ErasedDetail {
  /** The item's idempotency key. */
  key: string;
  detail: string;
}

/** A batch is a group of its own. It stores its whole response under its own key, in addition to its items' responses. */
export async function acceptBatch(deps: AcceptDeps, batch: Batch): Promise<PushResponse> {
  const items = batch.items.flatMap((item) => (item.kind === 'push' ? [item.push] : []));
  const { businessId, key, fingerprint } = batch;
  const batchKey: BatchKey = { businessId, scope: 'batch', key, items: batch.items.length };
  let body = '';
  try {
    await commitGroup(deps, items, async (tx) => {
      const group = await lockAndPreload(tx, deps, items, { wait: true, callers: [batch], batchKey });
      refuseBatch(batch, batchKey, items, group);
      const classified = classify(items, group.locks, group.records, () => null);
      return decideGroup(tx, deps, items, group, classified, async (outcomes) => {
        body = batchBody(batch.items, outcomes);
        return {
          batchResponse: responseRow(batchKey, fingerprint, 200, body, undefined),
          forErasure: forErasure(batch, items, group),
        };
      });
    });
  } catch (error) {
    if (error instanceof AlreadyAnswered) return error.answer;
    throw error;
  }
  return { status: 200, body, replayed: false };
}

/** Thrown to leave the transaction of a batch whose response is stored. */
class AlreadyAnswered extends Error {
  readonly answer: PushResponse;
  constructor(answer: PushResponse) {
    super('answered before');
    this.answer = answer;
  }
}

function refuseBatch(batch: Batch, batchKey: BatchKey, items: PushItem[], group: LockedGroup): void {
  const refused = refusalOf(group.callers, batch);
  if (refused) throw refused;
  if (!group.locks.keys.every(Boolean)) throw keyConflictError(items, group);
  const before = storedOutcome(group.records, batchKey, batch.fingerprint);
  if (before?.kind === 'error') throw before.error;
  if (before?.kind === 'answer') throw new AlreadyAnswered(before.answer);
}

/** If the keys are locked but their responses are committed, the holder is about to release them: then a retry helps. */
function keyConflictError(items: PushItem[], { locks, records }: LockedGroup): ApiError {
  const anyAnswered = items.some((item) => storedOutcome(records, pushKey(item), item.fingerprint) !== null);
  const Conflict = locks.batchKey && anyAnswered ? RunAgain : ApiError;
  return new Conflict('idempotency.request_in_progress');
}

/** Rows that let an erasure find personal data in the batch's response, since the batch's row names no recipient. */
function forErasure(batch: Batch, items: PushItem[], { records }: LockedGroup): WriteSet['forErasure'] {
  const { businessId, fingerprint } = batch;
  // A batch's response contains the stored response of an item, and is kept longer than that. The item's key may be reused
  // meanwhile.
  const repeated = items.flatMap((item): ResponseRow[] => {
    const stored = recordOf(records, pushKey(item));
    if (stored?.fingerprint !== item.fingerprint) return [];
    const { status, recipient_id } = stored;
    const row = responseRow(pushKey(item), item.fingerprint, status, '', recipient_id ?? undefined);
    return [{ ...row, scope: 'batch_item' }];
  });
  // The recipient of an invalid item is unknown, so the next erasure in the business replaces the item's detail.
  const invalid = batch.items.flatMap((item): ResponseRow[] => {
    if (item.kind !== 'invalid' || item.erasedDetail === null) return [];
    const { key, detail } = item.erasedDetail;
    const row = responseRow({ businessId, scope: 'batch', key }, fingerprint, 422, detail, undefined);
    return [{ ...row, scope: 'batch_item' }];
  });
  return [...repeated, ...invalid];
}

/**
 * The response to a batch. It contains each item's stored bytes, so that an item's result is identical to the response of a
 * single push, now and in every replay.
 */
function batchBody(items: BatchItem[], outcomes: PushOutcome[]): string {
  let next = 0;
  let succeeded = 0;
  const parts = items.map((item, index) => {
    const outcome: PushOutcome | undefined =
      item.kind === 'invalid' ? { kind: 'error', error: item.error } : outcomes[next++];
    if (outcome?.kind === 'answer') {
      succeeded += 1;
      return `{"index":${index},"ok":true,"result":${outcome.answer.body},"error_code":null,"detail":null}`;
    }
    if (outcome?.kind !== 'error') throw new Error('an item of a batch has no outcome');
    const { code, detail } = outcome.error;
    return JSON.stringify({ index, ok: false, result: null, error_code: code, detail: inWords(detail) });
  });
  return `{"items":[${parts.join(',')}],"succeeded":${succeeded},"failed":${items.length - succeeded}}`;
}

/** The faults of an item as one line that names each field. */
const inWords = (detail: string | Fault[]): string =>
  typeof detail === 'string'
    ? detail
    : detail.map(({ loc, msg }) => `${loc.slice(1).join('.') || 'item'}: ${msg}`).join('; ');
