import type { Client } from '../db/pool.ts';
import { TransactionEnd } from '../db/transaction.ts';
import { ApiError, type Fault, statusOf } from '../kit/errors.ts';
import { type AcceptDeps, commitGroup, type LockedGroup, lockAndPreload, RunAgain } from './accept.ts';
import { type ApiKeyRef, refusalOf } from './callers.ts';
import { classify, storedOutcome } from './classify.ts';
import { decideGroup } from './decideGroup.ts';
import { loadBatchParts } from './loadSql.ts';
import { type BatchKey, itemKey } from './locks.ts';
import { type PushOutcome, type PushResponse, type ResponseRow, responseRow } from './outcomes.ts';
import { pushKey, type Records, recordOf } from './records.ts';
import type { PushItem } from './request.ts';

export interface Batch extends ApiKeyRef {
  key: string;
  fingerprint: string;
  items: BatchItem[];
  bytes: number;
}

/**
 * One item of a batch: a push, or an item that failed validation. Where the error's detail quotes the caller, an erasure replaces it
 * with `erasedDetail`.
 */
export type BatchItem =
  | { kind: 'push'; push: PushItem }
  | { kind: 'invalid'; error: ApiError; erasedDetail: string | null };

/** What a batch answers to one of its items: the response of a push, or a `Failure` as JSON. */
type Part = Pick<ResponseRow, 'status' | 'response'>;

const PUSHED = 201;

/**
 * A batch is a group of its own. Its response is composed of its items' parts, now and in every replay: the responses of the pushes that
 * it made and, as `batch_item`, what it answered to the other items.
 */
export async function acceptBatch(deps: AcceptDeps, batch: Batch): Promise<PushResponse> {
  const pushes = batch.items.flatMap((item) => (item.kind === 'push' ? [item.push] : []));
  const { businessId, key, fingerprint } = batch;
  const batchKey: BatchKey = { businessId, scope: 'batch', key, items: batch.items.length };
  let parts: Part[] = [];
  let replayed = false;
  await commitGroup(deps, pushes, async (tx) => {
    const group = await lockAndPreload(tx, deps, pushes, { wait: true, callers: [batch], batchKey });
    replayed = isAnswered(batch, batchKey, pushes, group);
    if (replayed) {
      parts = await storedParts(tx, batch);
      return TransactionEnd.readOnly({ outcomes: [], decided: [], queued: false, deliveries: 0 });
    }
    const classified = classify(pushes, group.locks, group.records, () => null);
    return decideGroup(tx, deps, pushes, group, classified, async (outcomes) => {
      const rows = partsOf(batch, outcomes, group.records);
      parts = rows;
      return [
        responseRow(batchKey, fingerprint, 200, ''),
        ...rows.filter(({ scope }) => scope === 'batch_item'),
      ];
    });
  });
  return { status: 200, body: batchBody(parts), replayed };
}

/** Whether the batch has been answered before, which needs no lock. Throws why it is refused. */
function isAnswered(batch: Batch, batchKey: BatchKey, pushes: PushItem[], group: LockedGroup): boolean {
  const refused = refusalOf(group.callers, batch);
  if (refused) throw refused;
  const before = storedOutcome(group.records, batchKey, batch.fingerprint);
  if (before?.kind === 'error') throw before.error;
  if (before === null && !group.locks.keys.every(Boolean)) throw keyConflictError(pushes, group);
  return before !== null;
}

/** If the keys are locked but their responses are committed, the holder is about to release them: then a retry helps. */
function keyConflictError(items: PushItem[], { locks, records }: LockedGroup): ApiError {
  const anyAnswered = items.some((item) => storedOutcome(records, pushKey(item), item.fingerprint) !== null);
  const Conflict = locks.batchKey && anyAnswered ? RunAgain : ApiError;
  return new Conflict('idempotency.request_in_progress');
}

/** The parts in the order of the items. A push made by this batch is the only item whose part is its own response. */
function partsOf(
  { businessId, key, fingerprint, items }: Batch,
  outcomes: PushOutcome[],
  records: Records,
): ResponseRow[] {
  let next = 0;
  return items.map((item, index) => {
    const part = { businessId, scope: 'batch_item', key: itemKey(key, index) } as const;
    const failed = (error: ApiError, erasedDetail: string | null): ResponseRow =>
      responseRow(part, fingerprint, statusOf(error.code), JSON.stringify(failureOf(error, erasedDetail)));
    if (item.kind === 'invalid') return failed(item.error, item.erasedDetail);
    const outcome = outcomes[next++];
    switch (outcome?.kind) {
      case 'answer': {
        const { status, body, replayed } = outcome.answer;
        const recipientId = recordOf(records, pushKey(item.push))?.recipient_id;
        // A copy of what is repeated: that push is forgotten before the batch, and its key may be used again meanwhile.
        return responseRow(replayed ? part : pushKey(item.push), fingerprint, status, body, recipientId);
      }
      case 'error':
        return failed(outcome.error, null);
      default:
        throw new Error('an item of a batch has no outcome');
    }
  });
}

async function storedParts(tx: Client, { businessId, key, items }: Batch): Promise<Part[]> {
  const keys = items.map((_, index) => itemKey(key, index));
  const parts = await loadBatchParts(tx, businessId, key, keys);
  // Retention has deleted some meanwhile: the batch is forgotten, too.
  if (parts.length !== items.length) throw new RunAgain('idempotency.request_in_progress');
  return parts;
}

interface Failure {
  error_code: string;
  detail: string;
  erased_detail?: string;
}

const failureOf = ({ code, detail }: ApiError, erasedDetail: string | null): Failure => ({
  error_code: code,
  detail: inWords(detail),
  ...(erasedDetail !== null && { erased_detail: erasedDetail }),
});

/** A result stands in it with its stored bytes, so that it is identical to the response of a single push. */
function batchBody(parts: Part[]): string {
  const items = parts.map(({ status, response }, index) => {
    if (status === PUSHED)
      return `{"index":${index},"ok":true,"result":${response},"error_code":null,"detail":null}`;
    const { error_code, detail }: Failure = JSON.parse(response);
    return JSON.stringify({ index, ok: false, result: null, error_code, detail });
  });
  const succeeded = parts.filter(({ status }) => status === PUSHED).length;
  return `{"items":[${items.join(',')}],"succeeded":${succeeded},"failed":${parts.length - succeeded}}`;
}

/** The faults of an item as one line that names each field. */
const inWords = (detail: string | Fault[]): string =>
  typeof detail === 'string'
    ? detail
    : detail.map(({ loc, msg }) => `${loc.slice(1).join('.') || 'item'}: ${msg}`).join('; ');
