import type { OrderStatus } from '../contract/orderStatuses.ts';
import type { TrackingStatus } from '../contract/orders.ts';
import { DAY } from '../kit/clock.ts';
import { milestoneStatus } from '../orders/trackingStatus.ts';
import type { OrderFacts, Parcel, ShipmentEvent } from './facts.ts';
import {
  eventChange,
  type Handled,
  type InJson,
  isRefundedInFull,
  type KnownOrder,
  mergeFacts,
  orderChange,
  shipmentChange,
} from './knownOrder.ts';
import { type ConnectionSettings, statusToldFor } from './settings.ts';

/*
 * What a call of a store changes of what is known, and which of these changes are told:
 *
 *   known + facts ──► merge ──► changes ──► judge each ──► messages to make, parcels to add quietly, events to report
 *
 * Nothing here is done: storeCalls.ts pushes, and only then counts a message as told.
 */

export interface Rules {
  /** What the kind's statuses tell by default. */
  defaults: Readonly<Record<string, OrderStatus | null>>;
  settings: Pick<ConnectionSettings, 'statuses'>;
  tellsEachShipment: boolean;
  /** The tracking statuses that nudge. */
  trackingNudges: readonly TrackingStatus[];
}

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
  const { known, isLate } = mergeFacts(before, facts);
  const changes = changesIn(known, rules);
  const isOvertaken = comesAfterConfirmed(known, changes);
  const isFirstSeen = before === null || before.order === null;
  const judged = changes
    .filter((change) => !circumstances.isAgain || isNamedBy(facts, change, isLate))
    .map((change) => ({
      change,
      ...judge(change, known, { ...circumstances, isFirstSeen, isOvertaken, rules }),
    }));
  const handled: Record<string, Handled> = { ...known.handled };
  for (const { change, mark } of judged) if (mark !== null) handled[change.name] = mark;
  const events = circumstances.isWatched ? [] : reportable(known);
  const quietParcels = circumstances.isWatched ? [] : quietly(before, known, judged);
  const reasons = judged.flatMap(({ reason }) => (reason === null ? [] : [reason]));
  return {
    known: {
      ...known,
      handled,
      events: circumstances.isWatched ? [] : known.events.filter((event) => !hasParcel(known, event)),
    },
    messages: messagesOf(judged),
    quietParcels,
    events,
    reason: reasons.find((reason) => reason !== 'no_change') ?? (isLate ? 'late' : 'no_change'),
  };
}

interface Change {
  name: string;
  /** Null: it tells nothing. */
  status: OrderStatus | null;
  at: string | null;
  kind: 'order' | 'shipment' | 'event';
  isQuiet: boolean;
  parcels: readonly Parcel[];
}

/** The store's word for an order whose refunds add up to what it cost. */
const REFUNDED = 'refunded';

/** All that is true of the order, oldest first where the store says when. */
function changesIn(known: KnownOrder, { defaults, settings, trackingNudges }: Rules): Change[] {
  const told = (word: string): OrderStatus | null => statusToldFor(defaults, settings, word);
  const statuses = [...(known.order?.statuses ?? [])];
  if (isRefundedInFull(known) && !statuses.some(({ status }) => status === REFUNDED))
    statuses.push({ status: REFUNDED, at: null });
  return [
    ...statuses.map(
      ({ status, at }): Change => ({
        name: orderChange(status),
        status: told(status),
        at,
        kind: 'order',
        isQuiet: false,
        parcels: [],
      }),
    ),
    ...known.shipments.map(
      ({ id, status, at, isQuiet, parcels }): Change => ({
        name: shipmentChange(id, status),
        status: told(status),
        at,
        kind: 'shipment',
        isQuiet,
        parcels,
      }),
    ),
    ...known.events.map(
      ({ shipmentId, status, at }): Change => ({
        name: eventChange(shipmentId, status),
        status: trackingNudges.includes(status) ? milestoneStatus(status) : null,
        at,
        kind: 'event',
        isQuiet: false,
        parcels: parcelsOf(known, shipmentId),
      }),
    ),
  ];
}

const parcelsOf = ({ shipments }: KnownOrder, shipmentId: string): readonly Parcel[] =>
  shipments.find(({ id }) => id === shipmentId)?.parcels ?? [];

const hasParcel = (known: KnownOrder, { shipmentId }: { shipmentId: string }): boolean =>
  known.order !== null && parcelsOf(known, shipmentId).length > 0;

const isNamedBy = (
  { order, shipments, events, refunds }: OrderFacts,
  { name }: Change,
  isLate: boolean,
): boolean =>
  (refunds.length > 0 && name === orderChange(REFUNDED)) ||
  (!isLate && (order?.statuses ?? []).some(({ status }) => orderChange(status) === name)) ||
  shipments.some(({ id, status }) => shipmentChange(id, status) === name) ||
  events.some(({ shipmentId, status }) => eventChange(shipmentId, status) === name);

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
  if (known.told[change.status] !== undefined) {
    const isAnother = change.kind === 'shipment' && rules.tellsEachShipment;
    if (!isAnother) return untold(change.parcels.length > 0 ? 'quiet' : 'already_told', 'told');
  }
  return { isTold: true, mark: isWatched ? 'watched' : null, reason: null };
}

/** A store can tell one shipment in several words: that it was made, and that it was approved. */
const isToldInOtherWords = ({ kind, name }: Change, { handled }: KnownOrder): boolean => {
  const shipment = name.slice(0, name.lastIndexOf(' ') + 1);
  return (
    kind === 'shipment' &&
    Object.entries(handled).some(
      ([other, how]) =>
        other !== name && how !== 'not_told' && other.slice(0, other.lastIndexOf(' ') + 1) === shipment,
    )
  );
};

const isTooOld = (at: string | null, receivedAt: Date): boolean =>
  at !== null && receivedAt.getTime() - new Date(at).getTime() > FIRST_SEEN_MAX_MS;

/** Whether something is known that comes after "confirmed". */
const comesAfterConfirmed = ({ told }: KnownOrder, changes: readonly Change[]): boolean =>
  told.shipped !== undefined ||
  changes.some(({ kind, status }) => kind !== 'event' && status !== null && status !== 'confirmed');

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
