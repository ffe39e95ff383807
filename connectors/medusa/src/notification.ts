import { createHash, randomUUID } from 'node:crypto';
import type { Push } from '@waypost/client';
import { IDEMPOTENCY_KEY_MAX } from '../../../src/config/limits.ts';
import { knownStatus, type OrderStatus } from '../../../src/contract/orderStatuses.ts';
import { at, isObject, listAt, textAt } from '../../../src/kit/json.ts';
import type { ProviderOptions } from './options.ts';
import { parcelsOf } from './parcels.ts';
import { languageTag } from './storeOrder.ts';
import { wordsFor } from './words.ts';

export interface NotificationPush {
  push: Push;
  idempotencyKey: string;
}

/** Why a notification cannot be pushed, for the shop's log. It names no person. */
export class NotificationMistake extends Error {}

/** Throws a NotificationMistake. */
export function pushOfNotification(notification: unknown, options: ProviderOptions): NotificationPush {
  const email = textAt(notification, 'to') ?? '';
  if (!email.includes('@'))
    throw new NotificationMistake('Waypost knows people by their email address: `to` must be one');
  const template = textAt(notification, 'template') ?? '';
  const data = at(notification, 'data');
  const status = options.templates[template] ?? knownStatus(template);
  const tag = languageTag(textAt(data, 'language') ?? textAt(data, 'locale'));
  const reference = textAt(data, 'order_number');
  const words = ownWords(notification) ?? statusWords(status, tag, data, options);
  if (words === null)
    throw new NotificationMistake(
      `template ${template} is no order status (templates), and the notification has neither content nor data with subject and body`,
    );
  const [shipment = null] = reference === null ? [] : parcelsIn(data);
  return {
    // The same key comes again after a failure; without one, the notification is another each time.
    idempotencyKey: fittingKey(
      `medusa-notification-${textAt(notification, 'idempotency_key') ?? textAt(notification, 'id') ?? randomUUID()}`,
    ),
    push: {
      recipient_email: email,
      ...words,
      reference,
      order_status: status,
      shipment,
      language: tag ?? options.language,
      channels: ['email', ...options.channels],
    },
  };
}

const fittingKey = (key: string): string =>
  key.length <= IDEMPOTENCY_KEY_MAX ? key : createHash('sha256').update(key).digest('hex');

/** What the shop has written itself: as Medusa's `content`, or in `data`. */
function ownWords(notification: unknown): { subject: string; body: string } | null {
  const subject = textAt(notification, 'content', 'subject') ?? textAt(notification, 'data', 'subject');
  const body = textAt(notification, 'content', 'text') ?? textAt(notification, 'data', 'body');
  return subject === null || body === null ? null : { subject, body };
}

function statusWords(
  status: OrderStatus | null,
  tag: string | null,
  data: unknown,
  options: ProviderOptions,
) {
  const number = textAt(data, 'order_number');
  if (status === null) return null;
  if (number === null) throw new NotificationMistake('data.order_number is missing');
  const [parcel] = parcelsIn(data);
  const named = {
    number,
    url: textAt(data, 'order_url') ?? '',
    firstName: textAt(data, 'first_name') ?? '',
    shopName: options.shopName ?? textAt(data, 'shop_name') ?? '',
    carrier: textAt(data, 'carrier') ?? '',
    trackingNumber: parcel?.tracking_number ?? '',
    trackingUrl: parcel?.tracking_url ?? '',
    items: listAt(data, 'items').filter(isObject).flatMap(itemIn),
  };
  return wordsFor(status, tag, named, options);
}

function itemIn(item: unknown): { name: string; quantity: number }[] {
  const name = textAt(item, 'name') ?? textAt(item, 'product_title') ?? textAt(item, 'title');
  return name === null ? [] : [{ name, quantity: Number(textAt(item, 'quantity') ?? 1) }];
}

const parcelsIn = (data: unknown) => {
  const label = {
    trackingNumber: textAt(data, 'tracking_number'),
    trackingUrl: textAt(data, 'tracking_url'),
  };
  const carrier = textAt(data, 'carrier');
  return parcelsOf(
    { id: '', providerId: 'own', labels: [label] },
    carrier === null || carrier.trim() === '' ? {} : { own: carrier },
  );
};
