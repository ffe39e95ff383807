import type { Client } from '../db/pool.ts';
import { TransactionEnd } from '../db/transaction.ts';
import { type AcceptDeps, commitGroup, lockAndPreload } from '../push/accept.ts';
import { refusalOf } from '../push/callers.ts';
import { classify } from '../push/classify.ts';
import type { Decision } from '../push/decide.ts';
import { decideGroup, type GroupResult } from '../push/decideGroup.ts';
import type { PushOutcome } from '../push/outcomes.ts';
import { recordsOf } from '../push/records.ts';
import type { PushItem } from '../push/request.ts';
import { keyOf } from '../push/snapshot.ts';
import { type DecidedEvent, decideEvents, type Fate } from './decideEvents.ts';
import type { TrackingItem } from './item.ts';
import { knownOrders, orderKey } from './knownOrders.ts';
import {
  AddresseeErased,
  findAddressesNamed,
  loadOwnTexts,
  lockAndLoad,
  requireAddressees,
  trackingKey,
} from './load.ts';
import { type Milestone, milestoneKey, milestonePush, milestoneText } from './milestone.ts';
import { writeTracking } from './sql.ts';
import { answerTo, type PushOf, trackingRows } from './trackingRows.ts';

/*
 * A group of tracking events is accepted in one transaction: in two round trips, and in two more if events make messages. Such a
 * message is a push like any other: push/ locks, loads, decides and writes it.
 *
 *   events ──► classify ─────► decide ────────────────────────────────────────► write
 *              locks, answers  each event,  │                               ▲   events, shipments,
 *              and orders      in order     └─► push/: lock, load, decide ──┘   answers, commit
 */

/** More erasures of a person than can meet one event. */
const ATTEMPTS = 5;

/** `wait`: whether to wait for orders and recipients that another transaction has locked; if not, their events are deferred. */
export async function acceptTracking(
  deps: AcceptDeps,
  items: TrackingItem[],
  options: { wait: boolean },
): Promise<PushOutcome[]> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await acceptOnce(deps, items, options);
    } catch (error) {
      if (!(error instanceof AddresseeErased) || attempt === ATTEMPTS) throw error;
    }
}

function acceptOnce(
  deps: AcceptDeps,
  items: TrackingItem[],
  { wait }: { wait: boolean },
): Promise<PushOutcome[]> {
  return commitGroup(deps, items, async (tx) => {
    const { locks, row } = await lockAndLoad(tx, deps.clock.now(), items, wait);
    const records = recordsOf(row.records);
    const classified = classify(
      items,
      locks,
      records,
      (item) => refusalOf(row.callers ?? [], item),
      trackingKey,
    );
    const orders = knownOrders(items, row);
    const decidable = items.filter((_, place) => classified[place]?.kind === 'decidable');
    await findAddressesNamed(tx, decidable, orders);
    // Read after the locks, so that events are not dated before those of a transaction that this one waited for.
    const now = deps.clock.now();
    const fates = decideEvents(items, classified, orders, row, now);
    const milestones = milestonesIn(fates);
    return milestones.length === 0
      ? writeEvents(fates, now)
      : tellMilestones(tx, deps, fates, milestones, { now, wait });
  });
}

interface Told {
  event: DecidedEvent;
  milestone: Milestone;
}

const milestonesIn = (fates: readonly Fate[]): Told[] =>
  fates.flatMap((fate) => {
    if (fate.kind !== 'decided' || fate.event.milestone === null) return [];
    return [{ event: fate.event, milestone: fate.event.milestone }];
  });

function writeEvents(fates: readonly Fate[], now: Date): TransactionEnd<GroupResult> {
  const events = decidedIn(fates);
  const outcomes = outcomesOf(fates, () => null);
  const result = { outcomes, decided: [], queued: false, deliveries: 0 };
  if (events.length > 0)
    return TransactionEnd.finalWrites((send) => {
      send(writeTracking, now, ...trackingRows(now, events, () => null));
      return () => result;
    });
  // A replay never changes, so it is answered before the locks are released.
  const isReplay = outcomes.every(({ kind }) => kind === 'answer');
  return isReplay ? TransactionEnd.readOnly(result) : TransactionEnd.noFinalWrites(result);
}

interface TellOptions {
  now: Date;
  wait: boolean;
}

async function tellMilestones(
  tx: Client,
  deps: AcceptDeps,
  fates: readonly Fate[],
  milestones: readonly Told[],
  { now, wait }: TellOptions,
): Promise<TransactionEnd<GroupResult>> {
  const drafts = milestones.map(({ milestone, event }) => milestonePush(milestone, event.item));
  const told = milestones.map(({ milestone }) => milestone);
  const [group, ownText] = await Promise.all([
    lockAndPreload(tx, deps, drafts, { wait, callers: [] }),
    loadOwnTexts(tx, told),
  ]);
  await requireAddressees(tx, told);
  const classified = classify(drafts, group.locks, group.records, () => null);
  const places = [...drafts.keys()];
  const busy = new Set(
    places.flatMap((place) => {
      const item = milestones[place]?.event.item;
      return item && classified[place]?.kind === 'deferred' ? [orderKey(item)] : [];
    }),
  );
  // An event depends on those before it, so all of its order's run alone.
  const left = fates.map(
    (fate): Fate =>
      fate.kind === 'decided' && busy.has(orderKey(fate.event.item)) ? { kind: 'deferred' } : fate,
  );
  const kept = places.flatMap((place) => {
    const [one, draft, classification] = [milestones[place], drafts[place], classified[place]];
    if (!one || !draft || !classification || busy.has(orderKey(one.event.item))) return [];
    const text = milestoneText(one.milestone, ownText(one.milestone));
    return [{ push: { ...draft, request: { ...draft.request, ...text } }, classification }];
  });
  if (kept.length === 0) return writeEvents(left, now);

  const decisions = new Map<string, Decision>();
  const end = await decideGroup(
    tx,
    deps,
    kept.map(({ push }): PushItem => push),
    group,
    kept.map(({ classification }) => classification),
    async (_, decided) => {
      for (const { decision, answer } of decided)
        decisions.set(keyOf(answer.business_id, answer.key), decision);
      return [];
    },
  );
  const pushOf: PushOf = ({ item, milestone }) =>
    milestone === null ? null : (decisions.get(keyOf(item.businessId, milestoneKey(milestone))) ?? null);
  const rows = trackingRows(now, decidedIn(left), pushOf);
  const outcomes = outcomesOf(left, pushOf);
  return TransactionEnd.finalWrites((send) => {
    // Shipments before counters, as a push locks them.
    send(writeTracking, now, ...rows);
    const result = end.writes(send);
    return () => ({ ...result(), outcomes });
  });
}

const decidedIn = (fates: readonly Fate[]): DecidedEvent[] =>
  fates.flatMap((fate) => (fate.kind === 'decided' ? [fate.event] : []));

const outcomesOf = (fates: readonly Fate[], pushOf: PushOf): PushOutcome[] =>
  fates.map((fate) =>
    fate.kind === 'decided' ? { kind: 'answer', answer: answerTo(fate.event, pushOf(fate.event)) } : fate,
  );
