import { ENDPOINT_FAILURES_MAX, WEBHOOK_RETRIES_MS } from '../config/limits.ts';
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

/** What an endpoint's answers have come to (interface 3.5). */
export interface Health {
  consecutiveFailures: number;
  disabledAt: Date | null;
  lastSuccessAt: Date | null;
  lastError: string | null;
}

/** How an attempt ended: `exhausted` when it failed and was the last of its event's. */
export type AttemptOutcome = { at: Date } & (
  | { kind: 'delivered' }
  | { kind: 'failed'; error: string }
  | { kind: 'exhausted'; error: string }
);

/**
 * An endpoint's health after one more attempt. An event counts once, when its attempts are exhausted; so many in a
 * row disable, and a success in between begins the count anew. Once disabled, what was still under way changes
 * neither the count nor the moment: only a person enables again.
 */
export function healthAfter(health: Health, ending: AttemptOutcome): Health {
  if (ending.kind === 'failed') return { ...health, lastError: ending.error };
  if (ending.kind === 'delivered') {
    const consecutiveFailures = health.disabledAt === null ? 0 : health.consecutiveFailures;
    return { ...health, consecutiveFailures, lastSuccessAt: ending.at, lastError: null };
  }
  if (health.disabledAt !== null) return { ...health, lastError: ending.error };
  const consecutiveFailures = health.consecutiveFailures + 1;
  const disabledAt = consecutiveFailures >= ENDPOINT_FAILURES_MAX ? ending.at : null;
  return { ...health, consecutiveFailures, disabledAt, lastError: ending.error };
}
