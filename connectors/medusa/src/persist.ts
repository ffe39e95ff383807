import {
  ConnectionError,
  RateLimitError,
  RequestInProgressError,
  ServerError,
  UnexpectedAnswerError,
} from '@waypost/client';

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Waypost knows an idempotency key for 24 hours: a repeat after that would tell twice what only seemed to fail. */
const GIVE_UP_AFTER_MS = 23 * 60 * 60_000;

export interface Passing {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export const passingTime: Passing = {
  now: () => performance.now(),
  // Nothing that waits keeps a process alive that has ended its work: a command of Medusa runs subscribers, too.
  sleep: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms).unref();
    }),
};

/** What passes by itself: Waypost, or the way to it, is down. */
export const mayPass = (error: unknown): boolean =>
  [ConnectionError, ServerError, RateLimitError, RequestInProgressError, UnexpectedAnswerError].some(
    (kind) => error instanceof kind,
  );

/** Tries until it succeeds, fails for good, is no longer wanted, or a day has nearly passed. Rejects with the last error. */
export async function persist(
  attempt: () => Promise<void>,
  { isWanted, time = passingTime }: { isWanted: () => boolean; time?: Passing },
): Promise<'done' | 'unwanted'> {
  const start = time.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    try {
      await attempt();
      return 'done';
    } catch (error) {
      if (!mayPass(error) || time.now() - start + pauseMs > GIVE_UP_AFTER_MS) throw error;
    }
    await time.sleep(pauseMs);
    if (!isWanted()) return 'unwanted';
  }
}
