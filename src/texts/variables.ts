import { CARRIER_MAX, REFERENCE_MAX, TRACKING_NUMBER_MAX, TRACKING_URL_MAX } from '../config/limits.ts';
import { NAME_LENGTH_MAX } from '../kit/typedValues.ts';

/** What a text can name. What is not known is empty. */
export interface OrderVariables {
  /** `status` in the text's language. */
  order: { number: string; status: string; url: string };
  customer: { first_name: string };
  shop: { name: string };
  /** `expected_on` is `YYYY-MM-DD`. */
  shipment: { carrier: string; tracking_number: string; tracking_url: string; expected_on: string };
  items: { name: string; quantity: number }[];
}

const STATUS_MAX = 60;
const FIRST_NAME_MAX = 60;
/** More items than these are left out. With them and every address once, a body stays well within a push's. */
export const ITEMS_MAX = 20;
const ITEM_NAME_MAX = 100;

/** Cuts what a shop's system sent: a text that fits with the longest values then fits with all others. */
export const withinLimits = ({ order, customer, shop, shipment, items }: OrderVariables): OrderVariables => ({
  order: {
    number: cut(order.number, REFERENCE_MAX),
    status: cut(order.status, STATUS_MAX),
    url: url(order.url),
  },
  customer: { first_name: cut(customer.first_name, FIRST_NAME_MAX) },
  shop: { name: cut(shop.name, NAME_LENGTH_MAX) },
  shipment: {
    carrier: cut(shipment.carrier, CARRIER_MAX),
    tracking_number: cut(shipment.tracking_number, TRACKING_NUMBER_MAX),
    tracking_url: url(shipment.tracking_url),
    expected_on: shipment.expected_on,
  },
  items: items
    .slice(0, ITEMS_MAX)
    .map(({ name, quantity }) => ({ name: cut(name, ITEM_NAME_MAX), quantity })),
});

function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = [...text];
  return points.length <= max ? text : `${points.slice(0, max - 1).join('')}…`;
}

/** Half an address leads nowhere. */
const url = (address: string): string => (address.length <= TRACKING_URL_MAX ? address : '');

const address = (host: string): string => `https://${host}/`.padEnd(TRACKING_URL_MAX, 'x');

export const LONGEST_EXAMPLE: OrderVariables = {
  order: {
    number: '9'.repeat(REFERENCE_MAX),
    status: 'x'.repeat(STATUS_MAX),
    url: address('shop.example'),
  },
  customer: { first_name: 'x'.repeat(FIRST_NAME_MAX) },
  shop: { name: 'x'.repeat(NAME_LENGTH_MAX) },
  shipment: {
    carrier: 'x'.repeat(CARRIER_MAX),
    tracking_number: '9'.repeat(TRACKING_NUMBER_MAX),
    tracking_url: address('carrier.example'),
    expected_on: '2026-09-30',
  },
  items: Array.from({ length: ITEMS_MAX }, () => ({ name: 'x'.repeat(ITEM_NAME_MAX), quantity: 9_999 })),
};

/** Only what is always known. */
export const SHORTEST_EXAMPLE: OrderVariables = {
  order: { number: '1', status: 'x', url: '' },
  customer: { first_name: '' },
  shop: { name: 'x' },
  shipment: { carrier: '', tracking_number: '', tracking_url: '', expected_on: '' },
  items: [],
};

/** What a text can name, as a person reads it. */
export const VARIABLES: readonly string[] = [
  ...Object.entries(SHORTEST_EXAMPLE).flatMap(([root, fields]) =>
    Array.isArray(fields) ? [] : Object.keys(fields).map((field) => `${root}.${field}`),
  ),
  'items[].name',
  'items[].quantity',
];

/** `items[]` is an item, of a loop or by its place. */
const PATHS: readonly string[] = [
  ...VARIABLES,
  'items',
  ...['index', 'index0', 'rindex', 'rindex0', 'first', 'last', 'length'].map((field) => `forloop.${field}`),
];

const KNOWN_PATHS: ReadonlySet<string> = new Set(PATHS.flatMap((path) => [path, `${path}.size`]));

/** Whether a text can name it: `order.number`, `items[0].name`, `items.size`. */
export const isKnownPath = (path: string): boolean => KNOWN_PATHS.has(elementOf(path));

const elementOf = (path: string): string =>
  path.replace(/^items(\.first|\.last|\[-?\d+\])(?=\.|$)/, 'items[]');
