import { WHATSAPP_STATUS_WAIT_MS } from '../config/limits.ts';
import { later, MINUTE } from '../kit/clock.ts';

/** The email that an escalation counts from: not sent yet, accepted by the provider, or ended without being accepted. */
export type EmailStatus = 'waiting' | 'out' | 'over';

/** Nobody has opened the message since the last push that nudged about it. */
export const isUnread = (message: { opened_at: Date | null; unread_again: boolean | null }): boolean =>
  message.opened_at === null || message.unread_again === true;

/**
 * Decides an escalation at its deadline. A message that was opened since needs no reminder. If the email is not sent yet,
 * the escalation waits for it. If the email bounced, failed or was skipped, the message counts as unread.
 */
export function atDeadline(unread: boolean, email: EmailStatus): 'send' | 'not_needed' | 'wait_for_email' {
  if (!unread) return 'not_needed';
  return email === 'waiting' ? 'wait_for_email' : 'send';
}

/** The new deadline of an escalation that waited for its email: `minutes` after the email, or now if it is never sent. */
export const movedDeadline = (email: 'out' | 'over', minutes: number, outAt: Date, now: Date): Date =>
  email === 'out' ? later(outAt, minutes * MINUTE) : now;

/**
 * The state of a WhatsApp message, as its fallback text sees it. `no_status`: the provider accepted it or may have, and has
 * not reported since. `undeliverable`: refused, reported failed, or WhatsApp cannot carry it. `stopped`: a gate refused
 * it, which says nothing about whether WhatsApp could deliver it.
 */
export type WhatsappStatus = 'under_way' | 'no_status' | 'arrived' | 'undeliverable' | 'stopped';

/** When to send the fallback text: now, after the wait for a report, or never; `unchanged` while WhatsApp is undecided. */
export function textAfter(
  status: WhatsappStatus,
  calledAt: Date,
  now: Date,
): Date | 'not_needed' | 'unchanged' {
  switch (status) {
    case 'under_way':
      return 'unchanged';
    case 'no_status':
      return later(calledAt, WHATSAPP_STATUS_WAIT_MS);
    case 'undeliverable':
      return now;
    case 'arrived':
    case 'stopped':
      return 'not_needed';
  }
}
