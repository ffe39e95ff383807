import { type ApiError, type Fault, invalid } from '../../kit/errors.ts';

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
