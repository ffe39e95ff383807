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
