import { KNOWN_VALUES } from '../../contract/schema.ts';
import { at, isObject, listAt, textAt } from '../../kit/json.ts';

/** A field of a request or a response, as the reference shows it. */
export interface Field {
  name: string;
  /** In words: `string or null`, `list of string`. */
  type: string;
  required: boolean;
  description: string;
  /** The constraints on a value: `at most 300 characters`. */
  rules: string[];
  /** The words that it has so far, each as code. More may come: a caller must allow for them. */
  known: string[];
  fields: Field[];
}

type Json = Record<string, unknown>;

export const entriesOf = (value: unknown): [string, unknown][] =>
  isObject(value) ? Object.entries(value) : [];

/** Deeper than any shape of the interface; stops a schema that contains itself. */
const DEEPEST = 6;

/** Follows `$ref` within the document. */
export type ResolveReference = (schema: unknown) => Json;

export function resolver(document: Json): ResolveReference {
  const find = (reference: string): unknown => at(document, ...reference.replace(/^#\//, '').split('/'));
  return (schema) => {
    let found = schema;
    for (let hop = 0; hop < DEEPEST && isObject(found) && typeof found.$ref === 'string'; hop += 1)
      found = find(found.$ref);
    return isObject(found) ? found : {};
  };
}

/** The fields of an object, or of the objects in a list. */
export function fieldsOf(schema: unknown, resolve: ResolveReference, depth = 0): Field[] {
  const { core } = unwrapped(resolve(schema), resolve);
  if (depth > DEEPEST) return [];
  if (core.type === 'array') return fieldsOf(core.items, resolve, depth);
  const required = listAt(core, 'required');
  return entriesOf(core.properties).map(([name, field]) =>
    asField(name, field, required.includes(name), resolve, depth),
  );
}

export function asField(
  name: string,
  schema: unknown,
  required: boolean,
  resolve: ResolveReference,
  depth = 0,
): Field {
  const outer = resolve(schema);
  const { core, nullable } = unwrapped(outer, resolve);
  return {
    name,
    type: `${typeOf(core, resolve)}${nullable ? ' or null' : ''}`,
    required,
    description: textAt(outer, 'description') || textAt(core, 'description') || '',
    rules: [
      ...rulesOf(core, resolve),
      ...('default' in outer ? [`${asDefault(outer.default)} unless set`] : []),
    ],
    known: listAt(core.type === 'array' ? resolve(core.items) : core, KNOWN_VALUES).map(quoted),
    fields: fieldsOf(core, resolve, depth + 1),
  };
}

/** Reduces `X or null` to X and a flag. */
function unwrapped(schema: Json, resolve: ResolveReference): { core: Json; nullable: boolean } {
  const members = listAt(schema, 'anyOf').map(resolve);
  const others = members.filter(({ type }) => type !== 'null');
  const [only] = others;
  if (only === undefined || others.length > 1) return { core: schema, nullable: false };
  return { core: only, nullable: others.length < members.length };
}

function typeOf(schema: Json, resolve: ResolveReference): string {
  if (schema.type === 'array') {
    const items = typeOf(resolve(schema.items), resolve);
    return items === 'anything' ? 'list' : `list of ${items}`;
  }
  if (schema.format === 'date-time') return 'date-time';
  if (schema.type === undefined && listAt(schema, 'anyOf').length > 0)
    return listAt(schema, 'anyOf')
      .map((member) => typeOf(resolve(member), resolve))
      .join(' or ');
  return textAt(schema, 'type') || 'anything';
}

const NOT_BLANK = '\\S';
/** Nobody reads a longer one: the description says what it means. */
const PATTERN_SHOWN_MAX = 60;

function rulesOf(schema: Json, resolve: ResolveReference): string[] {
  const { format, pattern } = schema;
  const days = schema['x-days-ahead-max'];
  return [
    ...(format === 'email' ? ['an email address'] : []),
    ...(format === 'uri' ? ['a URL'] : []),
    ...(listAt(schema, 'enum').length > 0 ? [`one of ${listAt(schema, 'enum').map(quoted).join(', ')}`] : []),
    ...range(schema.minLength, schema.maxLength, 'character'),
    ...range(schema.minItems, schema.maxItems, 'item'),
    ...range(schema.minimum, schema.maximum, ''),
    ...(typeof pattern === 'string' ? patternRule(pattern) : []),
    ...(typeof days === 'number'
      ? [`in the future, at most ${days} ${days === 1 ? 'day' : 'days'} ahead`]
      : []),
    ...(schema.type === 'array' ? rulesOf(resolve(schema.items), resolve).map((rule) => `each ${rule}`) : []),
  ];
}

function patternRule(pattern: string): string[] {
  if (pattern === NOT_BLANK) return ['not blank'];
  return pattern.length > PATTERN_SHOWN_MAX ? [] : [`matches ${quoted(pattern)}`];
}

function range(min: unknown, max: unknown, unit: string): string[] {
  const many = (count: number) =>
    `${count.toLocaleString('en')}${unit && ` ${unit}${count === 1 ? '' : 's'}`}`;
  if (typeof min === 'number' && typeof max === 'number')
    return [`${min.toLocaleString('en')} to ${many(max)}`];
  if (typeof max === 'number') return [`at most ${many(max)}`];
  return typeof min === 'number' ? [`at least ${many(min)}`] : [];
}

const quoted = (value: unknown): string => `\`${String(value)}\``;
const asDefault = (value: unknown): string => (Array.isArray(value) ? 'empty' : quoted(value));
