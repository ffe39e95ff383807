import type { Fault } from '../../kit/errors.ts';
import { faultAt, type Loc, type Problem } from './faults.ts';

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
