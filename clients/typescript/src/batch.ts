import { type ErrorFacts, WaypostError } from './errors.ts';
import type { BatchItemResult, ErrorCode, PushResult } from './generated/api.ts';
import type { Open } from './open.ts';

/** The most that the server takes in one call, and the longest key for it. */
const BATCH_MAX = 100;
const BATCH_KEY_MAX = 252;

/** What became of one push of a batch: `ok` tells which of the two it is. */
export type BatchItem =
  | { index: number; ok: true; result: PushResult; error_code: null; detail: null }
  | { index: number; ok: false; result: null; error_code: Open<ErrorCode>; detail: string | null };

/** What became of a batch. */
export interface BatchOutcome {
  /** In the order of the pushes. */
  items: BatchItem[];
  succeeded: number;
  failed: number;
}

/** An item of a call as one of the whole. */
export const batchItem = (
  { index, result, error_code, detail }: BatchItemResult,
  start: number,
): BatchItem =>
  result === null
    ? { index: start + index, ok: false, result, error_code: error_code ?? '', detail }
    : { index: start + index, ok: true, result, error_code: null, detail: null };

/** A part of a long batch, sent in one call. */
export interface Chunk<Item> {
  /** The position of its first item in the whole. */
  start: number;
  items: Item[];
  key: string;
}

/**
 * Splits a batch into calls. One call has the key as it is; several have `key.0`, `key.1` and so on. So the same list and
 * key make the same calls, and repeating them does nothing twice.
 */
export function chunksOf<Item>(items: readonly Item[], key: string): Chunk<Item>[] {
  const count = Math.ceil(items.length / BATCH_MAX);
  const keyOf = (index: number): string => (count === 1 ? key : `${key}.${index}`);
  // Before anything is sent: else the tenth call would be the first with a key that is too long.
  if (count > 0 && keyOf(count - 1).length > BATCH_KEY_MAX)
    throw new RangeError(`The idempotency key of this batch is longer than ${BATCH_KEY_MAX} characters.`);
  return Array.from({ length: count }, (_, index) => {
    const start = index * BATCH_MAX;
    return { start, items: items.slice(start, start + BATCH_MAX), key: keyOf(index) };
  });
}

/**
 * A batch that was not sent to its end. `results` are the outcomes until then, `cause` is what stopped it. Push the same
 * list again with `idempotencyKey`: what is in `results` is replayed, the rest is pushed.
 */
export class BatchError extends WaypostError {
  override readonly name = 'BatchError';
  /** The outcomes of the items before the call that failed, in order. */
  declare readonly results: readonly BatchItem[];

  constructor(results: readonly BatchItem[], idempotencyKey: string, cause: unknown) {
    super(
      batchFacts(idempotencyKey, cause),
      `stopped after ${results.length} items: ${cause instanceof Error ? cause.message : 'it was aborted'}`,
    );
    // Results name recipients, so a logger that prints the error's fields leaves them out.
    Object.defineProperty(this, 'results', { value: results, enumerable: false });
  }
}

function batchFacts(idempotencyKey: string, cause: unknown): ErrorFacts {
  const unanswered = { code: 'client.aborted', status: null, requestId: null, detail: null, attempts: 0 };
  const { code, status, requestId, detail, attempts } = cause instanceof WaypostError ? cause : unanswered;
  return {
    operation: 'messages.pushBatch',
    code,
    status,
    requestId,
    detail,
    attempts,
    idempotencyKey,
    cause,
  };
}
