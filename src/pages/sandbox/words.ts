import type { Channel } from '../../contract/channels.ts';
import { NEEDLESS } from '../../outbox/states.ts';
import type { ReportStatus } from '../../providers/callbackContent.ts';
import type { DeliveryLine, SendLineRow, UpcomingRow } from './sql.ts';

export type Tone = 'going' | 'good' | 'ended' | 'quiet';

export const channelName: Readonly<Record<Channel, string>> = {
  email: 'Email',
  sms: 'Text',
  whatsapp: 'WhatsApp',
};

export interface Ended {
  /** The provider's response; null for a message from the person. */
  outcome: string | null;
  /** The send's state and reason; null once it is deleted. */
  state: string | null;
  reason: string | null;
}

/** The outcome of a captured message in a word. A later report overrides the provider's first response. */
export function fateOf({ outcome, state, reason }: Ended): { word: string; tone: Tone } {
  if (state === 'failed' && reason === 'bounced') return { word: 'Bounced', tone: 'ended' };
  if (outcome === 'refused') return { word: 'Refused', tone: 'ended' };
  if (outcome === 'unknown' && (state === null || state === 'failed' || state === 'submitting'))
    return { word: 'Answer lost', tone: 'ended' };
  return fateOfState(state ?? outcome ?? '');
}

export function fateOfState(state: string): { word: string; tone: Tone } {
  const word = state === 'submitting' ? 'Being sent' : state.charAt(0).toUpperCase() + state.slice(1);
  if (state === 'delivered' || state === 'read') return { word, tone: 'good' };
  if (state === 'failed' || state === 'rejected' || state === 'exhausted') return { word, tone: 'ended' };
  return {
    word,
    tone: state === 'skipped' || state === 'cancelled' || state === 'stopped' ? 'quiet' : 'going',
  };
}

/** The reports that a provider of this channel can send. */
export const reportsOn: Readonly<Record<Channel, readonly ReportStatus[]>> = {
  email: ['delivered', 'bounced', 'complained', 'rejected'],
  sms: ['delivered', 'failed', 'rejected'],
  whatsapp: ['delivered', 'read', 'failed', 'rejected'],
};

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
      return attempts === 0
        ? status('Waits for', until)
        : status(`Tried ${times(attempts)}; again at`, until);
    case 'submitting':
      return status('The provider has been called and has not answered yet.');
    case 'accepted':
      return status('The provider took it and has not reported yet.');
    case 'cancelled':
      return status(
        reason === null || NEEDLESS.includes(reason) ? 'No longer needed.' : `Cancelled: ${reason}.`,
      );
    case 'skipped':
      return status(`Not sent: ${reason ?? 'no reason given'}.`);
    default:
      return status([reason, send.error_code].filter((part) => part !== null).join(', '));
  }
}

const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

export function creditsOf({ credits, reserved, charged }: SendLineRow): string {
  if (credits === 0 || !(reserved || charged)) return '';
  return `${credits} credit${credits === 1 ? '' : 's'} ${charged ? 'spent' : 'set aside'}`;
}

/** What happens next, as a phrase. */
export function upcomingOf(row: UpcomingRow): string {
  switch (row.kind) {
    case 'report':
      return `The provider reports “${row.what}” for ${row.whom}`;
    case 'delivery':
      return `${row.what} to ${row.whom}, attempt ${row.attempts + 1}`;
    case 'send': {
      const name = channelName[row.what === 'sms' || row.what === 'whatsapp' ? row.what : 'email'];
      if (row.is_fallback) return `${name} to ${row.whom}, if WhatsApp stays silent`;
      if (row.escalates) return `${name} to ${row.whom}, if the message is still unread`;
      return `${name} to ${row.whom}${row.attempts === 0 ? '' : `, attempt ${row.attempts + 1}`}`;
    }
  }
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
  return shown.length === 0 ? '0 s' : shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}
