import type { Clock } from '../../src/kit/clock.ts';
import type { SimulatedProcess } from './scheduler.ts';

interface Timer {
  process: SimulatedProcess;
  at: number;
  callback: () => void;
}

const START = new Date('2026-08-20T09:00:00.000Z').getTime();

/** The time of a simulation: it advances one millisecond per step, and otherwise only when the simulation moves it. */
export class VirtualClock implements Clock {
  #now = START;
  #timers: Timer[] = [];

  now(): Date {
    return new Date(this.#now);
  }

  get elapsedMs(): number {
    return this.#now - START;
  }

  tick(): void {
    this.#now += 1;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  after(process: SimulatedProcess, milliseconds: number, callback: () => void): () => void {
    const timer = { process, at: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  /** A dead process has no timers. */
  forget(process: SimulatedProcess): void {
    this.#timers = this.#timers.filter((timer) => timer.process !== process);
  }

  /** The earliest timer of a running process. */
  nextTimer(): Date | null {
    const times = this.#timers.filter(({ process }) => !process.stalled).map(({ at }) => at);
    return times.length === 0 ? null : new Date(Math.min(...times));
  }

  /** Removes and returns the next due timer; null when there is none. */
  takeDue(): (() => void) | null {
    const due = this.#timers
      .filter(({ process, at }) => !process.stalled && at <= this.#now)
      .sort((a, b) => a.at - b.at)[0];
    if (!due) return null;
    this.#timers = this.#timers.filter((timer) => timer !== due);
    return due.callback;
  }
}
