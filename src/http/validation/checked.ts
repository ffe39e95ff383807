import { type ApiError, type Fault, invalid } from '../../kit/errors.ts';
import { faultAt, type Loc, type Problem } from './faults.ts';

/** Something a caller sent, after looking at it: the value it stands for, or everything that is wrong with it. */
export type Checked<T> = Passed<T> | Failed;

export interface Passed<T> {
  readonly ok: true;
  readonly value: T;
}

export interface Failed {
  readonly ok: false;
  readonly faults: readonly Fault[];
}

export const passed = <T>(value: T): Passed<T> => ({ ok: true, value });
export const failed = (faults: readonly Fault[]): Failed => ({ ok: false, faults });

/**
 * The one answer to a request of which several parts were looked at: all failures of one request come together.
 * `if (!key.ok || !body.ok) throw refusal(key, body);` leaves both narrowed to what passed.
 */
export function refusal(...parts: readonly Checked<unknown>[]): ApiError {
  return invalid(...parts.flatMap((part) => (part.ok ? [] : part.faults)));
}

/** Returns the validated value, or notes what is wrong with it; then what it returns is of no account. */
export type Rule = (value: unknown, found: Findings) => unknown;

/** More faults than these in one value help nobody, and would let a small request ask for a huge answer. */
export const MAX_FAULTS = 100;

/** The faults found while walking one value; `path` is where the walk stands. */
export class Findings {
  readonly path: (string | number)[];
  readonly faults: Fault[] = [];

  constructor(loc: Loc) {
    this.path = [...loc];
  }

  get full(): boolean {
    return this.faults.length >= MAX_FAULTS;
  }

  add(found: Problem, input: unknown): void {
    if (!this.full) this.faults.push(faultAt(this.path, found, input));
  }

  addAt(key: string | number, found: Problem, input: unknown): void {
    if (!this.full) this.faults.push(faultAt([...this.path, key], found, input));
  }
}
