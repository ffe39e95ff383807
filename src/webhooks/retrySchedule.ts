import { ENDPOINT_FAILURES_MAX, WEBHOOK_RETRIES_MS } from '../config/limits.ts';
import { later } from '../kit/clock.ts';

/** The first attempt and its retries. */
export const ATTEMPTS_MAX = 1 + WEBHOOK_RETRIES_MS.length;

/** Up to this part of a delay is added at random, so that deliveries that failed together are not retried together. */
export const JITTER = 0.2;

/**
 * When to retry after `made` attempts, the last of which failed at `failedAt`; null when no retry is left. Jitter
 * only adds: no attempt comes earlier than the schedule says. `random` returns a number in [0, 1).
 */
export function nextDeliveryAttempt(made: number, failedAt: Date, random: () => number): Date | null {
  const delay = WEBHOOK_RETRIES_MS[made - 1];
  return delay === undefined ? null : later(failedAt, Math.floor(delay * (1 + JITTER * random())));
}

/** An endpoint's health (interface 3.5). */
export interface Health {
  consecutiveFailures: number;
  disabledAt: Date | null;
  lastSuccessAt: Date | null;
  lastError: string | null;
}

/** How an attempt ended; `exhausted` when the event's last attempt failed. */
export type DeliveryAttemptOutcome = { at: Date } & (
  | { kind: 'delivered' }
  | { kind: 'failed'; error: string }
  | { kind: 'exhausted'; error: string }
);

/**
 * An endpoint's health after one more attempt. An event counts once, when its attempts are exhausted;
 * ENDPOINT_FAILURES_MAX in a row disable the endpoint, and a success resets the count. An attempt that ends after
 * the endpoint was disabled changes neither the count nor `disabledAt`: only a person enables it again.
 */
export function healthAfter(health: Health, outcome: DeliveryAttemptOutcome): Health {
  if (outcome.kind === 'failed') return { ...health, lastError: outcome.error };
  if (outcome.kind === 'delivered') {
    const consecutiveFailures = health.disabledAt === null ? 0 : health.consecutiveFailures;
    return { ...health, consecutiveFailures, lastSuccessAt: outcome.at, lastError: null };
  }
  if (health.disabledAt !== null) return { ...health, lastError: outcome.error };
  const consecutiveFailures = health.consecutiveFailures + 1;
  const disabledAt = consecutiveFailures >= ENDPOINT_FAILURES_MAX ? outcome.at : null;
  return { ...health, consecutiveFailures, disabledAt, lastError: outcome.error };
}
