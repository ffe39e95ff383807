import { type ApiError, type Fault, invalid } from '../../kit/errors.ts';
import { faultAt, type Loc, type Problem } from './faults.ts';

/** A validated value, or all its faults. */
export type Checked<T> = Passed<T> | Failed;

interface Passed<T> {
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
 * One error for several validated parts, with all their faults together. `if (!key.ok || !body.ok) throw
 * refusal(key, body);` narrows both.
 */
export const refusal = (...parts: readonly Checked<unknown>[]): ApiError =>
  invalid(...parts.flatMap((part) => (part.ok ? [] : part.faults)));

/** Returns the validated value, or records faults; then its result is ignored. */
export type Rule = (value: unknown, found: Findings) => unknown;

/** Limits the size of the response that a small request can cause. */
export const MAX_FAULTS = 100;

/** The faults found in one value; `path` is the current position. */
export class Findings {
  readonly path: (string | number)[];
  readonly faults: Fault[] = [];

  constructor(loc: Loc) {
    this.path = [...loc];
  }

  get full(): boolean {
    return this.faults.length >= MAX_FAULTS;
  }

  /** Whether a fault after the first `before` ones is in one of these fields of the current value. */
  concerns(fields: readonly string[], before: number): boolean {
    const depth = this.path.length;
    return this.faults.slice(before).some(({ loc }) => fields.includes(String(loc[depth])));
  }

  add(found: Problem, input: unknown): void {
    if (!this.full) this.faults.push(faultAt(this.path, found, input));
  }

  addAt(key: string | number, found: Problem, input: unknown): void {
    if (!this.full) this.faults.push(faultAt([...this.path, key], found, input));
  }
}
