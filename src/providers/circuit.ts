import { type Clock, later, MINUTE, SECOND } from '../kit/clock.ts';

/** Waits between tries, the last one again and again: soon put right is soon noticed. */
const WAITS_MS = [30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE] as const;

/**
 * Whether calls are worth making. After a fault that only a person can put right it is open: nothing is called for a
 * while, then one call tries; if it finds the fault again, nothing is called for longer.
 */
export class Circuit {
  readonly #clock: Clock;
  #faults = 0;
  #until: Date | null = null;
  #trying = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** No call is to be made now. */
  get isOpen(): boolean {
    return this.#until !== null && this.#clock.now() < this.#until;
  }

  /** Asked before each call. After a wait only one call is let through until it has ended. */
  admits(): boolean {
    if (this.#until === null) return true;
    if (this.isOpen || this.#trying) return false;
    this.#trying = true;
    return true;
  }

  /** A call found the fault. Those that were under way at the same time find it too, and change nothing. */
  faulted(): void {
    this.#trying = false;
    if (this.isOpen) return;
    const wait = WAITS_MS[Math.min(this.#faults, WAITS_MS.length - 1)] ?? MINUTE;
    this.#faults += 1;
    this.#until = later(this.#clock.now(), wait);
  }

  /** A call got an answer that shows the fault is gone. Answers whether there was one. */
  worked(): boolean {
    const was = this.#until !== null;
    this.#faults = 0;
    this.#until = null;
    this.#trying = false;
    return was;
  }

  /** A call ended without telling. */
  undecided(): void {
    this.#trying = false;
  }
}
