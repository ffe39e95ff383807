import { LANGUAGE_TAG_MAX } from '../../../src/config/limits.ts';
import { at, listAt, textAt } from '../../../src/kit/json.ts';

/** What the plugin needs to know of an order of Medusa. */
export interface StoreOrder {
  id: string;
  /** As the person knows it: the reference of its messages. */
  number: string;
  email: string | null;
  phone: { text: string; country: string | null } | null;
  permitsTexts: boolean;
  firstName: string;
  /** A language tag; null: the shop does not say. */
  language: string | null;
  /** The shop asks that the person is not told. */
  isQuiet: boolean;
  items: readonly { name: string; quantity: number }[];
  fulfilments: readonly StoreFulfilment[];
  /** In the currency's own unit, over all payments. */
  captured: number;
  refunded: number;
}

export interface StoreFulfilment {
  id: string;
  providerId: string | null;
  labels: readonly { trackingNumber: string | null; trackingUrl: string | null }[];
}

/** For `query.graph`. A field that a version of Medusa does not have is ignored there. */
export const ORDER_FIELDS = [
  ...['id', 'display_id', 'custom_display_id', 'email', 'locale', 'no_notification', 'metadata'],
  ...['customer.first_name', 'customer.phone'],
  ...['shipping_address.first_name', 'shipping_address.phone', 'shipping_address.country_code'],
  ...['billing_address.first_name', 'billing_address.phone', 'billing_address.country_code'],
  // The quantity is the detail's: `items.quantity` alone leaves it out.
  ...['items.product_title', 'items.title', 'items.quantity', 'items.detail.quantity'],
  ...['fulfillments.id', 'fulfillments.provider_id'],
  ...['fulfillments.labels.tracking_number', 'fulfillments.labels.tracking_url'],
  'payment_collections.payments.captures.amount',
  'payment_collections.payments.refunds.amount',
];

const CONSENT = /^(?:yes|1|true)$/i;
const REFERENCE = /^[A-Za-z0-9#_./-]{1,64}$/;

/** Null: the record is no order. */
export function storeOrderFrom(record: unknown, consentField: string | null): StoreOrder | null {
  const id = textAt(record, 'id');
  const number = numberOf(record);
  if (id === null || number === null) return null;
  const payments = listAt(record, 'payment_collections').flatMap((collection) =>
    listAt(collection, 'payments'),
  );
  return {
    id,
    number,
    email: filledAt(record, 'email'),
    phone: phoneOf(record),
    permitsTexts: consentField !== null && CONSENT.test(consentAt(record, consentField)),
    firstName:
      filledAt(record, 'shipping_address', 'first_name') ??
      filledAt(record, 'customer', 'first_name') ??
      filledAt(record, 'billing_address', 'first_name') ??
      '',
    language: languageTag(textAt(record, 'locale')),
    isQuiet: at(record, 'no_notification') === true,
    items: listAt(record, 'items').flatMap(itemOf),
    fulfilments: listAt(record, 'fulfillments').flatMap(fulfilmentOf),
    captured: sumOf(payments.flatMap((payment) => listAt(payment, 'captures'))),
    refunded: sumOf(payments.flatMap((payment) => listAt(payment, 'refunds'))),
  };
}

/** The shop's own number where it has one that can be a reference; Medusa shows its running number with a `#`. */
function numberOf(record: unknown): string | null {
  const own = textAt(record, 'custom_display_id')?.trim() ?? '';
  if (REFERENCE.test(own)) return own;
  const running = textAt(record, 'display_id');
  return running === null ? null : `#${running}`;
}

/** A number is completed by the country of the address that it stands in. */
function phoneOf(record: unknown): StoreOrder['phone'] {
  const country = (address: string): string | null =>
    filledAt(record, address, 'country_code')?.toUpperCase() ?? null;
  for (const address of ['shipping_address', 'billing_address']) {
    const text = filledAt(record, address, 'phone');
    if (text !== null) return { text, country: country(address) };
  }
  const text = filledAt(record, 'customer', 'phone');
  return text === null ? null : { text, country: country('shipping_address') };
}

const consentAt = (record: unknown, field: string): string =>
  String(at(record, 'metadata', field) ?? '').trim();

const filledAt = (record: unknown, ...path: readonly string[]): string | null =>
  textAt(record, ...path)?.trim() || null;

function itemOf(record: unknown): { name: string; quantity: number }[] {
  const name = filledAt(record, 'product_title') ?? filledAt(record, 'title');
  const quantity = amountOf(at(record, 'quantity') ?? at(record, 'detail', 'quantity'));
  // An item that was taken out of an order stays in it with none.
  return name === null || quantity <= 0 ? [] : [{ name, quantity }];
}

function fulfilmentOf(record: unknown): StoreFulfilment[] {
  const id = textAt(record, 'id');
  if (id === null) return [];
  const labels = listAt(record, 'labels').map((label) => ({
    trackingNumber: filledAt(label, 'tracking_number'),
    trackingUrl: filledAt(label, 'tracking_url'),
  }));
  return [{ id, providerId: textAt(record, 'provider_id'), labels }];
}

/** `et_EE` and `et-EE` alike; null for what is no language tag. */
export function languageTag(text: string | null): string | null {
  const tag = text?.trim().replaceAll('_', '-') ?? '';
  if (tag === '' || tag.length > LANGUAGE_TAG_MAX) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

const sumOf = (records: readonly unknown[]): number =>
  records.reduce<number>((sum, record) => sum + amountOf(at(record, 'amount')), 0);

/** Medusa gives amounts as numbers, as texts, or as objects that know their number. */
function amountOf(value: unknown): number {
  const plain = typeof value === 'object' && value !== null ? Number(value) : Number(value ?? 0);
  return Number.isFinite(plain) ? plain : 0;
}
