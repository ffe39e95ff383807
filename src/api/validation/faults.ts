import type { Fault, FaultType } from '../../kit/errors.ts';
import { isObject } from '../../kit/json.ts';

export type Loc = readonly (string | number)[];

/** A fault without its location and input. Created once, when a schema is compiled. */
export interface Problem {
  readonly type: FaultType;
  readonly msg: string;
}

const problem = (type: FaultType, msg: string): Problem => ({ type, msg });
const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** The sentences of Pydantic v2, verbatim: merchants' tools know them. */
export const wrong = {
  missing: problem('missing', 'Field required'),
  notAString: problem('string_type', 'Input should be a valid string'),
  notAnInteger: problem('int_type', 'Input should be a valid integer'),
  notAnIntegerText: problem(
    'int_parsing',
    'Input should be a valid integer, unable to parse string as an integer',
  ),
  notABoolean: problem('bool_type', 'Input should be a valid boolean'),
  notAList: problem('list_type', 'Input should be a valid list'),
  notAnObject: problem('dict_type', 'Input should be a valid dictionary'),
  notADateTime: problem('datetime_type', 'Input should be a valid datetime'),
  noTimezone: problem('timezone_aware', 'Input should have timezone info'),
  notAnEmail: problem('value_error', 'value is not a valid email address'),

  unreadableDateTime: (why: string) =>
    problem('datetime_parsing', `Input should be a valid datetime, ${why}`),
  invalidJson: (why: string) => problem('json_invalid', `Invalid JSON: ${why}`),
  value: (why: string) => problem('value_error', `Value error, ${why}`),
  stringTooLong: (max: number) =>
    problem('string_too_long', `String should have at most ${count(max, 'character')}`),
  stringTooShort: (min: number) =>
    problem('string_too_short', `String should have at least ${count(min, 'character')}`),
  patternMismatch: (pattern: string) =>
    problem('string_pattern_mismatch', `String should match pattern '${pattern}'`),
  tooLow: (min: number) => problem('greater_than_equal', `Input should be greater than or equal to ${min}`),
  tooHigh: (max: number) => problem('less_than_equal', `Input should be less than or equal to ${max}`),
  listTooLong: (max: number, actual: number) =>
    problem('too_long', `List should have at most ${count(max, 'item')} after validation, not ${actual}`),
  listTooShort: (min: number, actual: number) =>
    problem('too_short', `List should have at least ${count(min, 'item')} after validation, not ${actual}`),
  notOneOf: (values: readonly string[]) => {
    const quoted = values.map((value) => `'${value}'`);
    const last = quoted.pop() ?? '';
    return problem(
      'enum',
      `Input should be ${quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`}`,
    );
  },
} as const;

export const faultAt = (loc: Loc, { type, msg }: Problem, input: unknown): Fault => ({
  type,
  loc: [...loc],
  msg,
  input: shownInput(input),
});

/** A larger `input`, as JSON in UTF-8, is shown as null. */
export const MAX_INPUT_BYTES = 16 * 1024;

/** The offending value as a fault shows it. Reads no more of a value than the limit allows. */
export const shownInput = (value: unknown): unknown => (bytesLeft(value, MAX_INPUT_BYTES) < 0 ? null : value);

/** How many of `budget` bytes remain after writing the value; negative as soon as it does not fit. */
function bytesLeft(value: unknown, budget: number): number {
  if (typeof value === 'string') return bytesLeftAfterText(value, budget);
  if (Array.isArray(value)) return bytesLeftAfterList(value, budget);
  if (isObject(value)) return bytesLeftAfterObject(value, budget);
  return budget - (JSON.stringify(value) ?? 'null').length;
}

const bytesLeftAfterText = (text: string, budget: number): number =>
  text.length > budget ? -1 : budget - Buffer.byteLength(JSON.stringify(text));

function bytesLeftAfterList(list: readonly unknown[], budget: number): number {
  let left = budget - 2 - Math.max(0, list.length - 1);
  for (let index = 0; index < list.length && left >= 0; index += 1) left = bytesLeft(list[index], left);
  return left;
}

function bytesLeftAfterObject(object: Record<string, unknown>, budget: number): number {
  const names = Object.keys(object);
  // Quotes, colon and one character of value; a comma for each but the first.
  if (names.length * 4 > budget) return -1;
  let left = budget - 2 - Math.max(0, names.length - 1);
  for (let index = 0; index < names.length && left >= 0; index += 1) {
    const name = names[index] ?? '';
    left = bytesLeft(object[name], bytesLeftAfterText(name, left) - 1);
  }
  return left;
}
