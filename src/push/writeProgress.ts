import { SECOND } from '../kit/clock.ts';

/** Whether writes are making progress, for the readiness of the process. */
export interface WriteProgress {
  /** Follows one write until it ends. `isUnavailable` says which errors mean that the database is out of reach. */
  follow<T>(write: Promise<T>, isUnavailable: (error: unknown) => boolean): Promise<T>;
  stalled(): boolean;
}

/** Longer than a write waits for a lock, shorter than it waits for a connection that fell silent. */
const STALLED_AFTER_MS = 7 * SECOND;
/**
 * A failure counts until a write succeeds, or for this long: a process that gets no more requests because it is not
 * ready would otherwise never be ready again.
 */
const FAILURE_COUNTS_MS = 10 * SECOND;

export function createWriteProgress(elapsedMs: () => number): WriteProgress {
  const underWay = new Set<{ since: number }>();
  let failedAt: number | null = null;
  return {
    async follow(write, isUnavailable) {
      const entry = { since: elapsedMs() };
      underWay.add(entry);
      try {
        const result = await write;
        failedAt = null;
        return result;
      } catch (error) {
        failedAt = isUnavailable(error) ? elapsedMs() : null;
        throw error;
      } finally {
        underWay.delete(entry);
      }
    },
    stalled() {
      const now = elapsedMs();
      // Entries are in the order of their beginning: the first is the oldest.
      const [oldest] = underWay;
      if (oldest !== undefined && now - oldest.since > STALLED_AFTER_MS) return true;
      return failedAt !== null && now - failedAt < FAILURE_COUNTS_MS;
    },
  };
}
