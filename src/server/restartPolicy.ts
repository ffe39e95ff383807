import { SECOND } from '../kit/clock.ts';

/** A process that ends sooner than this has not really started. */
export const STARTED_AFTER_MS = 10 * SECOND;
/** So many early ends in a row cannot be bad luck. */
export const EARLY_ENDS_MAX = 5;
const FIRST_PAUSE_MS = SECOND / 2;

export interface NextStart {
  /** Early ends in a row, this one included. */
  earlyEnds: number;
  /** Null: do not start it again, end the program. */
  afterMs: number | null;
}

/** What to do about a process that has ended by itself. The pause doubles with each early end. */
export function nextStart(earlyEndsBefore: number, livedMs: number): NextStart {
  if (livedMs >= STARTED_AFTER_MS) return { earlyEnds: 0, afterMs: 0 };
  const earlyEnds = earlyEndsBefore + 1;
  return {
    earlyEnds,
    afterMs: earlyEnds >= EARLY_ENDS_MAX ? null : FIRST_PAUSE_MS * 2 ** (earlyEnds - 1),
  };
}
