/**
 * The one source of time: every decision about time gets a Clock, and nothing else reads the machine's clock. In
 * production it follows the database's clock (db/databaseClock), so that nodes agree on leases and deadlines even
 * if their own clocks differ. In the sandbox it can also be moved.
 */
export interface Clock {
  now(): Date;
}

/** The machine's wall clock: for signatures, whose receivers compare with their own, and as a base for other clocks. */
export const systemClock: Clock = { now: () => new Date() };

/** Milliseconds that never go back, for durations and timers. */
export const monotonicMs = (): number => performance.now();

/** By the global timer, which a simulation can replace. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, milliseconds));

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const later = (from: Date, milliseconds: number): Date => new Date(from.getTime() + milliseconds);
export const earlier = (from: Date, milliseconds: number): Date => new Date(from.getTime() - milliseconds);
