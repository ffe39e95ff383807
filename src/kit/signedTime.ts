import { SECOND } from './clock.ts';

/** How far the signer's clock and ours may differ, either way. */
export const TOLERANCE_SECONDS = 300;

/**
 * Whether a request was signed at this time, in seconds, no longer ago than its sender retries it. A retry may still have the signature of
 * the first try.
 */
export function isSignedRecently(seconds: string | undefined, now: Date, retriedForMs = 0): boolean {
  // Exactly ten digits, so that none can be moved to the text that is signed together with the time.
  if (seconds === undefined || !/^\d{10}$/.test(seconds)) return false;
  const ageMs = now.getTime() - Number(seconds) * SECOND;
  const toleranceMs = TOLERANCE_SECONDS * SECOND;
  return ageMs >= -toleranceMs && ageMs <= retriedForMs + toleranceMs;
}
