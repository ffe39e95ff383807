import { earlier, monotonicMs, SECOND } from '../kit/clock.ts';

/**
 * From where on there can be anything pending: nothing lies before what the last walk around all endpoints found, and
 * what is new comes due about now. It saves each look from passing by what was settled and is still in the index.
 */
export interface Floor {
  /** A walk around all endpoints begins. */
  begin(now: Date): void;
  /** The earliest that is pending, of some endpoints that the walk has passed. */
  passed(earliest: Date | null): void;
  /** The walk has come to the last endpoint. */
  end(): void;
  at(): Date;
}

const BOTTOM = new Date(0);

/** An event is dated when its transaction begins, and is seen once that has ended. */
const LATE_MS = 2 * SECOND;
/** One that took longer is found by a walk from the bottom. */
const FROM_THE_BOTTOM_EVERY_MS = 10 * SECOND;

export function createFloor(monotonic = monotonicMs): Floor {
  let floor = BOTTOM;
  let lowest = BOTTOM;
  let bottomAt = Number.NEGATIVE_INFINITY;
  return {
    begin(now) {
      lowest = earlier(now, LATE_MS);
      if (monotonic() - bottomAt >= FROM_THE_BOTTOM_EVERY_MS) {
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
