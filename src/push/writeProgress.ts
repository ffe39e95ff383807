import { SECOND } from '../kit/clock.ts';

/** Whether writes are making progress; the readiness check reports it. */
interface WriteProgress {
  /** Tracks one write until it ends. `isUnavailable` says which errors mean that the database is down. */
  follow<T>(write: Promise<T>, isUnavailable: (error: unknown) => boolean): Promise<T>;
  stalled(): boolean;
}

/** Longer than the lock timeout of a write, shorter than the timeout of a silent connection. */
const STALLED_AFTER_MS = 7 * SECOND;
/**
 * A failure counts until a write succeeds, but no longer than this: a process that is not ready gets no requests, and so
 * would never become ready again.
 */
const FAILURE_COUNTS_MS = 3 * SECOND;

export function createWriteProgress(elapsedMs: () => number): WriteProgress {
  const inProgress = new Set<{ since: number }>();
  let failedAt: number | null = null;
  return {
    async follow(write, isUnavailable) {
      const entry = { since: elapsedMs() };
      inProgress.add(entry);
      try {
        const result = await write;
        failedAt = null;
        return result;
      } catch (error) {
        failedAt = isUnavailable(error) ? elapsedMs() : null;
        throw error;
      } finally {
        inProgress.delete(entry);
      }
    },
    stalled() {
      const now = elapsedMs();
      // A set keeps insertion order: the first entry is the oldest.
      const [oldest] = inProgress;
      if (oldest !== undefined && now - oldest.since > STALLED_AFTER_MS) return true;
      return failedAt !== null && now - failedAt < FAILURE_COUNTS_MS;
    },
  };
}
