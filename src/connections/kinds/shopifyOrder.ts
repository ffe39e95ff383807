import { isHttpsUrl } from '../../kit/httpsUrl.ts';
import { at, listAt, textAt } from '../../kit/json.ts';
import type { Refund, StatusState, StoreOrder } from '../facts.ts';
import { firstLine, hundredthsAt, isTrueAt, lineAt, momentAt, ownId } from './shopifyFields.ts';

/** Of the page in the store: a cut address would lead nowhere. */
const URL_MAX = 2_048;

/** The state in an order's body. `sentAt`: when the store sent it, which is all there is if the body has no time. */
export function orderStateOf(
  order: unknown,
  of: { storeOrder: string; sentAt: Date | null; consentField: string | null },
): StoreOrder {
  const url = textAt(order, 'order_status_url');
  return {
    number: firstLine(order, [['name'], ['order_number']]) ?? of.storeOrder,
    modifiedAt: momentAt(order, 'updated_at') ?? of.sentAt,
    createdAt: momentAt(order, 'created_at'),
    isTest: isTrueAt(order, 'test'),
    email: firstLine(order, [['email'], ['contact_email'], ['customer', 'email']]),
    phone: phoneOf(order),
    permitsTexts: permitsTexts(order, of.consentField),
    firstName: firstLine(order, NAMES) ?? '',
    language: lineAt(order, 'customer_locale'),
    url: url !== null && url.length <= URL_MAX && isHttpsUrl(url) ? url : null,
    items: listAt(order, 'line_items').flatMap(itemOf),
    statuses: statusesOf(order),
    total: totalOf(order),
  };
}

const NAMES = [
  ['customer', 'first_name'],
  ['billing_address', 'first_name'],
  ['shipping_address', 'first_name'],
];

function phoneOf(order: unknown): StoreOrder['phone'] {
  const text = firstLine(order, [
    ['phone'],
    ['shipping_address', 'phone'],
    ['billing_address', 'phone'],
    ['customer', 'phone'],
  ]);
  const country = firstLine(order, [
    ['shipping_address', 'country_code'],
    ['billing_address', 'country_code'],
  ]);
  return text === null ? null : { text, country };
}

const YES = ['yes', '1', 'true'];

/** The store's own marketing consents are about marketing: nothing but the named attribute permits texts. */
function permitsTexts(order: unknown, field: string | null): boolean {
  if (field === null) return false;
  const named = listAt(order, 'note_attributes').filter((attribute) => textAt(attribute, 'name') === field);
  return named.some(
    (attribute) =>
      isTrueAt(attribute, 'value') || YES.includes((textAt(attribute, 'value') ?? '').trim().toLowerCase()),
  );
}

function itemOf(item: unknown): StoreOrder['items'] {
  const name = firstLine(item, [['name'], ['title']]);
  const quantity = at(item, 'quantity');
  return name !== null && typeof quantity === 'number' && Number.isSafeInteger(quantity) && quantity > 0
    ? [{ name, quantity }]
    : [];
}

/** What was refunded had been paid. `partially_paid`, `pending`, `voided` and `expired` had not. */
const PAID = ['paid', 'authorized', 'partially_refunded', 'refunded'];

function statusesOf(order: unknown): StatusState[] {
  const financial = textAt(order, 'financial_status') ?? '';
  const statuses: StatusState[] = [];
  if (PAID.includes(financial))
    statuses.push({
      status: 'created',
      // An order that was imported was created today and placed long ago.
      at: momentAt(order, 'processed_at') ?? momentAt(order, 'created_at'),
    });
  if (textAt(order, 'cancelled_at') !== null)
    statuses.push({ status: 'cancelled', at: momentAt(order, 'cancelled_at') });
  if (financial === 'refunded')
    statuses.push({ status: 'refunded', at: lastRefundAt(order) ?? momentAt(order, 'updated_at') });
  return statuses.sort((one, other) => (one.at?.getTime() ?? 0) - (other.at?.getTime() ?? 0));
}

function lastRefundAt(order: unknown): Date | null {
  const times = listAt(order, 'refunds').map((refund) =>
    (momentAt(refund, 'processed_at') ?? momentAt(refund, 'created_at'))?.getTime(),
  );
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? null : new Date(known.reduce((one, other) => Math.max(one, other)));
}

/**
 * Null as well for an order that cost nothing, which no refund can add up to, and for one that was paid in another
 * currency: the total is in the store's, the refunds are in the person's.
 */
function totalOf(order: unknown): number | null {
  const currency = textAt(order, 'currency');
  const paidIn = textAt(order, 'presentment_currency') ?? currency;
  return paidIn === currency ? hundredthsAt(order, 'total_price') || null : null;
}

/** Null: it gave no money back (yet), such as one that only puts items back into stock. */
export function refundOf(refund: unknown): Refund | null {
  const id = ownId(refund);
  const amounts = listAt(refund, 'transactions')
    .filter((one) => textAt(one, 'kind') === 'refund' && textAt(one, 'status') === 'success')
    .map((one) => hundredthsAt(one, 'amount') ?? 0);
  const amount = amounts.reduce((sum, one) => sum + one, 0);
  return id === null || amount === 0 ? null : { id, amount };
}
