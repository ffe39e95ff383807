import { at, isObject, listAt, textAt } from '../../kit/json.ts';
import type { OrderFacts, StoreOrder } from '../facts.ts';
import type { CallReading, ReadOptions } from './kind.ts';
import { shipmentsOf } from './woocommerceTracking.ts';
import { decodeEntities } from './wordpressEntities.ts';

/** An order as version 3 of the store's API shows it, in a webhook or in an answer to us. */
export function orderFactsFrom(content: unknown, { consentField }: ReadOptions): CallReading<OrderFacts> {
  if (!isObject(content)) return { kind: 'not_understood', reason: 'not_json' };
  const storeOrder = orderIdOf(content);
  if (storeOrder === null) return { kind: 'not_understood', reason: whyNoOrder(content) };
  const number = textOf(content, 'number') ?? storeOrder;
  const status = textOf(content, 'status')?.replace(/^wc-/, '');
  if (status === undefined) return { kind: 'not_understood', reason: 'no_status' };
  const draft = DRAFTS[status];
  if (draft !== undefined) return { kind: 'nothing', reason: draft, order: number };

  const order = orderOf(content, { number, status, consentField });
  return {
    kind: 'facts',
    facts: {
      storeOrder,
      order,
      shipments: shipmentsOf(metaValues(content, '_wc_shipment_tracking_items'), order.modifiedAt),
      events: [],
      // The store itself sets the status once all is refunded.
      refunds: [],
    },
  };
}

/** Exactly as it came; null: there is none. */
export function orderIdOf(content: unknown): string | null {
  const id = textAt(content, 'id');
  return id !== null && /^[1-9]\d{0,29}$/.test(id) ? id : null;
}

/** What no person has ordered yet, and what no page of the store lists any more. */
const DRAFTS: Readonly<Record<string, string>> = {
  'checkout-draft': 'draft',
  'auto-draft': 'draft',
  draft: 'draft',
  trash: 'deleted',
};

function whyNoOrder(content: Record<string, unknown>): string {
  // The webhook's user may not see the order: the store sends its own error in place of it.
  if (typeof content.code === 'string' && typeof content.message === 'string') return 'store_error';
  return isObject(content.order) ? 'legacy_api_version' : 'no_order_id';
}

function orderOf(
  content: Record<string, unknown>,
  { number, status, consentField }: { number: string; status: string; consentField: string | null },
): StoreOrder {
  const phone = textOf(content, 'billing', 'phone');
  const country = textOf(content, 'billing', 'country');
  return {
    number,
    modifiedAt: utcTime(textAt(content, 'date_modified_gmt')),
    createdAt: utcTime(textAt(content, 'date_created_gmt')),
    isTest: at(content, 'test') === true,
    email: textOf(content, 'billing', 'email'),
    phone: phone === null ? null : { text: phone, country },
    permitsTexts: consentField !== null && isYes(metaValues(content, consentField).at(-1)),
    firstName: readable(textAt(content, 'billing', 'first_name')),
    language: textAt(metaValues(content, 'wpml_language').at(-1)),
    url: null,
    items: listAt(content, 'line_items').flatMap(itemFrom),
    statuses: [{ status, at: utcTime(textAt(content, OWN_DATES[status] ?? '')) }],
    total: null,
  };
}

/** Statuses of which the store keeps the time. */
const OWN_DATES: Readonly<Record<string, string>> = {
  processing: 'date_paid_gmt',
  completed: 'date_completed_gmt',
};

/** The store's times of UTC have no zone. One that is no time (`-001-11-30T00:00:00`) is none. */
export function utcTime(text: string | null): Date | null {
  if (text === null || !/^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text)) return null;
  const time = new Date(`${text}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}

function itemFrom(item: unknown): { name: string; quantity: number }[] {
  const name = readable(textAt(item, 'name'));
  const quantity = Number(textAt(item, 'quantity'));
  return name === '' || !(quantity > 0) ? [] : [{ name, quantity }];
}

/** In the order in which they were added: where a key is there twice, the last one counts. */
const metaValues = (content: unknown, key: string): unknown[] =>
  listAt(content, 'meta_data')
    .filter((entry) => at(entry, 'key') === key)
    .map((entry) => at(entry, 'value'));

const isYes = (value: unknown): boolean =>
  value === true || (textAt({ value }, 'value') !== null && /^\s*(?:yes|1|true)\s*$/i.test(String(value)));

/** Null: it is missing or empty. */
const textOf = (content: unknown, ...path: string[]): string | null =>
  storable(textAt(content, ...path)).trim() || null;

const readable = (text: string | null): string => decodeEntities(storable(text)).trim();

/** The database takes neither a zero character nor half a pair. */
const storable = (text: string | null): string => (text ?? '').replace(/\0|\p{Cs}/gu, '');
