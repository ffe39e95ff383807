import { earlier, monotonicMs, SECOND } from './clock.ts';

export type ScanWatermark = ReturnType<typeof createScanWatermark>;

const BEGINNING = new Date(0);

/** New work is dated at the start of its transaction and becomes visible at its commit. */
const COMMIT_DELAY_MS = 2 * SECOND;

/**
 * The time before which a queue has nothing pending: the last full scan found nothing earlier, and new work comes
 * due about now. It saves each scan from stepping over settled rows that are still in the index, which an old
 * transaction can keep there for long. Work that becomes visible later than its commit may take is found by the next scan
 * from the beginning.
 */
export function createScanWatermark(fullScanEveryMs: number, monotonic = monotonicMs) {
  let floor = BEGINNING;
  let lowest = BEGINNING;
  let fullScanAt = Number.NEGATIVE_INFINITY;
  return {
    /** A scan of the whole queue begins. */
    begin(now: Date): void {
      lowest = earlier(now, COMMIT_DELAY_MS);
      if (monotonic() - fullScanAt >= fullScanEveryMs) {
        floor = BEGINNING;
        fullScanAt = monotonic();
      } else if (lowest < floor) {
        floor = lowest; // The clock was set back.
      }
    },
    /** The earliest pending work that the scan has passed. */
    passed(earliest: Date | null): void {
      if (earliest !== null && earliest < lowest) lowest = earliest;
    },
    /** The scan has reached the end. */
    end(): void {
      floor = lowest;
    },
    at: (): Date => floor,
  };
}
