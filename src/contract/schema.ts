import Type, { type Static, type TNull, type TSchema, type TUnion, type TUnsafe } from 'typebox';
import { DAY } from '../kit/clock.ts';

/**
 * The vocabulary for the shapes of requests and responses. Each function returns plain JSON Schema that reads
 * well in the OpenAPI document and has a static type. `compile` understands exactly these and throws on anything
 * else.
 */
export interface Notes {
  title?: string;
  description?: string;
  examples?: unknown[];
  deprecated?: boolean;
}

/** Our own keywords start with `x-`, so OpenAPI ignores them. */
export const DAYS_AHEAD_MAX = 'x-days-ahead-max';

/** JSON Schema for "not blank": at least one character that is not white space. */
export const NOT_BLANK = '\\S';

/**
 * A well-formed language tag of BCP 47 (RFC 5646, section 2.1): language, script, region, variants, extensions and private
 * subtags, or a registered tag that begins with `i-`. Hyphens delimit and lengths decide, so it takes linear time.
 */
export const LANGUAGE_TAG =
  '^(?:(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?' +
  '(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(?:-[0-9A-WY-Za-wy-z](?:-[A-Za-z0-9]{2,8})+)*' +
  '(?:-[Xx](?:-[A-Za-z0-9]{1,8})+)?|[IiXx](?:-[A-Za-z0-9]{1,8})+)$';

/** Shapes ignore unknown fields. */
export const Shape = Type.Object;

/** An omitted field is absent from the result too. */
export const Optional = Type.Optional;

/** An omitted field gets `value`, so the static type always has it. */
export const WithDefault = <T extends TSchema>(schema: T, value: Static<T>): TUnsafe<Static<T>> =>
  Type.Unsafe<Static<T>>(Type.Optional(Type.With(schema, { default: value })));

export const Nullable = <T extends TSchema>(schema: T, notes: Notes = {}): TUnion<[T, TNull]> =>
  Type.Union([schema, Type.Null()], { ...notes });

/** Lengths count code points. `blank: false` refuses white space alone; the text itself is kept as sent. */
export function Text({
  min,
  max,
  blank = true,
  ...notes
}: Notes & { min?: number; max?: number; blank?: boolean } = {}) {
  const minLength = min ?? (blank ? 0 : 1);
  return Type.String({
    ...(minLength > 0 && { minLength }),
    ...(max !== undefined && { maxLength: max }),
    ...(!blank && { pattern: NOT_BLANK }),
    ...notes,
  });
}

/** The validated value is the address as stored: trimmed, in lower case. */
export const Email = (notes: Notes = {}) => Type.String({ format: 'email', ...notes });

/** A text in a format that its operation parses; the validated value is the parsed one. */
export const Formatted = (format: string, { max, ...notes }: Notes & { max?: number } = {}) =>
  Type.String({ format, ...(max !== undefined && { maxLength: max }), ...notes });

export const Reference = ({ max, ...notes }: Notes & { max: number }) =>
  Type.String({ minLength: 1, maxLength: max, pattern: '^[A-Za-z0-9#_./-]+$', ...notes });

export const LanguageTag = ({ max, ...notes }: Notes & { max: number }) =>
  Type.String({ maxLength: max, pattern: LANGUAGE_TAG, ...notes });

/** RFC 3339 with an offset; the validated value is a Date. */
export const DateTime = (notes: Notes = {}) =>
  Type.Unsafe<Date>(Type.String({ format: 'date-time', ...notes }));

/** A DateTime after now and at most `within` milliseconds ahead. Compiling it needs a clock. */
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

/** Any number; for responses only. */
export const Num = (notes: Notes = {}) => Type.Number({ ...notes });

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

/** Not validated here: each item of a batch is validated on its own. */
export const Anything = (notes: Notes = {}) => Type.Unknown({ ...notes });

/** A time in a response: RFC 3339 in UTC with milliseconds. */
export const Timestamp = () => Type.String({ format: 'date-time', examples: ['2026-08-20T09:15:00.000Z'] });
