import { earlier, monotonicMs, SECOND } from './clock.ts';

/**
 * From where on a queue can have anything pending: nothing lies before what the last walk around all of it found, and what
 * is new comes due about now. It saves each look from passing by what was settled and is still in the index, which an old
 * transaction keeps from being cleared away.
 */
export interface ScanWatermark {
  /** A walk around the whole queue begins. */
  begin(now: Date): void;
  /** The earliest that is pending, of what the walk has passed. */
  passed(earliest: Date | null): void;
  /** The walk has come to the end. */
  end(): void;
  at(): Date;
}

const BOTTOM = new Date(0);

/** What is new is dated when its transaction begins, and is seen once that has ended. */
const LATE_MS = 2 * SECOND;

/** What took longer than that to be seen is found by the next walk from the bottom. */
export function createScanWatermark(fromTheBottomEveryMs: number, monotonic = monotonicMs): ScanWatermark {
  let floor = BOTTOM;
  let lowest = BOTTOM;
  let bottomAt = Number.NEGATIVE_INFINITY;
  return {
    begin(now) {
      lowest = earlier(now, LATE_MS);
      if (monotonic() - bottomAt >= fromTheBottomEveryMs) {
        floor = BOTTOM;
        bottomAt = monotonic();
      } else if (lowest < floor) {
        floor = lowest; // The clock was set back.
      }
    },
    passed(earliest) {
      if (earliest !== null && earliest < lowest) lowest = earliest;
    },
    end() {
      floor = lowest;
    },
    at: () => floor,
  };
}
