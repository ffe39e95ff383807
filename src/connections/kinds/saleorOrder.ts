import { at, listAt, textAt } from '../../kit/json.ts';
import type { StatusState, StoreOrder, StoreShipment } from '../facts.ts';
import { parcelsFrom } from './parcel.ts';

/** Null: the order has no number. */
export function orderFrom(event: unknown, topic: string, consentField: string | null): StoreOrder | null {
  const order = orderIn(event);
  const number = lineAt(order, 'number');
  if (number === null) return null;
  const phone = lineAt(order, 'shippingAddress', 'phone');
  return {
    number,
    modifiedAt: momentAt(order, 'updatedAt'),
    createdAt: momentAt(order, 'created'),
    isTest: false,
    email: lineAt(order, 'userEmail'),
    phone:
      phone === null ? null : { text: phone, country: lineAt(order, 'shippingAddress', 'country', 'code') },
    permitsTexts: permitsTexts(order, consentField),
    firstName:
      lineAt(order, 'shippingAddress', 'firstName') ?? lineAt(order, 'billingAddress', 'firstName') ?? '',
    language: lineAt(order, 'languageCodeEnum'),
    url: null,
    items: listAt(order, 'lines').flatMap(itemOf),
    statuses: statusesOf(event, topic),
    total: null,
  };
}

/** A shop may have changed the query: in Saleor, an order and its fulfilments name each other. */
export const orderIn = (event: unknown): unknown => at(event, 'order') ?? at(event, 'fulfillment', 'order');

const fulfillmentIn = (event: unknown): unknown =>
  at(event, 'fulfillment') ?? listAt(orderIn(event), 'fulfillments').at(-1);

interface StatusSource {
  status: string;
  /** What the order's own events call it. */
  event: string | null;
  /** The order's statuses that imply it. */
  orderStatuses: readonly string[];
}

/** Oldest first. Only its call says that an order was refunded in full. */
const STATUS_SOURCES: readonly StatusSource[] = [
  {
    status: 'ORDER_CONFIRMED',
    event: 'CONFIRMED',
    orderStatuses: ['UNFULFILLED', 'PARTIALLY_FULFILLED', 'FULFILLED', 'PARTIALLY_RETURNED', 'RETURNED'],
  },
  { status: 'ORDER_CANCELLED', event: 'CANCELED', orderStatuses: ['CANCELED'] },
  { status: 'ORDER_FULLY_REFUNDED', event: null, orderStatuses: [] },
];

function statusesOf(event: unknown, topic: string): StatusState[] {
  const order = orderIn(event);
  const orderStatus = textAt(order, 'status') ?? '';
  return STATUS_SOURCES.flatMap((source) => {
    const own = listAt(order, 'events').find((one) => textAt(one, 'type') === source.event);
    const isTopic = source.status === topic;
    if (!isTopic && own === undefined && !source.orderStatuses.includes(orderStatus)) return [];
    return [
      { status: source.status, at: momentAt(own, 'date') ?? (isTopic ? momentAt(event, 'issuedAt') : null) },
    ];
  });
}

/**
 * Only the fulfilment of the event: whether the person is told of another one stands in that one's own call, which may still be on its way.
 * For the same reason a new tracking number is a status of its own: Saleor sends it even before the call that it belongs to.
 */
export function shipmentsFrom(event: unknown, topic: string): StoreShipment[] {
  const fulfillment = fulfillmentIn(event);
  const id = lineAt(fulfillment, 'id');
  if (id === null || !SHIPPING_EVENTS.has(topic)) return [];
  // One that waits for approval is told when it is approved.
  if ((textAt(fulfillment, 'status') ?? FULFILLED) !== FULFILLED) return [];
  const issuedAt = momentAt(event, 'issuedAt');
  return [
    {
      id,
      status: topic,
      at: issuedAt ?? momentAt(fulfillment, 'created'),
      modifiedAt: issuedAt,
      isQuiet: at(event, 'notifyCustomer') === false,
      ...parcelsFrom([{ number: textAt(fulfillment, 'trackingNumber'), carrier: null, url: null }]),
    },
  ];
}

const FULFILLED = 'FULFILLED';
const SHIPPING_EVENTS: ReadonlySet<string> = new Set([
  'FULFILLMENT_CREATED',
  'FULFILLMENT_APPROVED',
  'FULFILLMENT_TRACKING_NUMBER_UPDATED',
]);

const permitsTexts = (order: unknown, field: string | null): boolean =>
  field !== null &&
  listAt(order, 'metadata').some(
    (item) => textAt(item, 'key') === field && /^\s*(?:yes|1|true)\s*$/i.test(textAt(item, 'value') ?? ''),
  );

/** EN_GB is en-GB. */
function itemOf(line: unknown): StoreOrder['items'] {
  const name = lineAt(line, 'productName');
  const quantity = at(line, 'quantity');
  return name !== null && typeof quantity === 'number' && Number.isSafeInteger(quantity) && quantity > 0
    ? [{ name, quantity }]
    : [];
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function momentAt(value: unknown, ...path: string[]): Date | null {
  const text = textAt(value, ...path) ?? '';
  const moment = new Date(MOMENT.test(text) ? text : Number.NaN);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

/** Longer texts of a store are cut. */
const LINE_MAX = 300;

/** On one line, without what cannot be stored; null: nothing is left. */
function lineAt(value: unknown, ...path: string[]): string | null {
  const line = (textAt(value, ...path) ?? '').replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ').trim();
  return [...line].slice(0, LINE_MAX).join('').trim() || null;
}
