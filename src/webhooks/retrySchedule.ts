import { WEBHOOK_RETRIES_MS } from '../config/limits.ts';
import { later } from '../kit/clock.ts';

/** The first attempt and its retries. */
export const ATTEMPTS_MAX = 1 + WEBHOOK_RETRIES_MS.length;

/** How much of a delay may be added to it, so that what failed together does not come back together. */
export const JITTER = 0.2;

/**
 * When to try again, after `made` attempts of which the last failed at `failedAt`; null when that was the last. The
 * jitter only adds: nobody is called earlier than the schedule says. `random` answers from 0 up to, not with, 1.
 */
export function nextDeliveryAttempt(made: number, failedAt: Date, random: () => number): Date | null {
  const delay = WEBHOOK_RETRIES_MS[made - 1];
  return delay === undefined ? null : later(failedAt, Math.floor(delay * (1 + JITTER * random())));
}
