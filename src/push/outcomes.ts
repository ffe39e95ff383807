import { ApiError, type Fault } from '../kit/errors.ts';
import type { SnapshotCaller } from './buildSnapshot.ts';
import { type Calling, refusalOf } from './callers.ts';
import type { LoadedGroup, RecordKey } from './load.ts';
import { pushKey } from './lockAndPreload.ts';
import type { Locks, OwnKey } from './locks.ts';
import type { PushItem } from './request.ts';
import { keyOf } from './snapshot.ts';
import type { ResponseRow } from './writeSet.ts';

export interface PushResponse {
  status: number;
  body: string;
  replayed: boolean;
}

/** `deferred`: another transaction has locked the recipient, so the item runs again alone, where waiting delays no other. */
export type PushOutcome =
  | { kind: 'answer'; answer: PushResponse }
  | { kind: 'error'; error: ApiError }
  | { kind: 'deferred' };

/** The outcome of an item that needs no decision: its API key is invalid, or its response is stored. */
export function earlyOutcome(
  callers: readonly SnapshotCaller[],
  records: LoadedGroup['records'],
  item: PushItem,
): PushOutcome | null {
  const error = refusalOf(callers, item);
  return error ? { kind: 'error', error } : storedOutcome(records, pushKey(item), item);
}

/** Replays the stored response; a key that was used for a different request is refused. */
export function storedOutcome(
  records: LoadedGroup['records'],
  { businessId, scope, key }: RecordKey,
  { fingerprint }: { fingerprint: string },
): PushOutcome | null {
  const before = records.get(keyOf(businessId, scope, key));
  if (!before) return null;
  if (before.fingerprint !== fingerprint)
    return { kind: 'error', error: new ApiError('idempotency.key_reused') };
  return { kind: 'answer', answer: { status: before.status, body: before.response, replayed: true } };
}

/** The idempotency record of a response. */
export const responseRow = (
  { businessId, scope, key }: RecordKey,
  fingerprint: string,
  status: number,
  response: string,
  recipientId: string | undefined,
): ResponseRow & { response: string } => ({
  business_id: businessId,
  scope,
  key,
  fingerprint: `\\x${fingerprint}`,
  status,
  response,
  recipient_id: recipientId,
});

export const inProgress = (): PushOutcome => ({
  kind: 'error',
  error: new ApiError('idempotency.request_in_progress'),
});

/** The text that replaces an item's error detail in an erasure, because the detail quotes the caller's input. */
export interface ErasedDetail {
  /** The item's idempotency key. */
  key: string;
  detail: string;
}

/** A batch stores its whole response under its own key, in addition to its items' responses. */
export interface BatchContext {
  key: OwnKey & Calling & { fingerprint: string };
  /** Stored with the response, so that an erasure can replace details that quote the caller's input. */
  erasedDetails: readonly ErasedDetail[];
  respond: (outcomes: PushOutcome[]) => string;
}

/** Thrown to leave the transaction of a batch whose response is stored. */
export class AlreadyAnswered extends Error {
  readonly answer: PushResponse;
  constructor(answer: PushResponse) {
    super('answered before');
    this.answer = answer;
  }
}

export function throwIfAnswered(loaded: LoadedGroup, batch: BatchContext): void {
  const before = storedOutcome(loaded.records, batch.key, batch.key);
  if (before?.kind === 'error') throw before.error;
  if (before?.kind === 'answer') throw new AlreadyAnswered(before.answer);
}

/** The keys are still locked, but their responses are committed: the holder is about to release them, so a retry helps. */
export class KeyReleasePending extends ApiError {
  constructor() {
    super('idempotency.request_in_progress');
  }
}

export function stillTaken(items: PushItem[], { own }: Locks, records: LoadedGroup['records']): ApiError {
  const anyAnswered = items.some((item) => storedOutcome(records, pushKey(item), item) !== null);
  return own && anyAnswered ? new KeyReleasePending() : new ApiError('idempotency.request_in_progress');
}

/** One item of a batch: a push, or an item that failed validation. */
export type BatchItem =
  | { kind: 'push'; push: PushItem }
  | { kind: 'invalid'; error: ApiError; erasedDetail: ErasedDetail | null };

/**
 * The response to a batch. It contains each item's stored bytes, so that an item's result is identical to the response of a
 * single push, now and in every replay.
 */
export function batchBody(items: BatchItem[], outcomes: PushOutcome[]): string {
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
