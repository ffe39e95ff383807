import { type Fingerprinted, isSameRequest } from '../db/idempotency.ts';
import { ApiError } from '../kit/errors.ts';
import { type Calling, refusalOf } from './callers.ts';
import { keyOf } from './known.ts';
import type { Loaded, RecordKey } from './load.ts';
import type { LoadedCaller } from './loaded.ts';
import type { Locks, OwnKey } from './locks.ts';
import { pushKey } from './look.ts';
import type { PushItem } from './request.ts';
import type { RecordRow } from './written.ts';

export interface Answer {
  status: number;
  body: string;
  replayed: boolean;
}

/** `deferred`: the recipient is busy with something else; to be run alone, where waiting holds up nobody. */
export type Outcome =
  | { kind: 'answer'; answer: Answer }
  | { kind: 'error'; error: ApiError }
  | { kind: 'deferred' };

/** What can be answered without a decision: a key that does not count any more, or an answer given before. */
export function earlyOutcome(
  callers: readonly LoadedCaller[],
  records: Loaded['records'],
  item: PushItem,
): Outcome | null {
  const error = refusalOf(callers, item);
  return error ? { kind: 'error', error } : answered(records, pushKey(item), item);
}

/** The same answer again; a key that was spent on another request is refused. */
export function answered(
  records: Loaded['records'],
  { businessId, scope, key }: RecordKey,
  request: Fingerprinted,
): Outcome | null {
  const before = records.get(keyOf(businessId, scope, key));
  if (!before) return null;
  if (!isSameRequest(before.fingerprint, request))
    return { kind: 'error', error: new ApiError('idempotency.key_reused') };
  return { kind: 'answer', answer: { status: before.status, body: before.response, replayed: true } };
}

/** An answer as it is remembered for its key. */
export const record = (
  { businessId, scope, key }: RecordKey,
  fingerprint: string,
  status: number,
  response: string,
  recipientId: string | undefined,
): RecordRow & { response: string } => ({
  business_id: businessId,
  scope,
  key,
  fingerprint: `\\x${fingerprint}`,
  status,
  response,
  recipient_id: recipientId,
});

export const inProgress = (): Outcome => ({
  kind: 'error',
  error: new ApiError('idempotency.request_in_progress'),
});

/** The detail that takes the place of one that holds the caller's own text, once a person is erased. */
export interface ErasedDetail {
  /** The item's. */
  key: string;
  detail: string;
}

/** An answer stored beside the items' own: a batch remembers its whole response under its own key. */
export interface Together {
  key: OwnKey & Calling & Fingerprinted;
  /** Stored beside the answer, so that an erasure finds its details that hold the caller's own text. */
  erasedDetails: readonly ErasedDetail[];
  respond: (outcomes: Outcome[]) => string;
}

/** A batch that was answered before: leaves the transaction with that answer. */
export class AnsweredBefore extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super('answered before');
    this.answer = answer;
  }
}

export function throwIfAnswered(loaded: Loaded, together: Together): void {
  const before = answered(loaded.records, together.key, together.key);
  if (before?.kind === 'error') throw before.error;
  if (before?.kind === 'answer') throw new AnsweredBefore(before.answer);
}

/** The keys that a batch finds taken may be answered already: whoever holds them is then about to let go of them. */
export class BeingLetGo extends ApiError {
  constructor() {
    super('idempotency.request_in_progress');
  }
}

export function stillTaken(items: PushItem[], { own }: Locks, records: Loaded['records']): ApiError {
  const anyAnswered = items.some((item) => answered(records, pushKey(item), item) !== null);
  return own && anyAnswered ? new BeingLetGo() : new ApiError('idempotency.request_in_progress');
}
