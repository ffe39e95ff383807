import type { Fault, FaultType } from '../../kit/errors.ts';
import { isObject } from '../../kit/json.ts';

export type Loc = readonly (string | number)[];

/** What is wrong, apart from where and with which value. Made once, when a schema is compiled. */
export interface Problem {
  readonly type: FaultType;
  readonly msg: string;
}

const problem = (type: FaultType, msg: string): Problem => ({ type, msg });
const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** The sentences of Pydantic v2, word for word: merchants' tooling knows them. */
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

/** An `input` that would take more than this, written as JSON in UTF-8, is shown as null. */
export const MAX_INPUT_BYTES = 16 * 1024;

/** The offending value as a fault shows it. Looks no further into a value than the limit reaches. */
export const shownInput = (value: unknown): unknown => (roomAfter(value, MAX_INPUT_BYTES) < 0 ? null : value);

/** What is left of `room` bytes once the value is written; negative as soon as it does not fit. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return roomAfterText(value, room);
  if (Array.isArray(value)) return roomAfterList(value, room);
  if (isObject(value)) return roomAfterObject(value, room);
  return room - (JSON.stringify(value) ?? 'null').length;
}

function roomAfterText(text: string, room: number): number {
  return text.length > room ? -1 : room - Buffer.byteLength(JSON.stringify(text));
}

function roomAfterList(list: readonly unknown[], room: number): number {
  let left = room - 2 - Math.max(0, list.length - 1);
  for (let index = 0; index < list.length && left >= 0; index += 1) left = roomAfter(list[index], left);
  return left;
}

function roomAfterObject(object: Record<string, unknown>, room: number): number {
  const names = Object.keys(object);
  // Quotes, colon and one character of value; a comma each but the first.
  if (names.length * 4 > room) return -1;
  let left = room - 2 - Math.max(0, names.length - 1);
  for (let index = 0; index < names.length && left >= 0; index += 1) {
    const name = names[index] ?? '';
    left = roomAfter(object[name], roomAfterText(name, left) - 1);
  }
  return left;
}
