/** How one attempt of a call ended without a success. */
export type FailedAttempt =
  | { kind: 'answered'; status: number; code: string; retryAfterMs: number | null }
  | { kind: 'no_answer'; notSent: boolean };

/**
 * When a call may be repeated. `always`: it only reads, or the server recognises it (an idempotency key, or an effect
 * that is the same twice). `if_untouched`: only when the server certainly did nothing.
 */
export type RepeatRule = 'always' | 'if_untouched';

const IN_PROGRESS = 'idempotency.request_in_progress';

/** Whether to repeat the call with the same key. A 4xx is never repeated, except for a 429 and a request in progress. */
export function mayRetry(failed: FailedAttempt, rule: RepeatRule): boolean {
  if (failed.kind === 'no_answer') return rule === 'always' || failed.notSent;
  if (failed.status === 429) return true;
  if (rule === 'if_untouched') return false;
  return failed.status >= 500 || (failed.status === 409 && failed.code === IN_PROGRESS);
}

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5_000;
/** Callers with the same Retry-After come back spread over this part of it. */
const SPREAD = 0.2;

/**
 * The pause before the next attempt. `attempt` counts from 1, `random` is from 0 to 1. Without a Retry-After it doubles
 * from 200 ms to 5 s, of which the second half is random. A Retry-After is never undercut.
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | null, random: number): number {
  const backoff = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 30));
  if (retryAfterMs === null) return backoff * (0.5 + random / 2);
  return retryAfterMs + random * Math.max(FIRST_DELAY_MS, retryAfterMs * SPREAD);
}

/** The end of the time is kept free for one last attempt. */
const LAST_ATTEMPT_MS = 1_000;

/**
 * How long to wait when `leftMs` are left in all, or null if no time is left for another attempt. A pause that would
 * pass the deadline is cut short, so that the call is tried until the end.
 */
export function waitBeforeRetryMs(delayMs: number, leftMs: number, totalMs: number): number | null {
  if (delayMs < leftMs) return delayMs;
  const latest = leftMs - Math.min(LAST_ATTEMPT_MS, totalMs / 10);
  return latest > 0 ? latest : null;
}

/** A Retry-After header, in seconds or as a date. Null if there is none or it says nothing. */
export function parseRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
