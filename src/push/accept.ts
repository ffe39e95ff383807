import type { Client, Pool } from '../db/pool.ts';
import { type Ending, isRace, isUnavailable, isUnstorable, transactionEnding } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import {
  answered,
  BeingLetGo,
  type ErasedDetail,
  earlyOutcome,
  inProgress,
  type Outcome,
  record,
  stillTaken,
  type Together,
  throwIfAnswered,
} from './answers.ts';
import { apply } from './apply.ts';
import { letGoOfNumbers } from './applySql.ts';
import { refusalOf } from './callers.ts';
import { absorb, decide } from './decide.ts';
import { keyOf } from './known.ts';
import { type Loaded, load, type RecordKey } from './load.ts';
import { standingsOf } from './locks.ts';
import { lookAt, pushKey } from './look.ts';
import type { PushItem, PushResult } from './request.ts';
import type { RecordRow, Written } from './written.ts';

export interface AcceptDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
  render: (result: PushResult) => string;
  /** Told once a list is committed, so that workers need not poll. */
  onSendsOf: (businesses: readonly string[]) => void;
  onEvents: () => void;
}

const RACES_BEFORE_GIVING_UP = 3;

/**
 * Accepts a list of pushes in one transaction: lock, load, decide each in order, apply and commit. Two round trips, or
 * three, whatever the length. A race with another list is run again; any other error is the caller's to handle.
 */
export async function acceptList(
  deps: AcceptDeps,
  items: PushItem[],
  options: ListOptions,
): Promise<Outcome[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { outcomes, queued, deliveries } = await transactionEnding(
        deps.pool,
        (tx) => workOn(tx, deps, items, options),
        'by_key',
      );
      if (queued) deps.onSendsOf([...new Set(items.map(({ businessId }) => businessId))]);
      if (deliveries > 0) deps.onEvents();
      return outcomes;
    } catch (error) {
      if (!(isRace(error) || error instanceof BeingLetGo) || attempt === RACES_BEFORE_GIVING_UP) throw error;
    }
  }
}

export interface ListOptions {
  /** Whether to wait for recipients that are busy, or to defer their items. */
  wait: boolean;
  together: Together | null;
}

/** What an error that stopped a whole list means to each caller in it. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isUnstorable(error)) return new ApiError('request.unstorable_input');
  if (isRace(error)) return new ApiError('request.conflict');
  if (isUnavailable(error)) return new ApiError('common.unavailable', undefined, { 'retry-after': '1' });
  throw error;
}

interface Worked {
  outcomes: Outcome[];
  /** Whether any send wants a worker. */
  queued: boolean;
  /** Webhook deliveries that want one. */
  deliveries: number;
}

async function workOn(
  tx: Client,
  deps: AcceptDeps,
  items: PushItem[],
  { wait, together }: ListOptions,
): Promise<Ending<Worked>> {
  const {
    locks,
    callers,
    records,
    heldNumbers,
    loaded: alreadyLoaded,
  } = await lookAt(tx, deps, items, wait, together?.key ?? null);
  const refused = together ? refusalOf(callers, together.key) : null;
  if (refused) throw refused;
  if (together && !locks.keys.every(Boolean)) throw stillTaken(items, locks, records);
  // Read after the locks, so that what is written is not older than what was waited for.
  const now = deps.clock.now();
  const written: Written = { decided: [], forErasure: [], whole: null };
  const standings = standingsOf(items, locks);
  const early = items.map((item) => (together ? null : earlyOutcome(callers, records, item)));
  const open = items.filter((_, ordinal) => early[ordinal] === null && standings[ordinal] !== 'in_progress');
  const replays = early.flatMap((outcome) => (outcome?.kind === 'answer' ? outcome : []));
  // Whoever asks again is answered the same, whether or not the locks are gone by then: nobody waits for that.
  if (replays.length === items.length && !together) return { unchanged: nothingWritten(replays) };
  if (open.length === 0 && !together)
    return { last: async () => nothingWritten(early.map((outcome): Outcome => outcome ?? inProgress())) };

  const keys: RecordKey[] = open.map(pushKey);
  if (together) keys.push(together.key);
  const asking = items.filter((_, ordinal) => early[ordinal] === null && standings[ordinal] === 'free');
  const loaded = alreadyLoaded?.() ?? (await load(tx, deps.hash, now, keys, asking, heldNumbers));
  if (together) throwIfAnswered(loaded, together);

  const outcomes = items.map((item, ordinal): Outcome => {
    const standing = standings[ordinal];
    const before = early[ordinal];
    if (before) return before;
    if (standing === 'in_progress') return inProgress();
    const meanwhile = answered(loaded.records, pushKey(item), item);
    if (meanwhile && together) rememberRepeated(written, loaded, pushKey(item), item.fingerprint);
    if (meanwhile) return meanwhile;
    return standing === 'free' ? decideOne(deps, loaded, written, item, now, ordinal) : { kind: 'deferred' };
  });
  if (together) {
    const { key, erasedDetails, respond } = together;
    written.whole = record(key, key.fingerprint, 200, respond(outcomes), undefined);
    written.forErasure.push(...erasedDetails.map((erased) => erasedDetailRow(key, erased)));
  }
  const { handedOver } = loaded.known;
  if (handedOver.length > 0)
    await letGoOfNumbers(
      tx,
      handedOver.map(({ businessId }) => businessId),
      handedOver.map(({ number }) => number),
    );
  const { decided, whole } = written;
  if (decided.length === 0 && whole === null) return { last: async () => nothingWritten(outcomes) };
  const queued = decided.some(({ decision }) => decision.sends.length > 0);
  return {
    last: async () => ({ outcomes, queued, deliveries: await apply(tx, now, written, loaded.outdated) }),
  };
}

const nothingWritten = (outcomes: Outcome[]): Worked => ({ outcomes, queued: false, deliveries: 0 });

function decideOne(
  deps: AcceptDeps,
  loaded: Loaded,
  written: Written,
  item: PushItem,
  now: Date,
  ordinal: number,
): Outcome {
  const business = loaded.known.businesses.get(item.businessId);
  if (!business) return { kind: 'error', error: new ApiError('business.invalid_api_key') };
  const verdict = decide(item.request, business, loaded.known, now, () => newId(now, ordinal));
  if (verdict.kind === 'refused') return { kind: 'error', error: verdict.error };
  const { decision } = verdict;
  absorb(loaded.known, business, decision);
  const body = deps.render(decision.result);
  const answer = record(pushKey(item), item.fingerprint, 201, body, decision.recipient.id);
  written.decided.push({ decision, answer });
  return { kind: 'answer', answer: { status: 201, body, replayed: false } };
}

/**
 * The answer to a batch repeats an item's older one and outlives it, and the item's key may be used anew meanwhile. An
 * erasure must find the batch all the same.
 */
function rememberRepeated(written: Written, loaded: Loaded, key: RecordKey, fingerprint: string): void {
  const repeated = loaded.records.get(keyOf(key.businessId, key.scope, key.key));
  if (repeated?.fingerprint !== fingerprint) return;
  const { status, recipient_id } = repeated;
  written.forErasure.push({
    ...record(key, fingerprint, status, '', recipient_id ?? undefined),
    scope: 'batch_item',
  });
}

/** Of a failed item it is not known whom it was about: its detail goes with the next erasure of the business. */
const erasedDetailRow = (
  { businessId, fingerprint }: Together['key'],
  { key, detail }: ErasedDetail,
): RecordRow => ({
  ...record({ businessId, scope: 'batch', key }, fingerprint, 422, detail, undefined),
  scope: 'batch_item',
});
