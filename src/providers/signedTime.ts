import { MINUTE, SECOND } from '../kit/clock.ts';

/** How far the provider's clock and ours may differ. */
const CLOCKS_DIFFER_MS = 5 * MINUTE;

/**
 * Whether a callback was signed at this time, in seconds, no longer ago than its provider retries it. A retry may
 * still have the signature of the first try.
 */
export function isSignedRecently(seconds: string | undefined, now: Date, retriedForMs = 0): boolean {
  // Exactly ten digits, so that none can be moved to the text that is signed together with the time.
  if (seconds === undefined || !/^\d{10}$/.test(seconds)) return false;
  const ageMs = now.getTime() - Number(seconds) * SECOND;
  return ageMs >= -CLOCKS_DIFFER_MS && ageMs <= retriedForMs + CLOCKS_DIFFER_MS;
}
