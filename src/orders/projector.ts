import { isUnavailable } from '../db/errors.ts';
import type { Client, Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, pause, SECOND } from '../kit/clock.ts';
import { lockNumber } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, startLoop } from '../kit/loop.ts';
import { recordEvents } from '../webhooks/events.ts';
import { ORDER_WORDS } from './applyChange.ts';
import { FoldedChanges } from './foldChanges.ts';
import {
  businessesWithChanges,
  forgetFormerRecipients,
  hasWaitingChanges,
  nextChanges,
  readSources,
  tryOrdersLock,
  waitForOrdersLock,
  writeOrders,
} from './projectorSql.ts';

/*
 * `orders` follows from what pushes, shipments and tracking events leave in `order_changes` (docs/adr/0021). One transaction at a time
 * applies the changes of a business, in order, and deletes them: each is applied exactly once, whatever crashes.
 */

export interface ProjectorDeps {
  pool: Pool;
  clock: Clock;
}

/** A transaction of some milliseconds. */
const CHANGES_A_BATCH = 500;
/** What a read applies at most before it answers: more waits only where no projector has run for long. */
const BATCHES_A_READ = 20;
/** A batch usually takes less than the first pause; all of them together take two seconds. */
const FIRST_PAUSE_MS = 15;
const LAST_PAUSE_MS = 1_000;
/** Changes that come meanwhile are applied together, which costs pushes less than one transaction for each. */
const BETWEEN_STEPS_MS = SECOND / 2;
const BUSINESSES_AT_ONCE = 2;

const BY_KEY = { planning: 'by_key' } as const;

const ordersLock = (businessId: string): bigint => lockNumber('orders', businessId);

interface ProjectorLoopDeps extends ProjectorDeps {
  log: Log;
  onEvents: () => void;
}

/** Applies changes behind those who write them. Any number of processes may run it at once. */
export function startProjector(deps: ProjectorLoopDeps): Loop {
  const { pool, clock, log } = deps;
  return startLoop({
    name: 'orders',
    log,
    clock,
    ...changesDue(pool),
    busy: () => 0,
    pauseMs: BETWEEN_STEPS_MS,
    step: () => applyWaiting(deps),
  });
}

/** Applies the next changes of each business; resolves to whether more wait. */
export async function applyWaiting(deps: ProjectorLoopDeps): Promise<boolean> {
  const { pool, log, onEvents } = deps;
  const ids = (await businessesWithChanges(pool)).map(({ business_id }) => business_id);
  let more = false;
  for (let at = 0; at < ids.length; at += BUSINESSES_AT_ONCE) {
    const batch = ids.slice(at, at + BUSINESSES_AT_ONCE);
    const outcomes = await Promise.allSettled(batch.map((id) => applyNext(deps, id)));
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') {
        if (isUnavailable(outcome.reason)) throw outcome.reason;
        // The changes of one business do not keep those of the others waiting.
        log.error({ error: outcome.reason, loop: 'orders' }, 'loop step failed');
      } else {
        if (outcome.value.deliveries > 0) onEvents();
        more ||= outcome.value.applied === CHANGES_A_BATCH;
      }
  }
  return more;
}

/** Also for a process without a worker, which waits for those that have one. */
export const changesDue = (pool: Pool) => ({
  nextDue: async () => null,
  settled: async () => (await businessesWithChanges(pool)).length === 0,
});

/** The next changes of a business, unless another transaction applies some. */
export const applyNext = (deps: ProjectorDeps, businessId: string) =>
  transaction(
    deps.pool,
    async (tx) => {
      const [lock] = await tryOrdersLock(tx, ordersLock(businessId));
      if (!lock?.free) return { ...NOTHING, isBusy: true };
      return { ...(await applyBatch(tx, deps.clock, businessId)), isBusy: false };
    },
    BY_KEY,
  );

/**
 * For a read: it shows what its caller wrote before. While another transaction applies changes it waits without a connection, so that
 * many reads of one shop keep none from the others. An erasure of a person with many orders takes long; what it has not changed can be
 * read meanwhile.
 */
export async function catchUp(deps: ProjectorDeps, businessId: string): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  for (let batch = 0; batch < BATCHES_A_READ && pauseMs <= LAST_PAUSE_MS; ) {
    const [state] = await hasWaitingChanges(deps.pool, businessId);
    if (!state?.waiting) return;
    const { isBusy, applied } = await applyNext(deps, businessId);
    if (isBusy) {
      await pause(pauseMs);
      pauseMs *= 2;
    } else if (applied < CHANGES_A_BATCH) return;
    else batch += 1;
  }
}

/** For an erasure: applies all changes of a business, and keeps others from being applied until the transaction ends. */
export async function holdOrders(tx: Client, clock: Clock, businessId: string): Promise<void> {
  await waitForOrdersLock(tx, ordersLock(businessId));
  for (;;) {
    const { applied } = await applyBatch(tx, clock, businessId);
    if (applied < CHANGES_A_BATCH) return;
  }
}

const NOTHING = { applied: 0, deliveries: 0 };

async function applyBatch(tx: Queryable, clock: Clock, businessId: string) {
  const changes = await nextChanges(tx, businessId, CHANGES_A_BATCH);
  if (changes.length === 0) return NOTHING;
  const folded = new FoldedChanges(businessId, changes);
  const asked = folded.asked();
  if (asked.length > 0) folded.addSources(await readSources(tx, businessId, asked, ORDER_WORDS));
  const orders = JSON.stringify(folded.orderRows());
  const people = JSON.stringify(folded.peopleRows());
  const changeIds = changes.map(({ id }) => id);
  await writeOrders(tx, businessId, changeIds, folded.unnamed, orders, people);
  const left = folded.mayHaveLeft();
  if (left.length > 0) {
    const references = left.map(({ reference }) => reference);
    const emails = left.map(({ email }) => email);
    await forgetFormerRecipients(tx, businessId, references, emails);
  }
  return { applied: changes.length, deliveries: await recordEvents(tx, folded.events, clock.now()) };
}
