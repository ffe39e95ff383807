import { earlier, MINUTE } from '../../src/kit/clock.ts';
import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { type WooChange, wooHeaders, wooOrder, wooSignature } from '../support/wooCalls.ts';
import { playStore } from './playedStore.ts';

/** A WooCommerce store that is connected. */
export const connectWoo = (
  service: TestService,
  shop: Shop,
  { status = 'live', flags = [] }: { status?: 'watching' | 'live'; flags?: string[] } = {},
) =>
  playStore(service, shop, {
    kind: 'woocommerce',
    status,
    flags,
    sign: (body, secret) => wooHeaders('order.updated', wooSignature(secret, body)),
  });

/** What a store writes, by the clock of the service. */
export function wooWords(service: () => TestService) {
  /** In UTC, without a zone. */
  const minutesAgo = (minutes: number): string =>
    earlier(service().clock.now(), minutes * MINUTE)
      .toISOString()
      .slice(0, 19);
  const saved = (minutes: number) => ({ date_modified_gmt: minutesAgo(minutes) });
  return {
    minutesAgo,
    order: (change: WooChange = {}) => wooOrder(minutesAgo, change),
    saved,
    completed: (minutes = 5) => ({
      status: 'completed',
      date_completed_gmt: minutesAgo(minutes),
      ...saved(minutes),
    }),
  };
}
