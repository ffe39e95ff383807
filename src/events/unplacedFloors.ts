import { type Clock, earlier, monotonicMs, SECOND } from '../kit/clock.ts';
import { idBoundAt } from '../kit/ids.ts';

/**
 * Where the look for events without a position begins in each feed: every event with a smaller id had one at the last look
 * from the beginning. It saves each look from stepping over the entries of placed events, which an old transaction can keep
 * in the index for hours.
 */
export interface UnplacedFloors {
  begin(businessId: string): UnplacedLook;
}

interface UnplacedLook {
  /** The smallest id to look at. */
  readonly floor: string;
  /** The look ended; `left` is the first event that still has no position. */
  end(left: string | null): void;
}

/** An event gets its id in its transaction. One that commits later than this is found by the next look from the beginning. */
const COMMIT_DELAY_MS = 30 * SECOND;
const FROM_BEGINNING_EVERY_MS = 10 * SECOND;
const BEGINNING = '';
/** More feeds than a process follows at a time; beyond this it starts over. */
const FLOORS_MAX = 10_000;

export function createUnplacedFloors(clock: Clock, monotonic = monotonicMs): UnplacedFloors {
  const floors = new Map<string, { floor: string; until: number }>();
  return {
    begin(businessId) {
      const known = floors.get(businessId);
      if (known !== undefined && monotonic() < known.until) return { floor: known.floor, end: () => {} };
      const began = monotonic();
      const recent = idBoundAt(earlier(clock.now(), COMMIT_DELAY_MS));
      return {
        floor: BEGINNING,
        end(left) {
          if (floors.size >= FLOORS_MAX) floors.clear();
          const floor = left !== null && left < recent ? left : recent;
          floors.set(businessId, { floor, until: began + FROM_BEGINNING_EVERY_MS });
        },
      };
    },
  };
}
