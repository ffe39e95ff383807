import type { OrderStatus } from '../contract/orderStatuses.ts';
import { ITEMS_MAX } from '../texts/variables.ts';
import type { OrderFacts, Refund, ShipmentEvent, StoreOrder, StoreShipment } from './facts.ts';

/** What a store has told of an order, as JSON: times are texts of one form, which sort as they are. */
export interface KnownOrder {
  order: InJson<StoreOrder> | null;
  shipments: readonly InJson<StoreShipment>[];
  /** Those whose shipment, or its number, has not come yet. */
  events: readonly InJson<ShipmentEvent>[];
  refunds: readonly Refund[];
  /** What was done about each change, by its name: it is not a change any more. */
  handled: Readonly<Record<string, Handled>>;
  /** The messages that told a status. */
  told: Readonly<Partial<Record<OrderStatus, ToldMessage>>>;
}

/** `remembered`: it was old when it was first seen. `not_told`: the settings say so, or something newer was known. */
export type Handled = 'told' | 'watched' | 'remembered' | 'not_told';

export interface ToldMessage {
  email: string;
  /** By which an update finds the message. */
  subject: string;
}

export type InJson<T> = T extends Date
  ? string
  : T extends readonly (infer One)[]
    ? readonly InJson<One>[]
    : T extends object
      ? { readonly [Key in keyof T]: InJson<T[Key]> }
      : T;

export const NOTHING_KNOWN: KnownOrder = {
  order: null,
  shipments: [],
  events: [],
  refunds: [],
  handled: {},
  told: {},
};

/** More of an order than this is left out: a hostile store could otherwise make its row grow without end. */
const SHIPMENTS_MAX = 50;
const EVENTS_MAX = 50;
const REFUNDS_MAX = 100;
const TEXT_MAX = 200;

export interface Merged {
  known: KnownOrder;
  /** The call is older than what is known: a retry, or one that was overtaken. */
  isLate: boolean;
}

/** What is known after a call. What is older than what is known changes nothing, each part by its own time. */
export function mergeFacts(before: KnownOrder | null, facts: OrderFacts): Merged {
  const known = before ?? NOTHING_KNOWN;
  const isLate = facts.order !== null && isOlder(facts.order.modifiedAt, known.order?.modifiedAt ?? null);
  const news = facts.shipments.filter((shipment) => {
    const now = known.shipments.find(({ id }) => id === shipment.id);
    if (shipment.modifiedAt === null) return !isLate;
    return !isOlder(shipment.modifiedAt, now?.modifiedAt ?? null);
  });
  const refunded = new Set(known.refunds.map(({ id }) => id));
  return {
    isLate,
    known: {
      ...known,
      order: facts.order === null || isLate ? known.order : inJson(limited(facts.order)),
      shipments: [
        ...known.shipments.map((old) => {
          const next = news.find(({ id }) => id === old.id);
          return next ? inJson(next) : old;
        }),
        ...news.filter(({ id }, place) => isNew(known, id) && firstWith(news, id) === place).map(inJson),
      ].slice(0, SHIPMENTS_MAX),
      events: [...known.events, ...newEvents(known, facts)].slice(-EVENTS_MAX),
      refunds: [...known.refunds, ...facts.refunds.filter(({ id }) => !refunded.has(id))].slice(
        0,
        REFUNDS_MAX,
      ),
      handled: isLate ? known.handled : stillHandled(known, facts),
    },
  };
}

const isNew = ({ shipments }: KnownOrder, id: string): boolean => !shipments.some((one) => one.id === id);
const firstWith = (shipments: readonly StoreShipment[], id: string): number =>
  shipments.findIndex((one) => one.id === id);

/** A call that is handled again does not crowd out what else waits. */
function newEvents(known: KnownOrder, { events }: OrderFacts): InJson<ShipmentEvent>[] {
  const isSame = (one: InJson<ShipmentEvent>, other: InJson<ShipmentEvent>): boolean =>
    one.shipmentId === other.shipmentId && one.status === other.status && one.at === other.at;
  return events.map(inJson).filter((event) => !known.events.some((old) => isSame(old, event)));
}

/** A status that the order left and that was not told is a change when it comes back. */
function stillHandled({ handled }: KnownOrder, { order }: OrderFacts): KnownOrder['handled'] {
  if (order === null) return handled;
  const current = new Set(order.statuses.map(({ status }) => orderChange(status)));
  return Object.fromEntries(
    Object.entries(handled).filter(
      ([name, how]) => how !== 'not_told' || !name.startsWith(ORDER_PREFIX) || current.has(name),
    ),
  );
}

const ORDER_PREFIX = 'order ';
/** The names of changes. */
export const orderChange = (status: string): string => `${ORDER_PREFIX}${status}`;
export const shipmentChange = (id: string, status: string): string => `shipment ${id} ${status}`;
export const eventChange = (shipmentId: string, status: string): string => `event ${shipmentId} ${status}`;

/** The store's own status in the name of a change. */
export const wordOf = (change: string): string =>
  change.startsWith(ORDER_PREFIX)
    ? change.slice(ORDER_PREFIX.length)
    : change.slice(change.lastIndexOf(' ') + 1);

const isOlder = (at: Date | null, than: string | null): boolean =>
  at !== null && than !== null && at.toISOString() < than;

/** As much as a text can name. */
const limited = (order: StoreOrder): StoreOrder => ({
  ...order,
  firstName: order.firstName.slice(0, TEXT_MAX),
  items: order.items
    .slice(0, ITEMS_MAX)
    .map(({ name, quantity }) => ({ name: name.slice(0, TEXT_MAX), quantity })),
});

/** Without what Postgres cannot store. */
export function inJson<T>(value: T): InJson<T> {
  return JSON.parse(
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'string' ? inner.replace(/\p{Cs}|\0/gu, '\u{FFFD}') : inner,
    ),
  );
}

/** Whether everything that the person paid went back. */
export function isRefundedInFull({ order, refunds }: KnownOrder): boolean {
  const total = order?.total ?? null;
  return total !== null && total > 0 && refunds.reduce((sum, { amount }) => sum + amount, 0) >= total;
}

/** After a message that told these changes. */
export const withTold = (
  known: KnownOrder,
  { status, changes }: { status: OrderStatus; changes: readonly string[] },
  message: ToldMessage,
): KnownOrder => ({
  ...known,
  handled: { ...known.handled, ...Object.fromEntries(changes.map((name) => [name, 'told' as const])) },
  told: { ...known.told, [status]: message },
});
