import { isLockTimeout, isUnavailable } from '../db/errors.ts';
import type { Fingerprinted } from '../idempotency/idempotency.ts';
import { monotonicMs } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import type { ApiError } from '../kit/errors.ts';
import { type AcceptDeps, acceptGroup, asApiError, type GroupOptions } from './accept.ts';
import {
  AlreadyAnswered,
  type BatchContext,
  type BatchItem,
  batchBody,
  type PushOutcome,
  type PushResponse,
} from './outcomes.ts';
import type { PushItem } from './request.ts';
import { createWriteProgress } from './writeProgress.ts';

export interface Pushes {
  push(item: PushItem): Promise<PushResponse>;
  batch(batch: Batch): Promise<PushResponse>;
  /** Whether what is being written has stopped making progress. */
  stalled(): boolean;
  /** Resolves when nothing is being written any more. */
  idle(): Promise<void>;
}

export interface Batch extends Fingerprinted {
  businessId: string;
  keyId: string;
  key: string;
  items: BatchItem[];
  bytes: number;
}

/** Two writers keep the database busy while the next list gathers; more only contend (measured). */
const LANES = 2;
const LIST_MAX = 100;
/** Shorter lists cost more for each of their pushes than a second writer gains (measured). */
const WORTH_A_LANE = 16;
/** Of one business; all of them together may have twice as many, and twice as much, waiting. */
const WAITING_MAX = 2_000;
const WAITING_BYTES_MAX = 32 * 1024 * 1024;
/** For businesses that have nothing in a list that runs, so that they do not wait for one full of somebody else's pushes. */
const SPARE_LANES = 2;
const SPARE_LANES_OF_ONE = 1;
/** Items that must wait for their recipient, each in a transaction of its own. */
const ALONE_LANES = 4;
/** Batches wait here and not for connections, which everyone else needs as well. */
const BATCH_LANES = 4;
const BATCHES_WAITING_MAX = 200;
const BATCHES_WAITING_BYTES_MAX = 128 * 1024 * 1024;

/** The way in for every push: single ones are gathered into lists, a batch is a list already. */
export function createPushes(deps: AcceptDeps): Pushes {
  const progress = createWriteProgress(monotonicMs);
  const write = (items: PushItem[], options: GroupOptions): Promise<PushOutcome[]> =>
    progress.follow(acceptGroup(deps, items, options), isOutOfReach);

  const alone = coalesce<PushItem, PushOutcome>({
    run: ([item]) => (item ? write([item], { wait: true, batch: null }) : Promise.resolve([])),
    concurrency: ALONE_LANES,
    spareConcurrency: SPARE_LANES_OF_ONE,
    maxItems: 1,
    maxWaiting: WAITING_MAX,
    maxWaitingBytes: WAITING_BYTES_MAX,
    sizeOf: ({ bytes }) => bytes,
    tenantOf: ({ businessId }) => businessId,
  });

  const gathered = coalesce<PushItem, PushOutcome>({
    run: (items) => acceptGathered(items),
    concurrency: LANES,
    spareConcurrency: SPARE_LANES,
    maxItems: LIST_MAX,
    minListSize: WORTH_A_LANE,
    maxWaiting: WAITING_MAX,
    maxWaitingBytes: WAITING_BYTES_MAX,
    sizeOf: ({ bytes }) => bytes,
    tenantOf: ({ businessId }) => businessId,
  });

  const batches = coalesce<Batch, PushResponse>({
    run: async ([batch]) => (batch ? [await acceptBatch(write, batch)] : []),
    concurrency: BATCH_LANES,
    spareConcurrency: SPARE_LANES_OF_ONE,
    maxItems: 1,
    maxWaiting: BATCHES_WAITING_MAX,
    maxWaitingBytes: BATCHES_WAITING_BYTES_MAX,
    sizeOf: ({ bytes }) => bytes,
    tenantOf: ({ businessId }) => businessId,
  });

  /** An item that fails must not take its neighbours along: when a list fails, each of its items runs alone. */
  async function acceptGathered(items: PushItem[]): Promise<(PushOutcome | Promise<PushOutcome>)[]> {
    const outcomes = await write(items, { wait: false, batch: null }).catch((error: unknown) => {
      if (items.length === 1 || isOutOfReach(error)) throw error;
      return items.map((): PushOutcome => ({ kind: 'deferred' }));
    });
    return outcomes.map((outcome, index) => {
      const item = items[index];
      return outcome.kind === 'deferred' && item ? alone.add(item) : outcome;
    });
  }

  return {
    async push(item) {
      const outcome = await gathered.add(item).catch((error: unknown) => failed(asApiError(error)));
      if (outcome.kind === 'answer') return outcome.answer;
      if (outcome.kind === 'error') throw outcome.error;
      throw new Error('a push was deferred twice');
    },

    async batch(batch) {
      try {
        return await batches.add(batch);
      } catch (error) {
        if (error instanceof AlreadyAnswered) return error.answer;
        throw asApiError(error);
      }
    },

    stalled: () => progress.stalled(),

    idle: async () => {
      await gathered.idle();
      await alone.idle();
      await batches.idle();
    },
  };
}

/** The database itself; a lock that somebody held for too long says nothing about it. */
const isOutOfReach = (error: unknown): boolean => isUnavailable(error) && !isLockTimeout(error);

const failed = (error: ApiError): PushOutcome => ({ kind: 'error', error });

async function acceptBatch(
  write: (items: PushItem[], options: GroupOptions) => Promise<PushOutcome[]>,
  batch: Batch,
): Promise<PushResponse> {
  const items = batch.items.flatMap((item) => (item.kind === 'push' ? [item.push] : []));
  let body = '';
  const { businessId, keyId, key, fingerprint, unkeyedFingerprint } = batch;
  const context: BatchContext = {
    key: {
      businessId,
      keyId,
      scope: 'batch',
      key,
      items: batch.items.length,
      fingerprint,
      unkeyedFingerprint,
    },
    erasedDetails: batch.items.flatMap((item) =>
      item.kind === 'invalid' && item.erasedDetail ? [item.erasedDetail] : [],
    ),
    respond: (outcomes) => {
      body = batchBody(batch.items, outcomes);
      return body;
    },
  };
  await write(items, { wait: true, batch: context });
  return { status: 200, body, replayed: false };
}
