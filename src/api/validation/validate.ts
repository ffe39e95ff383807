import {
  AGREEMENT,
  DAYS_AHEAD_MAX,
  MAY_BE_PAST,
  type Schema,
  SchemaError,
  TRIMMED,
  type ValueOf,
} from '../../contract/schema.ts';
import type { Fault } from '../../kit/errors.ts';
import { isObject } from '../../kit/json.ts';
import { type Checked, Findings, failed, MAX_FAULTS, passed, type Rule } from './checked.ts';
import { type Loc, wrong } from './faults.ts';
import { dateTimeRule, type TextOptions, textRule } from './strings.ts';
import { storable } from './text.ts';

/** Validates the value at `loc` of the request. */
export type Validator<T> = (value: unknown, loc: Loc) => Checked<T>;

interface CompileOptions extends TextOptions {
  /** `text` for a query, whose integers arrive as digits. Everywhere else nothing is coerced. */
  integers?: 'json' | 'text';
  /** A field of which texts are not checked: each item of a batch is validated later and fails alone. */
  uncheckedField?: string | undefined;
}

/**
 * Compiles a schema to closures once; throws on any keyword that they do not check. A validation returns a new
 * value with only the known fields and with defaults, or all faults together, also those of texts in unknown fields.
 */
export function compile<T extends Schema>(schema: T, options: CompileOptions = {}): Validator<ValueOf<T>> {
  const rule = ruleFor(schema, '$', options);
  return (value, loc) => {
    const unstorable = storable(value, loc, options.uncheckedField);
    const found = new Findings(loc);
    const result = rule(value, found);
    if (unstorable.length === 0)
      return fits<ValueOf<T>>(result, found) ? passed(result) : failed(found.faults);
    // Unstorable text is fault enough for its field: other faults follow from it.
    const others = found.faults.filter((fault) => !unstorable.some((other) => sameLoc(other, fault)));
    return failed([...unstorable, ...others].slice(0, MAX_FAULTS));
  };
}

const sameLoc = (a: Fault, b: Fault): boolean =>
  a.loc.length === b.loc.length && a.loc.every((step, index) => step === b.loc[index]);

/** A rule's result without a fault has the schema's static type. */
const fits = <Value>(_result: unknown, found: Findings): _result is Value => found.faults.length === 0;

interface Kind {
  /** All that its rule checks. */
  keywords: readonly string[];
  rule(schema: Schema, place: string, options: CompileOptions): Rule;
}

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['nullable', { keywords: ['anyOf'], rule: nullableRule }],
  ['choice', { keywords: ['enum'], rule: choiceRule }],
  ['object', { keywords: ['properties', 'required'], rule: objectRule }],
  ['array', { keywords: ['items', 'minItems', 'maxItems'], rule: listRule }],
  ['date-time', { keywords: ['format', DAYS_AHEAD_MAX, MAY_BE_PAST], rule: dateTimeRule }],
  ['string', { keywords: ['minLength', 'maxLength', 'pattern', 'format', TRIMMED], rule: textRule }],
  ['integer', { keywords: ['minimum', 'maximum'], rule: integerRule }],
  ['boolean', { keywords: [], rule: () => booleanRule }],
  ['anything', { keywords: [], rule: () => (value) => value }],
]);

function kindOf({ anyOf, enum: choices, format, type = 'anything' }: Schema): string {
  if (anyOf !== undefined) return 'nullable';
  if (choices !== undefined) return 'choice';
  return format === 'date-time' ? format : type;
}

/** What a schema of any kind can say. */
const COMMON_KEYWORDS: readonly string[] = ['type', 'title', 'description', 'examples'];

function ruleFor(schema: Schema, place: string, options: CompileOptions): Rule {
  const name = kindOf(schema);
  const kind = KINDS.get(name);
  if (kind === undefined) throw new SchemaError(place, `is of the type ${name}, which nothing checks`);
  for (const keyword of Object.keys(schema)) {
    if (!kind.keywords.includes(keyword) && !COMMON_KEYWORDS.includes(keyword))
      throw new SchemaError(place, `has the keyword ${keyword}, which nothing checks`);
  }
  return kind.rule(schema, place, options);
}

function objectRule(schema: Schema, place: string, options: CompileOptions): Rule {
  const { properties = {}, required = [], [AGREEMENT]: agreement } = schema;
  const fields = Object.entries(properties).map(([name, { default: value, ...field }]) => {
    const at = `${place}.${name}`;
    // Reading such a name from a caller's object would find an inherited member.
    if (name in Object.prototype) throw new SchemaError(at, 'has a name that objects inherit');
    return {
      name,
      rule: ruleFor(field, at, options),
      fallback: value === undefined ? null : defaultOf(field, value, at, options),
      isRequired: required.includes(name),
    };
  });
  return (value, found) => {
    if (!isObject(value)) return found.add(wrong.notAnObject, value);
    const result: Record<string, unknown> = {};
    const faultsBefore = found.faults.length;
    for (const { name, rule, fallback, isRequired } of fields) {
      const given = value[name];
      if (given !== undefined) {
        found.path.push(name);
        result[name] = rule(given, found);
        found.path.pop();
      } else if (fallback !== null) {
        result[name] = fallback();
      } else if (isRequired) {
        found.addAt(name, wrong.missing, value);
      }
    }
    for (const { field, other, type, msg } of agreement?.(value) ?? [])
      if (!found.concerns([field, other], faultsBefore)) found.addAt(field, { type, msg }, value[field]);
    return result;
  };
}

/** A default is a JSON value, in a query too. It is created anew each time, so that no two requests share a list. */
function defaultOf(field: Schema, value: unknown, place: string, options: CompileOptions): () => unknown {
  const rule = ruleFor(field, place, { ...options, integers: 'json' });
  const found = new Findings([]);
  rule(value, found);
  if (found.faults.length > 0) throw new SchemaError(place, 'has a default that it would refuse itself');
  return () => rule(value, found);
}

function listRule(schema: Schema, place: string, options: CompileOptions): Rule {
  const { minItems: min = 0, maxItems: max = Number.POSITIVE_INFINITY } = schema;
  const items = ruleFor(schema.items ?? {}, `${place}[]`, options);
  return (value, found) => {
    if (!Array.isArray(value)) return found.add(wrong.notAList, value);
    // The items of an overlong list are not validated, as in Pydantic.
    if (value.length > max) return found.add(wrong.listTooLong(max, value.length), value);
    if (value.length < min) return found.add(wrong.listTooShort(min, value.length), value);
    const result: unknown[] = [];
    for (let index = 0; index < value.length && !found.full; index += 1) {
      found.path.push(index);
      result.push(items(value[index], found));
      found.path.pop();
    }
    return result;
  };
}

/** `X or null`. Pydantic's vocabulary has no fault for other unions. */
function nullableRule({ anyOf = [] }: Schema, place: string, options: CompileOptions): Rule {
  const [only, nothing, ...more] = anyOf;
  if (only === undefined || nothing?.type !== 'null' || more.length > 0)
    throw new SchemaError(place, 'is a union of something else than one thing and null');
  const rule = ruleFor(only, place, options);
  return (value, found) => (value === null ? null : rule(value, found));
}

function choiceRule({ enum: values = [] }: Schema): Rule {
  const problem = wrong.notOneOf(values);
  return (value, found) =>
    typeof value === 'string' && values.includes(value) ? value : found.add(problem, value);
}

function integerRule(schema: Schema, _place: string, { integers }: CompileOptions): Rule {
  const { minimum: min = Number.NEGATIVE_INFINITY, maximum: max = Number.POSITIVE_INFINITY } = schema;
  const tooLow = wrong.tooLow(min);
  const tooHigh = wrong.tooHigh(max);
  const [read, unreadable] =
    integers === 'text' ? [integerInText, wrong.notAnIntegerText] : [integerInJson, wrong.notAnInteger];
  return (value, found) => {
    const number = read(value);
    if (number === null) return found.add(unreadable, value);
    if (number < min) return found.add(tooLow, value);
    return number > max ? found.add(tooHigh, value) : number;
  };
}

const integerInJson = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) ? value : null;

/** Digits, with a minus at most: what a query can say without doubt. */
const INTEGER_TEXT = /^-?\d+$/;

/** Any number of digits is an integer; what no number can hold exactly is as far out as it goes. */
const integerInText = (value: unknown): number | null =>
  typeof value === 'string' && INTEGER_TEXT.test(value)
    ? Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(value)))
    : null;

const booleanRule: Rule = (value, found) =>
  typeof value === 'boolean' ? value : found.add(wrong.notABoolean, value);
