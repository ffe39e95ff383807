import { DAY } from '../kit/clock.ts';
import type { FaultType } from '../kit/errors.ts';

/*
 * The vocabulary for the shapes of requests and responses. Each function returns plain JSON Schema that reads
 * well in the OpenAPI document and has a static type. `compile` understands exactly these and throws on anything
 * else.
 */

interface Notes {
  description?: string;
  examples?: unknown[];
}

/** Our own keywords start with `x-`, so OpenAPI ignores them. */
export const DAYS_AHEAD_MAX = 'x-days-ahead-max';

/** Beside it: the time may also be in the past. */
export const MAY_BE_PAST = 'x-may-be-past';

/** The text is trimmed before it is checked, and stored so. */
export const TRIMMED = 'x-trimmed';

/** Words that a text of an answer has so far; a new one can come, so they restrict nothing. */
export const KNOWN_VALUES = 'x-known-values';

/** Marks the schema of a field that may be absent. A symbol is no part of the JSON. */
const MAY_BE_ABSENT: unique symbol = Symbol('may be absent');
/** What the fields of a shape must agree on. */
export const AGREEMENT: unique symbol = Symbol('agreement');
declare const VALUE: unique symbol;

/** JSON Schema, with the type of the values that it allows, which exists for the compiler alone. */
export interface Schema<Value = unknown> extends Notes {
  readonly [VALUE]?: () => Value;
  readonly title?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly [DAYS_AHEAD_MAX]?: number;
  readonly [MAY_BE_PAST]?: true;
  readonly [TRIMMED]?: true;
  readonly [KNOWN_VALUES]?: readonly string[];
  readonly [AGREEMENT]?: Agreement;
  readonly items?: Schema;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
}

/** A field that is valid by itself and does not fit another one, which is valid as well. */
export interface Disagreement {
  field: string;
  other: string;
  type: FaultType;
  msg: string;
}

/** Reads the object as sent, where a field may be anything; what it says of a faulty one is ignored. */
type Agreement = (given: Readonly<Record<string, unknown>>) => Disagreement[];

export interface OptionalSchema<Value = unknown> extends Schema<Value> {
  readonly [MAY_BE_ABSENT]: true;
}

type FieldSchemas = Readonly<Record<string, Schema>>;

export interface ObjectSchema<Fields extends FieldSchemas = FieldSchemas>
  extends Schema<FieldValues<Fields>> {
  readonly properties: Fields;
}

export type ValueOf<S> = S extends Schema<infer Value> ? Value : never;

type OptionalNames<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends OptionalSchema ? Name : never;
}[keyof Fields];

type FieldValues<Fields> = Flat<
  { [Name in Exclude<keyof Fields, OptionalNames<Fields>>]: ValueOf<Fields[Name]> } & {
    [Name in OptionalNames<Fields>]?: ValueOf<Fields[Name]>;
  }
>;

/** The same fields as one type, for readable messages of the compiler. */
type Flat<T> = { [Name in keyof T]: T[Name] };

/** A mistake in one of our schemas, found when the server starts. */
export class SchemaError extends Error {
  constructor(place: string, what: string) {
    super(`The schema at ${place} ${what}.`);
  }
}

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

interface Bounds {
  min?: number;
  max?: number;
}

interface TextBounds extends Bounds {
  blank?: boolean;
}

/** A description alone, or with more. */
type About<More = Notes> = string | (Notes & More);

const described = (about: About<TextBounds>) => (typeof about === 'string' ? { description: about } : about);

/** Shapes ignore unknown fields. */
export function Shape<const Fields extends FieldSchemas>(
  properties: Fields,
  about: About = {},
): ObjectSchema<Fields> {
  const required = Object.entries(properties).flatMap(([name, field]) =>
    MAY_BE_ABSENT in field ? [] : [name],
  );
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...described(about) };
}

/** The shape, whose fields must also agree with each other. */
export const Agreeing = <S extends ObjectSchema>(shape: S, agreement: Agreement): S => ({
  ...shape,
  [AGREEMENT]: agreement,
});

/** A shape that the OpenAPI document has under a name of its own. */
export const Component = <const Fields extends FieldSchemas>(title: string, properties: Fields) => ({
  ...Shape(properties),
  title,
});

/** An omitted field is absent from the result too. */
export const Optional = <Value>(schema: Schema<Value>): OptionalSchema<Value> => ({
  ...schema,
  [MAY_BE_ABSENT]: true,
});

/** An omitted field gets `value`, so the static type always has it. */
export const WithDefault = <Value>(schema: Schema<Value>, value: NoInfer<Value>): Schema<Value> => ({
  ...Optional(schema),
  default: value,
});

export const Nullable = <Value>(schema: Schema<Value>, about: About = {}): Schema<Value | null> => ({
  anyOf: [schema, { type: 'null' }],
  ...described(about),
});

/** A field that may be absent or null. */
export const Omittable = <Value>(schema: Schema<Value>, about: About = {}) =>
  Optional(Nullable(schema, about));

const text = (keywords: Schema<string>): Schema<string> => ({ type: 'string', ...keywords });

/** Lengths count code points. `blank: false` refuses white space alone; the text itself is kept as sent. */
export const Text = (about: About<TextBounds> = {}) => {
  const { min, max, blank = true, ...notes } = described(about);
  return text({
    minLength: min ?? (blank ? undefined : 1),
    maxLength: max,
    ...(!blank && { pattern: NOT_BLANK }),
    ...notes,
  });
};

/** The validated value is the address as stored: trimmed, in lower case. */
export const Email = (about: About = {}) => Formatted('email', about);

/** A text in a format that its operation parses; the validated value is the parsed one. */
export const Formatted = (format: string, about: About<{ max?: number }> = {}) => {
  const { max, ...notes } = described(about);
  return text({ format, maxLength: max, ...notes });
};

export const REFERENCE = '^[A-Za-z0-9#_./-]+$';

export const Reference = ({ max, ...notes }: Notes & { max: number }) =>
  text({ minLength: 1, maxLength: max, pattern: REFERENCE, ...notes });

/** Letters, digits, spaces and hyphens, with at least one letter or digit. The first class is disjoint from what follows, so it takes linear time. */
export const TRACKING_NUMBER = '^[ -]*[A-Za-z0-9][A-Za-z0-9 -]*$';

export const TrackingNumber = ({ max, ...notes }: Notes & { max: number }) =>
  text({ [TRIMMED]: true, minLength: 1, maxLength: max, pattern: TRACKING_NUMBER, ...notes });

/** One line that is not blank: no control or format characters and no line separators. */
export const Line = ({ max, ...notes }: Notes & { max: number }) =>
  text({
    [TRIMMED]: true,
    minLength: 1,
    maxLength: max,
    pattern: '^[^\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+$',
    ...notes,
  });

/** An https URL without a user or password; kept as sent. */
export const HttpsUrl = ({ max, ...notes }: Notes & { max: number }) =>
  text({ format: 'https-url', maxLength: max, ...notes });

/** `YYYY-MM-DD`. */
export const CalendarDate = (about: About = {}) => text({ format: 'date', ...described(about) });

export const LanguageTag = ({ max, ...notes }: Notes & { max: number }) =>
  text({ maxLength: max, pattern: LANGUAGE_TAG, ...notes });

/** RFC 3339 with an offset; the validated value is a Date. */
export const DateTime = (about: About = {}): Schema<Date> => ({
  type: 'string',
  format: 'date-time',
  ...described(about),
});

/** A DateTime after now and at most `within` milliseconds ahead. Compiling it needs a clock. */
export const FutureDateTime = ({ within, ...notes }: Notes & { within: number }): Schema<Date> => ({
  ...DateTime(),
  [DAYS_AHEAD_MAX]: within / DAY,
  ...notes,
});

/** A DateTime at most `within` milliseconds ahead. Compiling it needs a clock. */
export const RecentDateTime = (about: Notes & { within: number }): Schema<Date> => ({
  ...FutureDateTime(about),
  [MAY_BE_PAST]: true,
});

export const OneOf = <const Values extends [string, ...string[]]>(
  values: readonly [...Values],
  about: About = {},
): Schema<Values[number]> => ({ enum: values, type: 'string', ...described(about) });

export const Int = (about: About<Bounds> = {}): Schema<number> => {
  const { min, max, ...notes } = described(about);
  return { type: 'integer', minimum: min, maximum: max, ...notes };
};

/** One of these words or a newer one; for responses only. */
export const KnownWord = (values: readonly string[], about: About = {}) =>
  text({ [KNOWN_VALUES]: values, ...described(about) });

/** Any number; for responses only. */
export const Num = (): Schema<number> => ({ type: 'number' });

export const Bool = (about: About = {}): Schema<boolean> => ({ type: 'boolean', ...described(about) });

export const List = <Value>(items: Schema<Value>, about: About<Bounds> = {}): Schema<Value[]> => {
  const { min, max, ...notes } = described(about);
  return { type: 'array', items, minItems: min, maxItems: max, ...notes };
};

/** Not validated here: each item of a batch is validated on its own. */
export const Anything = (about: About = {}): Schema => described(about);

/** A time in a response: RFC 3339 in UTC with milliseconds. */
export const Timestamp = () => text({ format: 'date-time', examples: ['2026-08-20T09:15:00.000Z'] });
