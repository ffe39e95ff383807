import { SECOND } from '../kit/clock.ts';

/** A process that ends sooner than this has not really started. */
export const STARTED_AFTER_MS = 10 * SECOND;
/** So many early ends in a row cannot be bad luck. */
export const EARLY_ENDS_MAX = 5;
const FIRST_PAUSE_MS = SECOND / 2;

/**
 * What to do about a process that has ended by itself: start it again after `afterMs`, or end the program if that is null.
 * The pause doubles with each early end in a row.
 */
export function nextStart(earlyEndsBefore: number, livedMs: number) {
  if (livedMs >= STARTED_AFTER_MS) return { earlyEnds: 0, afterMs: 0 };
  const earlyEnds = earlyEndsBefore + 1;
  const isHopeless = earlyEnds >= EARLY_ENDS_MAX;
  return { earlyEnds, afterMs: isHopeless ? null : FIRST_PAUSE_MS * 2 ** (earlyEnds - 1) };
}
