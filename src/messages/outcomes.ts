import type { Channel, PaidChannel } from '../contract/channels.ts';
import type { Delivery, PaidDelivery } from '../contract/messages.ts';
import {
  isUnknown,
  isWaiting,
  NOT_NEEDED,
  OPENED_FIRST,
  type SendState,
  WHATSAPP_SUFFICED,
} from '../outbox/states.ts';
import type { DeliverySend } from './delivery.ts';

/** What can have become of a message by email: the words of the API, and finer ones. Of one message, several can be so. */
export const emailOutcomes = [
  'delivered',
  'opened',
  'bounced',
  'complained',
  'failed',
  'rejected',
  'unknown',
  'not_sent',
  'under_way',
  'none',
] as const;
export type EmailOutcomeName = (typeof emailOutcomes)[number];

/** By SMS or WhatsApp: the statuses of the API, and finer ones. */
export const paidOutcomes = [
  'queued',
  'delivered',
  'read',
  'failed',
  'unknown',
  'rejected',
  'skipped',
  'held',
  'not_needed',
  'none',
] as const;
export type PaidOutcomeName = (typeof paidOutcomes)[number];

/** Of each channel, the coarse outcome before the finer one: one that is `unknown` has `failed`, too. Never empty. */
export type Outcomes = { email: EmailOutcomeName[] } & Record<PaidChannel, PaidOutcomeName[]>;

/** What became of a message, for lists, filters, files and its page. It adds to the API's delivery status, and never differs from it. */
export function outcomesOf(delivery: Delivery, unsorted: readonly DeliverySend[]): Outcomes {
  const sends = unsorted.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const paid = (channel: PaidChannel) =>
    paidOutcomesOf(
      delivery[channel],
      sends.filter((send) => send.channel === channel),
    );
  return { email: emailOutcomesOf(delivery, sends), sms: paid('sms'), whatsapp: paid('whatsapp') };
}

function emailOutcomesOf(delivery: Delivery, sends: readonly DeliverySend[]): EmailOutcomeName[] {
  const last = sends.findLast(({ channel, state }) => channel === 'email' && state !== 'cancelled');
  const isSo: Record<EmailOutcomeName, boolean> = {
    delivered: delivery.delivered,
    opened: delivery.opened,
    bounced: delivery.bounced,
    complained: delivery.complained,
    failed: delivery.failed !== null,
    rejected: delivery.failed?.reason === 'esp_refused',
    unknown: delivery.failed?.reason === 'outcome_unknown',
    not_sent: delivery.not_sent !== null,
    under_way: last !== undefined && isUnderWay(last.state, delivery.opened),
    none: false,
  };
  const found = emailOutcomes.filter((outcome) => isSo[outcome]);
  return found.length === 0 ? ['none'] : found;
}

/** Some providers never report a delivery; an opening is as good as one. */
const isUnderWay = (state: SendState, opened: boolean): boolean =>
  isWaiting(state) || state === 'submitting' || (state === 'accepted' && !opened);

function paidOutcomesOf(delivery: PaidDelivery | null, sends: readonly DeliverySend[]): PaidOutcomeName[] {
  const last = sends.at(-1);
  const lastFailed = sends.findLast(({ state }) => state === 'failed');
  const found = [
    delivery?.status ?? false,
    delivery?.status === 'failed' && lastFailed !== undefined && isUnknown(lastFailed) && 'unknown',
    sends.some(({ state }) => state === 'held') && 'held',
    delivery === null && last?.state === 'cancelled' && endOfNeedless(last.reason),
  ] as const;
  const outcomes = found.filter((outcome) => outcome !== false);
  return outcomes.length === 0 ? ['none'] : outcomes;
}

/** Of a send that another one took the place of, the other one says what became of it. Usage counts the same. */
function endOfNeedless(reason: string | null): 'not_needed' | 'skipped' | false {
  if (reason === OPENED_FIRST || reason === WHATSAPP_SUFFICED) return 'not_needed';
  return reason === NOT_NEEDED && 'skipped';
}

/** A failed, refused or unknown outcome has one word, in badges, filters, sends and sentences. */
export const OUTCOME_WORDS = {
  delivered: 'delivered',
  opened: 'opened',
  read: 'read',
  bounced: 'bounced',
  complained: 'marked as spam',
  failed: 'failed',
  rejected: 'refused',
  unknown: 'outcome unknown',
  not_sent: 'not sent',
  skipped: 'not sent',
  under_way: 'under way',
  queued: 'under way',
  held: 'held back',
  not_needed: 'not needed',
  none: 'none',
} as const satisfies Record<EmailOutcomeName | PaidOutcomeName, string>;

/** What became of one send, where it came to an end that a message's outcome can be, too; null: see its state. */
export function outcomeOfSend(send: { channel: Channel; state: SendState; reason: string | null }) {
  const { channel, state, reason } = send;
  if (state !== 'failed' && state !== 'rejected') return null;
  if (isUnknown(send)) return 'unknown';
  if (channel !== 'email') return state;
  if (reason === 'bounced') return 'bounced';
  return reason === 'esp_refused' ? 'rejected' : 'failed';
}
