import type { Channel } from '../../contract/channels.ts';
import type { ShipmentView, TrackingStatus } from '../../contract/orders.ts';
import { NEEDLESS } from '../../outbox/states.ts';
import type { ReportStatus } from '../../providers/callbackContent.ts';
import { CHANNEL_TITLES } from '../kit/channelWords.ts';
import type { Badge, BadgeTone } from '../kit/components.tsx';
import type { CapturedState, DeliveryLine, SendLineRow, UpcomingRow } from './sql.ts';

type BadgeText = Parameters<typeof Badge>[0];

/**
 * What became of a captured message, in a word. A later report overrides the provider's first response, which is null for a
 * message from the person.
 */
export function capturedBadge({
  outcome,
  state,
  reason,
}: CapturedState & { outcome: string | null }): BadgeText {
  if (state === 'failed' && reason === 'bounced') return { tone: 'bad', text: 'Bounced' };
  if (outcome === 'refused') return { tone: 'bad', text: 'Refused' };
  if (outcome === 'unknown' && (state === null || state === 'failed' || state === 'submitting'))
    return { tone: 'bad', text: 'Answer lost' };
  return stateBadge(state ?? outcome ?? '');
}

const TONES: ReadonlyMap<string, BadgeTone> = new Map([
  ['delivered', 'good'],
  ['read', 'good'],
  ['failed', 'bad'],
  ['rejected', 'bad'],
  ['exhausted', 'bad'],
  ['skipped', 'plain'],
  ['cancelled', 'plain'],
  ['stopped', 'plain'],
]);

/** The state of a send or of a delivery. */
export const stateBadge = (state: string): BadgeText => ({
  tone: TONES.get(state) ?? 'waiting',
  text: state === 'submitting' ? 'Being sent' : state.charAt(0).toUpperCase() + state.slice(1),
});

/** The reports that a provider of this channel can send. */
export const reportsOn: Readonly<Record<Channel, readonly ReportStatus[]>> = {
  email: ['delivered', 'bounced', 'complained', 'rejected'],
  sms: ['delivered', 'failed', 'rejected'],
  whatsapp: ['delivered', 'read', 'failed', 'rejected'],
};

/** What a carrier usually reports next; null: nothing more comes. */
export const reportedNext: Readonly<Record<TrackingStatus, TrackingStatus | null>> = {
  label_created: 'in_transit',
  picked_up: 'in_transit',
  in_transit: 'out_for_delivery',
  out_for_delivery: 'delivered',
  delivery_attempted: 'available_for_pickup',
  available_for_pickup: 'delivered',
  delivered: null,
  delayed: 'out_for_delivery',
  exception: 'out_for_delivery',
  returned: null,
};

const TROUBLES: readonly TrackingStatus[] = ['delivery_attempted', 'delayed', 'exception', 'returned'];

/** The state of a shipment, in the API's own word. */
export function shipmentBadge(status: TrackingStatus | null): BadgeText {
  if (status === null) return { tone: 'plain', text: 'no event yet' };
  if (status === 'delivered') return { tone: 'good', text: status };
  return { tone: TROUBLES.includes(status) ? 'bad' : 'waiting', text: status };
}

/** The days on which a shipment is expected. */
export function expectedText({
  expected_on: on,
  expected_until: until,
}: Pick<ShipmentView, 'expected_on' | 'expected_until'>): string {
  if (on === null) return '';
  return `expected ${on}${until === null ? '' : ` to ${until}`}`;
}

/** Why a send is in its state, in sentences; `until` is a time to add. */
export function whyOf(send: SendLineRow): { text: string; until: Date | null } {
  const { state, reason, due_at: until, attempts } = send;
  const status = (text: string, at: Date | null = null) => ({ text, until: at });
  switch (state) {
    case 'held':
      if (send.is_fallback) return status('Goes out if WhatsApp fails, or says nothing until', until);
      return status('Goes out only if the message is still unread at', until);
    case 'queued':
      if (until === null) return status('On its way to the provider.');
      return status(attempts === 0 ? 'Waits for' : `Tried ${times(attempts)}; again at`, until);
    case 'submitting':
      return status('The provider has been called and has not answered yet.');
    case 'accepted':
      return status('The provider took it and has not reported yet.');
    case 'cancelled': {
      const isNeedless = reason === null || NEEDLESS.includes(reason);
      return status(isNeedless ? 'No longer needed.' : `Cancelled: ${reason}.`);
    }
    case 'skipped':
      return status(`Not sent: ${reason ?? 'no reason given'}.`);
    default:
      return status([reason, send.error_code].filter((part) => part !== null).join(', '));
  }
}

const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

export const creditCount = (count: number): string => `${count} credit${count === 1 ? '' : 's'}`;

export function creditsOf({ credits, reserved, charged }: SendLineRow): string {
  if (credits === 0 || !(reserved || charged)) return '';
  return `${creditCount(credits)} ${charged ? 'spent' : 'set aside'}`;
}

/** What happens next, as a phrase. */
export function upcomingOf({ kind, what, whom, attempts, escalates, is_fallback }: UpcomingRow): string {
  if (kind === 'report') return `The provider reports “${what}” for ${whom}`;
  if (kind === 'delivery') return `${what} to ${whom}, attempt ${attempts + 1}`;
  const to = `${CHANNEL_TITLES[what === 'sms' || what === 'whatsapp' ? what : 'email']} to ${whom}`;
  if (is_fallback) return `${to}, if WhatsApp stays silent`;
  if (escalates) return `${to}, if the message is still unread`;
  return attempts === 0 ? to : `${to}, attempt ${attempts + 1}`;
}

/** The state of one delivery of an event. */
export function deliveryText({ state, attempts, status_code, error }: DeliveryLine): string {
  const last = status_code === null ? error : `${status_code}`;
  if (state === 'delivered') return last === null ? '' : `answered ${last}`;
  if (attempts === 0) return 'not tried yet';
  return `tried ${times(attempts)}${last === null ? '' : `: ${last}`}`;
}

/** `2 d 3 h`: how far the clock is ahead, in its two largest units. */
export function spanOf(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3_600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ') || '0 s';
}
