import Type, { type Static, type TNull, type TSchema, type TUnion, type TUnsafe } from 'typebox';
import { DAY } from '../kit/clock.ts';

/**
 * The words that the shapes of requests and answers are written in. Each is plain JSON Schema that reads well in the
 * OpenAPI document, has a static type, and is understood by `compile`, which refuses whatever is not in here.
 */
export interface Notes {
  title?: string;
  description?: string;
  examples?: unknown[];
  deprecated?: boolean;
}

/** Keywords of ours, which OpenAPI ignores for their `x-`. */
export const DAYS_AHEAD_MAX = 'x-days-ahead-max';

/** At least one character that is not white space: JSON Schema's way to say "not blank". */
export const NOT_BLANK = '\\S';

/** Shapes ignore fields they do not know. */
export const Shape = Type.Object;

/** May be left out; then it is absent from the result too. */
export const Optional = Type.Optional;

/** May be left out, and then is `value`; the static type therefore always has it. */
export const WithDefault = <T extends TSchema>(schema: T, value: Static<T>): TUnsafe<Static<T>> =>
  Type.Unsafe<Static<T>>(Type.Optional(Type.With(schema, { default: value })));

export const Nullable = <T extends TSchema>(schema: T, notes: Notes = {}): TUnion<[T, TNull]> =>
  Type.Union([schema, Type.Null()], { ...notes });

/** Lengths count code points. `blank: false` refuses white space alone, too; the text itself is kept as sent. */
export function Text({
  min,
  max,
  blank = true,
  ...notes
}: Notes & { min?: number; max?: number; blank?: boolean } = {}) {
  const shortest = min ?? (blank ? 0 : 1);
  return Type.String({
    ...(shortest > 0 && { minLength: shortest }),
    ...(max !== undefined && { maxLength: max }),
    ...(!blank && { pattern: NOT_BLANK }),
    ...notes,
  });
}

/** The validated value is the address as stored: trimmed, in lower case. */
export const Email = (notes: Notes = {}) => Type.String({ format: 'email', ...notes });

/** A text of a format that its operation reads; the validated value is what it stands for. */
export const Formatted = (format: string, { max, ...notes }: Notes & { max?: number } = {}) =>
  Type.String({ format, ...(max !== undefined && { maxLength: max }), ...notes });

/** The merchant's own order number. */
export const Reference = ({ max, ...notes }: Notes & { max: number }) =>
  Type.String({ minLength: 1, maxLength: max, pattern: '^[A-Za-z0-9#_./-]+$', ...notes });

/** RFC 3339 with an offset; the validated value is a Date, and a Date is what an answer is written from. */
export const DateTime = (notes: Notes = {}) =>
  Type.Unsafe<Date>(Type.String({ format: 'date-time', ...notes }));

/** A DateTime after now and no later than `within` milliseconds from now. Compiling it takes a clock. */
export const FutureDateTime = ({ within, ...notes }: Notes & { within: number }) =>
  Type.Unsafe<Date>(Type.String({ format: 'date-time', [DAYS_AHEAD_MAX]: within / DAY, ...notes }));

export const OneOf = <const Values extends [string, ...string[]]>(
  values: readonly [...Values],
  notes: Notes = {},
) => Type.Enum<Values>(values, { type: 'string', ...notes });

export const Int = ({ min, max, ...notes }: Notes & { min?: number; max?: number } = {}) =>
  Type.Integer({
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...notes,
  });

export const Bool = (notes: Notes = {}) => Type.Boolean({ ...notes });

export const List = <T extends TSchema>(
  items: T,
  { min, max, ...notes }: Notes & { min?: number; max?: number } = {},
) =>
  Type.Array(items, {
    ...(min !== undefined && { minItems: min }),
    ...(max !== undefined && { maxItems: max }),
    ...notes,
  });

/** Passed through unlooked at, for someone else to check: the items of a batch. */
export const Anything = (notes: Notes = {}) => Type.Unknown({ ...notes });

/** A moment as it leaves: RFC 3339 in UTC with milliseconds. */
export const Timestamp = () => Type.String({ format: 'date-time', examples: ['2026-08-20T09:15:00.000Z'] });
