import type { PaidChannel } from '../contract/channels.ts';

/** The counters of a day: columns of `usage_counters`. */
export const counters = [
  'messages',
  'email_sent',
  'email_delivered',
  'email_opened',
  'email_bounced',
  'email_complained',
  'email_failed',
  'email_not_sent',
  'sms_sent',
  'sms_delivered',
  'sms_failed',
  'sms_rejected',
  'sms_skipped',
  'sms_credits',
  'whatsapp_sent',
  'whatsapp_delivered',
  'whatsapp_read',
  'whatsapp_failed',
  'whatsapp_rejected',
  'whatsapp_skipped',
  'whatsapp_credits',
  'avoided_opened_first',
  'avoided_whatsapp_sufficed',
  'avoided_retracted',
  'avoided_credits',
] as const;

export type Counter = (typeof counters)[number];

/** One thing to count, on the day it happens. */
export interface UsageFact {
  businessId: string;
  at: Date;
  counter: Counter;
  amount: number;
  /** For a first opening: the time since the push. */
  openedAfterMs?: number;
}

/** A fact without its place. */
export type CountedAs = Pick<UsageFact, 'counter' | 'amount'>;

/** `2026-08-20`, in UTC. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Why a waiting send was cancelled. */
export const cancelReasons = [
  'message_retracted',
  'message_obsolete',
  'superseded',
  'opened_first',
  'whatsapp_sufficed',
  'not_needed',
] as const;

export type CancelReason = (typeof cancelReasons)[number];

const isCancelReason = (reason: string): reason is CancelReason =>
  cancelReasons.some((known) => known === reason);

/** The facts of a cancelled text or WhatsApp message that the count needs. */
export interface CancelledPaid {
  channel: PaidChannel;
  credits: number;
  /** It was held until the message stayed unread or WhatsApp failed. */
  armed: boolean;
}

type Verdict =
  | 'skipped'
  | 'replaced'
  | 'avoided_opened_first'
  | 'avoided_whatsapp_sufficed'
  | 'avoided_retracted';

/** A held send that never had to go is avoided; any other was decided against, unless a newer one took its place. */
const verdicts: Record<CancelReason, Record<'armed' | 'certain', Verdict>> = {
  message_retracted: { armed: 'avoided_retracted', certain: 'skipped' },
  message_obsolete: { armed: 'avoided_retracted', certain: 'skipped' },
  superseded: { armed: 'replaced', certain: 'replaced' },
  opened_first: { armed: 'avoided_opened_first', certain: 'skipped' },
  whatsapp_sufficed: { armed: 'avoided_whatsapp_sufficed', certain: 'skipped' },
  // The fallback of a WhatsApp message that a gate stopped.
  not_needed: { armed: 'skipped', certain: 'skipped' },
};

export function countCancelledPaid({ channel, credits, armed }: CancelledPaid, reason: string): CountedAs[] {
  const verdict = isCancelReason(reason) ? verdicts[reason][armed ? 'armed' : 'certain'] : 'skipped';
  switch (verdict) {
    case 'replaced':
      return [];
    case 'skipped':
      return [{ counter: `${channel}_skipped`, amount: 1 }];
    default:
      return [
        { counter: verdict, amount: 1 },
        { counter: 'avoided_credits', amount: credits },
      ];
  }
}
