import { WHATSAPP_STATUS_WAIT_MS } from '../config/limits.ts';
import { later, MINUTE } from '../kit/clock.ts';

/** How the email that escalation counts from stands: not out yet, with the provider, or over without having gone out. */
export type EmailFate = 'waiting' | 'out' | 'over';

/**
 * What to do when the deadline has come. Someone who opened the message needs no reminder; an email that has not
 * gone out yet moves the deadline; one that bounced, failed or was skipped counts as unread.
 */
export function atDeadline(opened: boolean, email: EmailFate): 'send' | 'not_needed' | 'wait_for_email' {
  if (opened) return 'not_needed';
  return email === 'waiting' ? 'wait_for_email' : 'send';
}

/** The deadline that had to wait for the email: counted from its going out, or at once when it never will. */
export const movedDeadline = (email: 'out' | 'over', minutes: number, outAt: Date, now: Date): Date =>
  email === 'out' ? later(outAt, minutes * MINUTE) : now;

/**
 * How a WhatsApp message stands, as far as the text that may follow it is concerned.
 * `no_status`: a provider took it, or may have, and nothing more is known. `undeliverable`: refused, reported failed,
 * or WhatsApp cannot carry it at all. `stopped`: a rule kept it back, which proves nothing about WhatsApp.
 */
export type WhatsappFate = 'under_way' | 'no_status' | 'arrived' | 'undeliverable' | 'stopped';

/** When the fallback texts: at once, after the wait for a status, or not any more; `unchanged` while nothing is decided. */
export function textAfter(fate: WhatsappFate, calledAt: Date, now: Date): Date | 'not_needed' | 'unchanged' {
  switch (fate) {
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
