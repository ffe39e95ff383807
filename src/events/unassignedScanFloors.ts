import { type Clock, earlier, monotonicMs, SECOND } from '../kit/clock.ts';
import { idBoundAt } from '../kit/ids.ts';

/** An event gets its id in its transaction. One that commits later than this is found by the next scan from the beginning. */
const COMMIT_DELAY_MS = 30 * SECOND;
const FROM_BEGINNING_EVERY_MS = 10 * SECOND;
const BEGINNING = '';
/** More feeds than a process follows at a time; beyond this it starts over. */
const FLOORS_MAX = 10_000;

/**
 * Begins each scan where every event with a smaller id had a position at the last scan from the beginning. It saves scans from
 * stepping over the entries of events that have one, which an old transaction can keep in the index for hours.
 */
export function unassignedScanFloors(clock: Clock, monotonic = monotonicMs) {
  const floors = new Map<string, { floor: string; until: number }>();
  return (businessId: string) => {
    const known = floors.get(businessId);
    if (known !== undefined && monotonic() < known.until) return { floor: known.floor, end: () => {} };
    const began = monotonic();
    const recent = idBoundAt(earlier(clock.now(), COMMIT_DELAY_MS));
    return {
      /** The smallest id to look at. */
      floor: BEGINNING,
      /** The scan ended; `left` is the first event that still has no position. */
      end(left: string | null) {
        if (floors.size >= FLOORS_MAX) floors.clear();
        const floor = left !== null && left < recent ? left : recent;
        floors.set(businessId, { floor, until: began + FROM_BEGINNING_EVERY_MS });
      },
    };
  };
}

export type BeginUnassignedScan = ReturnType<typeof unassignedScanFloors>;
