/**
 * The one source of time. Everything that decides by time takes a Clock; nothing else in the tree reads the
 * machine's clock. In production it follows the database's clock (see db/databaseClock), so that nodes whose own
 * clocks disagree still agree on leases and deadlines; in the sandbox it can also be moved.
 */
export interface Clock {
  now(): Date;
}

/** The machine's wall clock: for signatures, whose receivers compare with their own wall clock, and as a base. */
export const systemClock: Clock = { now: () => new Date() };

/** Milliseconds that only ever grow, for measuring durations and for timers; unaffected by wall-clock steps. */
export const monotonicMs = (): number => performance.now();

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const later = (from: Date, milliseconds: number): Date => new Date(from.getTime() + milliseconds);
export const earlier = (from: Date, milliseconds: number): Date => new Date(from.getTime() - milliseconds);
