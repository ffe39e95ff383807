import type { OrderStatus } from '../contract/orderStatuses.ts';
import { DAY } from '../kit/clock.ts';
import { type Change, changesOfOrder, hasParcel, isNamedBy, parcelsOf, type Rules } from './changes.ts';
import type { OrderFacts, Parcel, ShipmentEvent } from './facts.ts';
import {
  type Handled,
  type InJson,
  type KnownOrder,
  mergeFacts,
  shipmentChange,
  wordOf,
} from './knownOrder.ts';
import { statusToldFor } from './settings.ts';

/*
 * What a call of a store changes of what is known, and which of these changes are told:
 *
 *   known + facts ──► merge ──► changes ──► judge each ──► messages to make, parcels to add quietly, events to report
 *
 * Nothing here is done: storeCalls.ts pushes, and only then counts a message as told.
 */

export interface Circumstances {
  isWatched: boolean;
  /** A person runs the call again: what was not told before is told, old or not. */
  isAgain: boolean;
  receivedAt: Date;
}

/** One message, whatever number of changes it tells. */
export interface DecidedMessage {
  status: OrderStatus;
  /** Their names. */
  changes: readonly string[];
  parcels: readonly Parcel[];
}

export interface CallVerdict {
  /** Without what the messages tell: that counts once they are pushed. */
  known: KnownOrder;
  messages: readonly DecidedMessage[];
  /** Parcels of an order whose message was told before: they are added to it without a nudge. */
  quietParcels: readonly Parcel[];
  /** What the carrier reports, by the number of its parcel. */
  events: readonly (InJson<ShipmentEvent> & { trackingNumber: string })[];
  /** Why nothing is told, or not all. */
  reason: string | null;
}

/** An order that is older than this when it is first seen is only remembered. */
const FIRST_SEEN_MAX_MS = DAY;

export function decideCall(
  before: KnownOrder | null,
  facts: OrderFacts,
  rules: Rules,
  circumstances: Circumstances,
): CallVerdict {
  // A watched call that is run again shows what it says itself, whatever came after it.
  const isShownAgain = circumstances.isWatched && circumstances.isAgain;
  const { known, isLate } = mergeFacts(isShownAgain && facts.order ? withoutOrder(before) : before, facts);
  const all = changesOfOrder(known, rules);
  const changes = circumstances.isAgain ? all.filter((change) => isNamedBy(facts, change, isLate)) : all;
  const isOvertaken = isShownAgain
    ? comesAfterConfirmed(changes)
    : comesAfterConfirmed(all) || wasHandledAs('shipped', known, rules);
  const isFirstSeen = before === null || before.order === null;
  const judged = changes.map((change) => ({
    change,
    ...judge(change, known, { ...circumstances, isFirstSeen, isOvertaken, rules }),
  }));
  const handled: Record<string, Handled> = { ...(isShownAgain ? before?.handled : known.handled) };
  for (const { change, mark } of judged) if (mark !== null) handled[change.name] = mark;
  const events = circumstances.isWatched ? [] : reportable(known);
  const quietParcels = circumstances.isWatched ? [] : quietly(before, known, judged);
  const reasons = judged.flatMap(({ reason }) => (reason === null ? [] : [reason]));
  return {
    known: {
      ...known,
      order: isShownAgain ? (before?.order ?? known.order) : known.order,
      handled,
      events: circumstances.isWatched ? [] : known.events.filter((event) => !hasParcel(known, event)),
    },
    messages: messagesOf(judged),
    quietParcels,
    events,
    reason: reasons.find((reason) => reason !== 'no_change') ?? (isLate ? 'late' : 'no_change'),
  };
}

const withoutOrder = (before: KnownOrder | null): KnownOrder | null => before && { ...before, order: null };

interface Judgement {
  isTold: boolean;
  mark: Handled | null;
  reason: string | null;
}

const untold = (reason: string, mark: Handled | null = null): Judgement => ({ isTold: false, mark, reason });

/** The first rule that applies. Order matters: what no rule has stopped is told. */
function judge(
  change: Change,
  known: KnownOrder,
  {
    isWatched,
    isAgain,
    isFirstSeen,
    isOvertaken,
    receivedAt,
    rules,
  }: Circumstances & { isFirstSeen: boolean; isOvertaken: boolean; rules: Rules },
): Judgement {
  const before = known.handled[change.name];
  const { order } = known;
  if (before === 'told') return untold('no_change');
  if (before === 'watched' && !(isWatched && isAgain)) return untold('no_change');
  if (before !== undefined && !isAgain) return untold('no_change');
  if (isToldInOtherWords(change, known)) return untold('already_told', 'told');
  if (order === null) return untold('waits_for_order');
  if (order.isTest) return untold('test_order');
  if (change.isQuiet) return untold('quiet', 'not_told');
  if (change.status === null) return untold('status_not_told', 'not_told');
  const isStatus = change.kind !== 'event';
  // Before the address, which the shop may add long after.
  if (isStatus && isFirstSeen && !isAgain && isTooOld(change.at ?? order.createdAt, receivedAt))
    return untold('too_old', 'remembered');
  if (order.email === null) return untold('no_email');
  // What a carrier reports goes the way of every tracking event, which has rules of its own.
  if (!isStatus) return isWatched ? { isTold: true, mark: 'watched', reason: null } : untold('event_stored');
  if (change.status === 'confirmed' && isOvertaken) return untold('shipped_known', 'not_told');
  const isAnother = change.kind === 'shipment' && rules.tellsEachShipment;
  // While a connection is watched, what would have been told is all that stands for a message.
  const wouldBeTold = isWatched && !isAgain && wasHandledAs(change.status, known, rules);
  if (!isAnother && (known.told[change.status] !== undefined || wouldBeTold)) {
    const reason = change.leftOut[0] ?? (change.parcels.length > 0 ? 'quiet' : 'already_told');
    return untold(reason, isWatched ? 'watched' : 'told');
  }
  return { isTold: true, mark: isWatched ? 'watched' : null, reason: null };
}

/** A store can tell one shipment in several words: that it was made, and that it was approved. */
const isToldInOtherWords = ({ kind, name }: Change, { handled }: KnownOrder): boolean =>
  kind === 'shipment' &&
  Object.entries(handled).some(
    ([other, how]) => other !== name && how !== 'not_told' && withoutStatus(other) === withoutStatus(name),
  );

/** The status is the last word. A shipment's id can have several, as its number can. */
const withoutStatus = (change: string): string => change.slice(0, change.lastIndexOf(' '));

const isTooOld = (at: string | null, receivedAt: Date): boolean =>
  at !== null && receivedAt.getTime() - new Date(at).getTime() > FIRST_SEEN_MAX_MS;

/** Whether something is known that comes after "confirmed". */
const comesAfterConfirmed = (changes: readonly Change[]): boolean =>
  changes.some(({ kind, status }) => kind !== 'event' && status !== null && status !== 'confirmed');

/** Whether a change was told, watched or remembered that tells the same. */
const wasHandledAs = (status: OrderStatus, { handled }: KnownOrder, { defaults, settings }: Rules): boolean =>
  Object.entries(handled).some(
    ([name, how]) => how !== 'not_told' && statusToldFor(defaults, settings, wordOf(name)) === status,
  );

type Judged = { change: Change } & Judgement;

/** One per status. */
function messagesOf(judged: readonly Judged[]): DecidedMessage[] {
  const told = judged.filter(({ isTold }) => isTold).map(({ change }) => change);
  const statuses = [...new Set(told.flatMap(({ status }) => (status === null ? [] : [status])))];
  return statuses.map((status) => {
    const changes = told.filter((change) => change.status === status);
    return {
      status,
      changes: changes.map(({ name }) => name),
      parcels: distinct(changes.flatMap(({ parcels }) => parcels)),
    };
  });
}

/** Parcels that came or changed after "shipped" was told. */
function quietly(
  before: KnownOrder | null,
  { told, shipments }: KnownOrder,
  judged: readonly Judged[],
): Parcel[] {
  if (told.shipped === undefined) return [];
  const toldNow = new Set(judged.filter(({ isTold }) => isTold).map(({ change }) => change.name));
  const old = new Set((before?.shipments ?? []).flatMap(({ parcels }) => parcels.map(contentOf)));
  return distinct(
    shipments
      .filter(({ id, status, isQuiet }) => !isQuiet && !toldNow.has(shipmentChange(id, status)))
      .flatMap(({ parcels }) => parcels.filter((parcel) => !old.has(contentOf(parcel)))),
  );
}

/** Of a parcel that may come from the database, which keeps fields in an order of its own. */
const contentOf = ({ trackingNumber, carrier, trackingUrl }: Parcel): string =>
  JSON.stringify([trackingNumber, carrier, trackingUrl]);

const distinct = (parcels: readonly Parcel[]): Parcel[] => [
  ...new Map(parcels.map((parcel) => [parcel.trackingNumber, parcel])).values(),
];

const reportable = (known: KnownOrder): CallVerdict['events'] =>
  known.order === null || known.order.isTest
    ? []
    : known.events.flatMap((event) => {
        const [parcel] = parcelsOf(known, event.shipmentId);
        return parcel ? [{ ...event, trackingNumber: parcel.trackingNumber }] : [];
      });
