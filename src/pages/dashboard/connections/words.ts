import type { Connection } from '../../../connections/connections.ts';
import type { ConnectionKind } from '../../../connections/kinds/kind.ts';
import { kindOf } from '../../../connections/kinds.ts';
import type { ConnectionStatus } from '../../../connections/settings.ts';
import { DAY, HOUR } from '../../../kit/clock.ts';
import type { Flash } from '../../kit/flash.ts';

export const STATUS_BADGES = {
  watching: { tone: 'waiting', text: 'Watching' },
  live: { tone: 'good', text: 'Live' },
  off: { tone: 'plain', text: 'Off' },
} as const satisfies Record<ConnectionStatus, Flash>;

export const titleOf = (kind: ConnectionKind): string => kindOf(kind).title;

/** What each kind is for, in a line. */
export const KIND_WORDS: Readonly<Record<ConnectionKind, string>> = {
  woocommerce: 'Orders of a WordPress shop, by four webhooks.',
  shopify: 'Orders and fulfilments, by webhooks of the store.',
  saleor: 'Orders and fulfilments, by a local app.',
  aftership: 'Where parcels are, from AfterShip Tracking.',
  easypost: 'Where parcels are, from EasyPost’s trackers.',
  shippo: 'Where parcels are, from Shippo’s tracking.',
  karrio: 'Where parcels are, from karrio’s trackers.',
};

/** What the state means, and what happens to a call. */
export const STATUS_SENTENCES: Readonly<Record<ConnectionStatus, string>> = {
  watching: 'Every call is received and shown as what it would have sent. Nothing is sent.',
  live: 'Every change that is told becomes a message at once.',
  off: 'Calls are answered, and nothing of them is kept or sent.',
};

/** Where a store's own mails are switched off: its customers would get two. */
export const OWN_MAILS: Readonly<Partial<Record<ConnectionKind, string>>> = {
  woocommerce:
    'WooCommerce mails customers about their orders, too. Switch off under WooCommerce → Settings → Emails what Waypost tells.',
  shopify:
    'Shopify mails customers about their orders, too. Switch off under Settings → Notifications → Customer notifications what Waypost tells.',
  saleor: 'Switch off the mails that Saleor’s own plugins send for what Waypost tells.',
};

/** A store that calls after four hours in vain may stop calling. */
const QUIET_MS = 4 * HOUR;
const LONG_QUIET_MS = 2 * DAY;

/** How stores end calling us, and where that shows. */
const WHEN_QUIET: Readonly<Partial<Record<ConnectionKind, string>>> = {
  woocommerce:
    'WooCommerce switches a webhook off after more than five failures in a row: look under WooCommerce → Settings → Advanced → Webhooks whether the status of each is still “Active”.',
  shopify:
    'Shopify tries a call for four hours, and may then delete the webhook: look under Settings → Notifications → Webhooks whether each is still in the list.',
  saleor:
    'Look at the app’s webhook in Saleor’s dashboard whether it is active, and what its deliveries say.',
};

/** What to look at when nothing came for long; null: there is no reason to. */
export function quietNote(
  { kind, status, lastReceivedAt }: Pick<Connection, 'kind' | 'status' | 'lastReceivedAt'>,
  now: Date,
): Flash | null {
  const cause = WHEN_QUIET[kind];
  if (cause === undefined || status === 'off' || lastReceivedAt === null) return null;
  const quietMs = now.getTime() - lastReceivedAt.getTime();
  if (quietMs >= LONG_QUIET_MS) return { tone: 'waiting', text: `Nothing came for two days. ${cause}` };
  if (kind !== 'shopify' || quietMs < QUIET_MS) return null;
  return { tone: 'plain', text: `Nothing came for four hours. If your store had orders since: ${cause}` };
}
