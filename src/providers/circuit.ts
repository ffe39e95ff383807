import { type Clock, later, MINUTE, SECOND } from '../kit/clock.ts';

/** The waits between trial calls; the last one repeats. Short at first, so that a quick fix is noticed quickly. */
const WAITS_MS = [30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE] as const;

/**
 * A circuit breaker for faults that only a person can fix. While it is open no call is made; then one trial call
 * goes through, and if that finds the fault again, the next wait is longer.
 */
export class Circuit {
  readonly #clock: Clock;
  #faults = 0;
  #until: Date | null = null;
  #trying = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether calls are refused now. */
  get isOpen(): boolean {
    return this.#until !== null && this.#clock.now() < this.#until;
  }

  /** Called before each call. After a wait only one trial call is admitted at a time. */
  admits(): boolean {
    if (this.#until === null) return true;
    if (this.isOpen || this.#trying) return false;
    this.#trying = true;
    return true;
  }

  /** A call found the fault. Calls that were in flight at the same time find it too, and change nothing. */
  faulted(): void {
    this.#trying = false;
    if (this.isOpen) return;
    const wait = WAITS_MS[Math.min(this.#faults, WAITS_MS.length - 1)] ?? MINUTE;
    this.#faults += 1;
    this.#until = later(this.#clock.now(), wait);
  }

  /** A response shows that the fault is gone. Returns whether there was one. */
  worked(): boolean {
    const was = this.#until !== null;
    this.#faults = 0;
    this.#until = null;
    this.#trying = false;
    return was;
  }

  /** A call ended without showing whether the fault remains. */
  undecided(): void {
    this.#trying = false;
  }
}
