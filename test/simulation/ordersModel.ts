import { ORDER_STATUSES } from '../../src/contract/orderStatuses.ts';
import type { TrackingStatus } from '../../src/contract/orders.ts';
import type { MessagesModel, ModelledMessage } from './messagesModel.ts';
import type { CommittedShipment, CommittedTrackingEvent } from './snapshot.ts';

/** What callers say of a shipment besides its number. */
export type ModelledShipment = Pick<
  CommittedShipment,
  'carrier' | 'tracking_url' | 'expected_on' | 'expected_until'
>;

/** A tracking event as its call reported it. */
export interface ReportedEvent {
  reference: string;
  trackingNumber: string;
  status: TrackingStatus;
  at: number;
  email: string | null;
}

interface ModelledOrder {
  shipments: Map<string, ModelledShipment>;
  /** In the order in which they were received. */
  events: ReportedEvent[];
  /** The addresses that events named, each with the commit that did so last. */
  named: Map<string, number>;
  /** `JD01 delivered`: the milestones that made a message. */
  told: Set<string>;
}

interface Word {
  status: string;
  at: number;
}

/** What an event is to its shipment, and whether it makes a message. */
interface Expectation {
  isStored: boolean;
  isFirst: boolean;
  /** `told`: it makes one. */
  because: 'told' | 'repeated' | 'late' | 'not first' | 'not chosen' | 'told by hand';
}

/** The rows that an erasure may have left of an order that changed meanwhile. */
export interface LeftRows {
  shipments: readonly CommittedShipment[];
  events: readonly CommittedTrackingEvent[];
  /** The people whom events named. */
  named: readonly { reference: string; email: string | null }[];
}

const BY_HAND_COUNTS_MS = 12 * 60 * 60_000;

/** The order status in which a message tells an event. */
export const TOLD_AS: Record<TrackingStatus, string | null> = {
  label_created: 'shipped',
  picked_up: 'shipped',
  in_transit: 'in_transit',
  out_for_delivery: 'out_for_delivery',
  delivery_attempted: 'delivery_attempted',
  available_for_pickup: 'ready_for_pickup',
  delivered: 'delivered',
  delayed: 'delayed',
  exception: 'delayed',
  returned: null,
};

const UNKNOWN_FACTS: ModelledShipment = {
  carrier: null,
  tracking_url: null,
  expected_on: null,
  expected_until: null,
};

/** The model of one business's orders: lists of what was said of them, and counts over all of it. */
export class OrdersModel {
  readonly #orders = new Map<string, ModelledOrder>();
  readonly #messages: MessagesModel;
  /** The last commit of a push, a retraction or an erasure: an event in flight may have seen it or not. */
  readonly #touched = new Map<string, number>();
  /** The last commit that named a shipment. */
  readonly #shipped = new Map<string, number>();

  constructor(messages: MessagesModel) {
    this.#messages = messages;
  }

  touch(reference: string | null, commit: number): void {
    if (reference !== null) this.#touched.set(reference, commit);
  }

  isTouchedSince(reference: string, commit: number): boolean {
    return (this.#touched.get(reference) ?? 0) > commit;
  }

  isChangedSince(reference: string, commit: number): boolean {
    return this.isTouchedSince(reference, commit) || (this.#shipped.get(reference) ?? 0) > commit;
  }

  /** Replaces all that was said of it. */
  nameShipment(reference: string, trackingNumber: string, facts: ModelledShipment, commit: number): void {
    this.#order(reference).shipments.set(trackingNumber, facts);
    this.#shipped.set(reference, commit);
  }

  expect(event: ReportedEvent, receivedAt: number, nudging: readonly TrackingStatus[]): Expectation {
    const ofShipment = this.#order(event.reference).events.filter(
      ({ trackingNumber }) => trackingNumber === event.trackingNumber,
    );
    const ofStatus = ofShipment.filter(({ status }) => status === event.status);
    if (ofStatus.some(({ at }) => at === event.at))
      return { isStored: false, isFirst: false, because: 'repeated' };
    const isFirst = ofStatus.length === 0;
    const stored = { isStored: true, isFirst };
    if (ofShipment.some(({ at }) => at > event.at)) return { ...stored, because: 'late' };
    if (!isFirst) return { ...stored, because: 'not first' };
    if (!nudging.includes(event.status)) return { ...stored, because: 'not chosen' };
    const byHand = this.#messagesOf(event.reference).some(
      ({ status, toldByHand }) =>
        status !== 'retracted' &&
        toldByHand.some(
          ({ orderStatus, at }) =>
            orderStatus === TOLD_AS[event.status] && at > receivedAt - BY_HAND_COUNTS_MS,
        ),
    );
    return { ...stored, because: byHand ? 'told by hand' : 'told' };
  }

  store(event: ReportedEvent, commit: number): void {
    const order = this.#order(event.reference);
    const { trackingNumber, email } = event;
    order.events.push(event);
    order.shipments.set(trackingNumber, order.shipments.get(trackingNumber) ?? UNKNOWN_FACTS);
    if (email !== null) order.named.set(email, commit);
    this.#shipped.set(event.reference, commit);
  }

  /** Whether this milestone had not made a message before. */
  tell({ reference, trackingNumber, status }: ReportedEvent): boolean {
    const { told } = this.#order(reference);
    const milestone = `${trackingNumber} ${status}`;
    if (told.has(milestone)) return false;
    told.add(milestone);
    return true;
  }

  /** Whom an event that names nobody is told to: the recipient of the newest message, else the address that events named last. */
  addresseeOf(reference: string): string | null {
    const ofMessages = [...this.#messages.byId].filter(([, message]) => message.reference === reference);
    const [newest] = ofMessages.sort(([one], [other]) => (one < other ? 1 : -1));
    // One that is named again keeps its place.
    return newest?.[1].email ?? [...this.#order(reference).named.keys()].at(-1) ?? null;
  }

  peopleOf(reference: string): string[] {
    const named = [...this.#order(reference).named.keys()];
    return [...new Set([...this.#messagesOf(reference).map(({ email }) => email), ...named])].sort();
  }

  /** The references that a message or a shipment names. */
  references(): string[] {
    const ofMessages = [...this.#messages.byId.values()].flatMap(({ reference }) => reference ?? []);
    const shipped = [...this.#orders].filter(([, { shipments }]) => shipments.size > 0);
    return [...new Set([...ofMessages, ...shipped.map(([reference]) => reference)])].sort();
  }

  /** The latest words by time, any of which may be the order's: an event's goes before a message's, the last received before others. */
  wordsOf(reference: string): Word[] {
    const { events } = this.#order(reference);
    const ofMessages = this.#messagesOf(reference).flatMap(
      ({ status, orderStatus, statusAt, milestoneAt }) =>
        status !== 'retracted' && ORDER_STATUSES.some((known) => known === orderStatus)
          ? [{ status: orderStatus ?? '', at: milestoneAt ?? statusAt }]
          : [],
    );
    const latest = Math.max(...[...ofMessages, ...events].map(({ at }) => at));
    const event = events.findLast(({ at }) => at === latest);
    return event ? [event] : ofMessages.filter(({ at }) => at === latest);
  }

  events(): readonly ReportedEvent[] {
    return [...this.#orders.values()].flatMap(({ events }) => events);
  }

  /** Each shipment, with its latest event. */
  shipments(): { reference: string; trackingNumber: string; facts: ModelledShipment; latest: Word | null }[] {
    return [...this.#orders].flatMap(([reference, { shipments, events }]) =>
      [...shipments].map(([trackingNumber, facts]) => {
        const own = events.filter((event) => event.trackingNumber === trackingNumber);
        const newest = Math.max(...own.map(({ at }) => at));
        return { reference, trackingNumber, facts, latest: own.findLast(({ at }) => at === newest) ?? null };
      }),
    );
  }

  /**
   * Before the person's messages are. Of an order that changed while the erasure ran, it may have deleted what came before, and has
   * left what came after.
   */
  erase(email: string, since: number, commit: number, left: LeftRows): void {
    for (const reference of this.references()) {
      const order = this.#order(reference);
      const people = this.peopleOf(reference);
      if (!people.includes(email)) continue;
      const isRaced = this.isChangedSince(reference, since);
      const isLeft = left.named.some((row) => row.reference === reference && row.email === email);
      if ((order.named.get(email) ?? 0) <= since || !isLeft) order.named.delete(email);
      this.touch(reference, commit);
      if (isRaced) keepOnly(order, reference, left);
      else if (people.length === 1) this.#orders.delete(reference);
    }
  }

  #messagesOf(reference: string): ModelledMessage[] {
    return [...this.#messages.byId.values()].filter((message) => message.reference === reference);
  }

  #order(reference: string): ModelledOrder {
    const order = this.#orders.get(reference) ?? {
      shipments: new Map(),
      events: [],
      named: new Map(),
      told: new Set(),
    };
    this.#orders.set(reference, order);
    return order;
  }
}

function keepOnly(order: ModelledOrder, reference: string, left: LeftRows): void {
  for (const trackingNumber of order.shipments.keys()) {
    const isLeft = left.shipments.some(
      (row) => row.reference === reference && row.tracking_number === trackingNumber,
    );
    if (!isLeft) order.shipments.delete(trackingNumber);
  }
  order.events = order.events.filter((event) => left.events.some((row) => isRowOf(row, event)));
  for (const milestone of order.told) {
    const isLeft = order.events.some(
      ({ trackingNumber, status }) => `${trackingNumber} ${status}` === milestone,
    );
    if (!isLeft) order.told.delete(milestone);
  }
}

export const isRowOf = (row: CommittedTrackingEvent, event: ReportedEvent): boolean =>
  row.reference === event.reference &&
  row.tracking_number === event.trackingNumber &&
  row.status === event.status &&
  Date.parse(row.at) === event.at;
