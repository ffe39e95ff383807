import { ENDPOINT_FAILURES_MAX } from '../config/limits.ts';

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
