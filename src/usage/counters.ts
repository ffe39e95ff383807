import type { PaidChannel } from '../contract/channels.ts';
import type { cancelReasons } from '../contract/reasons.ts';

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

/** `2026-08-20`, in UTC. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;

/** The columns that say whether a send goes out in any case. */
interface Conditional {
  purpose: string;
  escalate_minutes: number | null;
  fallback_of: string | null;
}

/** Held until the message stayed unread or WhatsApp failed; a resend made it an ordinary send. */
export const isConditional = ({ purpose, escalate_minutes, fallback_of }: Conditional): boolean =>
  purpose !== 'resend' && (escalate_minutes !== null || fallback_of !== null);

/** The same in SQL, about the row `send`. */
export const isConditionalSql = (send: string): string =>
  `(${send}.purpose <> 'resend' and (${send}.escalate_minutes is not null or ${send}.fallback_of is not null))`;

/** Why a conditional send never had to go. For any other reason, and where it is not conditional, it counts as skipped. */
export const AVOIDED = {
  message_retracted: 'avoided_retracted',
  message_obsolete: 'avoided_retracted',
  opened_first: 'avoided_opened_first',
  whatsapp_sufficed: 'avoided_whatsapp_sufficed',
} as const satisfies Partial<Record<CancelReason, Counter>>;

export type CancelReason = (typeof cancelReasons)[number];

const isAvoided = (reason: string): reason is keyof typeof AVOIDED => Object.hasOwn(AVOIDED, reason);

/** The counts of a cancelled text or WhatsApp message; `armed`: it was conditional. A superseded one counts where it went on. */
export function countCancelledPaid(
  { channel, credits, armed }: { channel: PaidChannel; credits: number; armed: boolean },
  reason: string,
): Pick<UsageFact, 'counter' | 'amount'>[] {
  if (reason === 'superseded') return [];
  if (!armed || !isAvoided(reason)) return [{ counter: `${channel}_skipped`, amount: 1 }];
  return [
    { counter: AVOIDED[reason], amount: 1 },
    { counter: 'avoided_credits', amount: credits },
  ];
}
