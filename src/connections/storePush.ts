import { LANGUAGE_TAG_MAX, REFERENCE_MAX } from '../config/limits.ts';
import type { OrderStatus } from '../contract/orderStatuses.ts';
import { parseEmailAddress } from '../kit/emailAddress.ts';
import { sha256 } from '../kit/ids.ts';
import { type Phone, parsePhoneOf } from '../kit/phoneNumber.ts';
import { type Language, languageFor } from '../language/languages.ts';
import { wordsIn } from '../language/words.ts';
import { byConnection } from '../push/pushedBy.ts';
import type { PushRequest } from '../push/request.ts';
import { defaultText, type TextSource } from '../texts/defaults.ts';
import { type OrderVariables, renderOrderText } from '../texts/render.ts';
import type { Parcel, StoreOrder } from './facts.ts';
import type { InJson } from './knownOrder.ts';
import type { ConnectionSettings } from './settings.ts';

/** What a store's order says, as a push takes it. */
export interface PushableOrder {
  email: string;
  reference: string;
  phone: Phone | null;
  /** The shop texts by consent, and this order gives none: a number that is held of the person is not texted either. */
  refusesTexts: boolean;
  /** A well-formed tag; null: the store does not say. */
  language: string | null;
  firstName: string;
  url: string;
  items: OrderVariables['items'];
}

interface Shop {
  businessId: string;
  name: string;
  language: string;
}

/** A tag of BCP 47 from what a store writes, such as `PT_BR`; null: it is none. */
function languageTag(written: string | null): string | null {
  if (written === null || written.length > LANGUAGE_TAG_MAX) return null;
  try {
    return Intl.getCanonicalLocales(written.trim().replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}

/** Of a reference. */
const NOT_ALLOWED = /[^A-Za-z0-9#_./-]+/g;

/** The order's number, with what no reference holds replaced. */
const orderReference = (number: string): string =>
  number.trim().replace(NOT_ALLOWED, '-').slice(0, REFERENCE_MAX);

/** Null: it has no address that a mail could reach. */
export function pushableOrder(
  order: InJson<StoreOrder>,
  { phone: phoneUse }: Pick<ConnectionSettings, 'phone'>,
): PushableOrder | null {
  const email = order.email === null ? null : parseEmailAddress(order.email);
  if (email === null) return null;
  const byConsent = phoneUse === 'if_consented';
  const mayText = byConsent && order.permitsTexts;
  return {
    email,
    reference: orderReference(order.number),
    phone: mayText && order.phone !== null ? parsePhoneOf(order.phone.text, order.phone.country) : null,
    refusesTexts: byConsent && !order.permitsTexts,
    language: languageTag(order.language),
    firstName: order.firstName,
    url: order.url ?? '',
    items: order.items.map(({ name, quantity }) => ({ name, quantity })),
  };
}

export interface StoreMessage {
  status: OrderStatus;
  order: PushableOrder;
  parcels: readonly Parcel[];
}

export const languageOfOrder = ({ language }: PushableOrder, shop: Shop): Language =>
  languageFor(language, shop.language);

/** The words of a message: the shop's own, else ours. */
export function storeText(
  { status, order, parcels }: StoreMessage,
  shop: Shop,
  own: TextSource | null,
): TextSource {
  const language = languageOfOrder(order, shop);
  const [parcel] = parcels;
  const ours = defaultText(status, language);
  const variables: OrderVariables = {
    order: { number: order.reference, status: wordsIn(language).text(`status.${status}`), url: order.url },
    customer: { first_name: order.firstName },
    shop: { name: shop.name },
    shipment: {
      carrier: parcel?.carrier ?? '',
      tracking_number: parcel?.trackingNumber ?? '',
      tracking_url: parcel?.trackingUrl ?? '',
      expected_on: '',
    },
    items: order.items,
  };
  return renderOrderText(own ?? ours, variables, ours);
}

/**
 * A message names the parcel that it is about; of several it shows all. One that takes the place of an earlier message would show the
 * parcel of that one, so it names its first.
 */
export function orderPushRequest(
  { status, order, parcels }: StoreMessage,
  { text, isAnother }: { text: TextSource; isAnother: boolean },
  { channels, escalateMinutes }: Pick<ConnectionSettings, 'channels' | 'escalateMinutes'>,
): PushRequest {
  const paid = (channels[status] ?? []).filter((channel) => channel !== 'sms' || !order.refusesTexts);
  const [parcel] = parcels;
  return {
    recipientEmail: order.email,
    ...text,
    phone: order.phone,
    channels: ['email', ...paid],
    whatsappOptIn: null,
    smsIfWhatsappFails: false,
    reference: order.reference,
    orderStatus: status,
    kind: 'updateable',
    notify: true,
    sendAt: null,
    escalateMinutes: paid.length > 0 ? escalateMinutes : null,
    obsoletes: [],
    shipment: parcel && (parcels.length === 1 || isAnother) ? shipmentOf(parcel) : null,
    milestone: null,
    language: order.language,
  };
}

export const shipmentOf = ({ trackingNumber, carrier, trackingUrl }: Parcel) => ({
  trackingNumber,
  carrier,
  trackingUrl,
  expectedOn: null,
  expectedUntil: null,
});

/**
 * The same parts make one push, whatever words it would have now: a crash, a retry and two workers push once. A caller's own key, which
 * is one line, cannot be it.
 */
export function callOfOurs(businessId: string, connectionId: string, parts: readonly string[]) {
  const fingerprint = sha256(JSON.stringify([connectionId, ...parts])).toString('hex');
  const by = byConnection(connectionId);
  return { businessId, keyId: null, by, key: `connection\n${fingerprint}`, fingerprint, bytes: 0 };
}

export const parcelNumbers = (parcels: readonly Parcel[]): string =>
  parcels
    .map(({ trackingNumber }) => trackingNumber)
    .sort()
    .join(' ');
