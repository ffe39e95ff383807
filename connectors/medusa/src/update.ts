import type { Push, PushedShipment } from '@waypost/client';
import type { OrderStatus } from '../../../src/contract/orderStatuses.ts';
import type { PluginOptions } from './options.ts';
import { parcelsOf } from './parcels.ts';
import { internationalPhone } from './phone.ts';
import type { StoreEvent } from './storeEvents.ts';
import type { StoreFulfilment, StoreOrder } from './storeOrder.ts';
import { wordsFor } from './words.ts';

/** What happened in the shop. */
export interface Happening {
  event: StoreEvent;
  /** The event itself asks that the person is not told. */
  isQuiet: boolean;
  /** Whom a shipment or a delivery is about. */
  fulfilmentId: string | null;
  order: StoreOrder;
  shopName: string;
}

export type Update =
  | { kind: 'push'; push: Push; idempotencyKey: string; status: OrderStatus; moreParcels: PushedShipment[] }
  | { kind: 'nothing'; reason: 'status_not_told' | 'no_notification' | 'no_email' | 'partly_refunded' };

/** Half a unit of the smallest currency with three decimals: sums of decimals differ in their last digits. */
const ROUNDING = 0.0005;

export function updateOf(happening: Happening, options: PluginOptions): Update {
  const { event, order, fulfilmentId } = happening;
  const status = options.statuses[event];
  if (status === null) return { kind: 'nothing', reason: 'status_not_told' };
  if (happening.isQuiet || order.isQuiet) return { kind: 'nothing', reason: 'no_notification' };
  if (order.email === null) return { kind: 'nothing', reason: 'no_email' };
  if (event === 'payment.refunded' && !isFullyRefunded(order))
    return { kind: 'nothing', reason: 'partly_refunded' };
  const fulfilment = order.fulfilments.find(({ id }) => id === fulfilmentId) ?? null;
  const [parcel = null, ...moreParcels] = fulfilment === null ? [] : parcelsOf(fulfilment, options.carriers);
  return {
    kind: 'push',
    status,
    idempotencyKey: ['medusa', order.id, status, ...(fulfilment === null ? [] : [fulfilment.id])].join('-'),
    push: {
      recipient_email: order.email,
      ...wordsFor(status, order.language, namedIn(happening, parcel, fulfilment, options), options),
      reference: order.number,
      order_status: status,
      shipment: parcel,
      language: order.language ?? options.language,
      ...reach(order, status, options),
    },
    // They stand beside the first since then.
    moreParcels: event === 'shipment.created' ? moreParcels : [],
  };
}

const isFullyRefunded = ({ captured, refunded }: StoreOrder): boolean =>
  captured > 0 && refunded >= captured - ROUNDING;

function namedIn(
  { order, shopName }: Happening,
  parcel: PushedShipment | null,
  fulfilment: StoreFulfilment | null,
  { orderUrl, carriers }: PluginOptions,
) {
  return {
    number: order.number,
    url: orderUrl === null ? '' : filledUrl(orderUrl, order),
    firstName: order.firstName,
    shopName,
    carrier: parcel?.carrier ?? carriers[fulfilment?.providerId ?? ''] ?? '',
    trackingNumber: parcel?.tracking_number ?? '',
    trackingUrl: parcel?.tracking_url ?? '',
    items: order.items.map(({ name, quantity }) => ({ name, quantity })),
  };
}

const filledUrl = (template: string, { id, number }: StoreOrder): string =>
  template.replaceAll('{id}', encodeURIComponent(id)).replaceAll('{number}', encodeURIComponent(number));

type Reach = Pick<Push, 'channels' | 'recipient_phone' | 'escalate_if_unread_after_minutes'>;

/**
 * The paid channels. With `if_consented` an order without consent is told by email only, also where Waypost holds the number of an
 * earlier one.
 */
function reach(order: StoreOrder, status: OrderStatus, options: PluginOptions): Reach {
  const isGated = options.phone === 'if_consented';
  const paid = isGated && !order.permitsTexts ? [] : (options.channels[status] ?? []);
  if (paid.length === 0) return { channels: ['email'] };
  const phone =
    isGated && order.phone !== null ? internationalPhone(order.phone.text, order.phone.country) : null;
  return {
    channels: ['email', ...paid],
    ...(phone !== null && { recipient_phone: phone }),
    ...(options.escalateMinutes !== null && { escalate_if_unread_after_minutes: options.escalateMinutes }),
  };
}
