import type { Schema, ValueOf } from '../../contract/schema.ts';
import type { Clock } from '../../kit/clock.ts';
import { isObject } from '../../kit/json.ts';
import { type Checked, Findings, failed, passed, type Rule } from './checked.ts';
import { type Loc, wrong } from './faults.ts';
import { SchemaError, SchemaNode } from './schemaNode.ts';
import { type Formats, stringRule } from './strings.ts';

/** Validates the value at `loc` of the request. */
export type Validator<T> = (value: unknown, loc: Loc) => Checked<T>;

interface CompileOptions {
  /** For shapes with a time that must be in the future. */
  clock?: Clock;
  /** The operation's own string formats, by name. */
  formats?: Formats;
  /** `text` for a query, whose integers arrive as digits. Everywhere else nothing is coerced. */
  integers?: 'json' | 'text';
}

/**
 * Compiles a schema to closures once; throws on any keyword that they do not check. A validation returns a new
 * value with only the known fields and with defaults, or all faults together.
 */
export function compile<T extends Schema>(schema: T, options: CompileOptions = {}): Validator<ValueOf<T>> {
  const rule = ruleFor(new SchemaNode(schema, '$'), options);
  return (value, loc) => {
    const found = new Findings(loc);
    const result = rule(value, found);
    return fits<ValueOf<T>>(result, found) ? passed(result) : failed(found.faults);
  };
}

/** A rule's result without a fault has the schema's static type. */
const fits = <Value>(_result: unknown, found: Findings): _result is Value => found.faults.length === 0;

function ruleFor(node: SchemaNode, options: CompileOptions): Rule {
  const rule = ruleOfKind(node, options);
  node.finish();
  return rule;
}

function ruleOfKind(node: SchemaNode, options: CompileOptions): Rule {
  if (node.has('anyOf')) return unionRule(node, options);
  const type = node.string('type');
  if (node.has('enum')) return enumRule(node.strings('enum'));
  if (node.has('const')) return enumRule([constOf(node)]);
  if (type === 'object') return objectRule(node, options);
  if (type === 'array') return listRule(node, options);
  if (type === 'string') return stringRule(node, options);
  if (type === 'integer') return integerRule(node, options);
  if (type === 'boolean') return booleanRule;
  if (type === undefined) return (value) => value;
  throw new SchemaError(node.place, `is of the type ${type}, which nothing checks`);
}

function objectRule(node: SchemaNode, options: CompileOptions): Rule {
  const required = new Set(node.strings('required'));
  if ((node.get('additionalProperties') ?? true) !== true) {
    throw new SchemaError(node.place, 'has rules for unknown fields, but they are ignored');
  }
  const fields = node.namedNodes('properties').map(([name, field]) => {
    // Reading such a name from a caller's object would find an inherited member.
    if (name in Object.prototype) throw new SchemaError(field.place, 'has a name that objects inherit');
    if (required.has(name) && field.has('default'))
      throw new SchemaError(field.place, 'is required and has a default');
    const fallback = field.has('default') ? defaultOf(field, options) : null;
    return { name, rule: ruleFor(field, options), fallback, isRequired: required.delete(name) };
  });
  if (required.size > 0)
    throw new SchemaError(node.place, `requires the unknown ${[...required].join(', ')}`);

  return (value, found) => {
    if (!isObject(value)) return found.add(wrong.notAnObject, value);
    const result: Record<string, unknown> = {};
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
    return result;
  };
}

/** A default is a JSON value, in a query too. It is created anew each time, so that no two requests share a list. */
function defaultOf(node: SchemaNode, options: CompileOptions): () => unknown {
  const value = node.get('default');
  const rule = ruleFor(node, { ...options, integers: 'json' });
  const found = new Findings([]);
  rule(value, found);
  if (found.faults.length > 0) throw new SchemaError(node.place, 'has a default that it would refuse itself');
  return () => rule(value, found);
}

function listRule(node: SchemaNode, options: CompileOptions): Rule {
  const items = ruleFor(new SchemaNode(node.get('items') ?? {}, `${node.place}[]`), options);
  const min = node.number('minItems') ?? 0;
  const max = node.number('maxItems') ?? Number.POSITIVE_INFINITY;
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

/** `X or null`, or one of several literals (or null). Pydantic's vocabulary has no fault for other unions. */
function unionRule(node: SchemaNode, options: CompileOptions): Rule {
  const members = node.nodes('anyOf');
  const others = members.filter((member) => member.has('const') || member.get('type') !== 'null');
  const rule = others.every((member) => member.has('const'))
    ? literalsRule(others)
    : onlyRule(node, others, options);
  return others.length === members.length
    ? rule
    : (value, found) => (value === null ? null : rule(value, found));
}

function onlyRule(node: SchemaNode, others: readonly SchemaNode[], options: CompileOptions): Rule {
  const [only, ...more] = others;
  if (only === undefined || more.length > 0)
    throw new SchemaError(node.place, 'is a union of more than one thing and null');
  return ruleFor(only, options);
}

function literalsRule(members: readonly SchemaNode[]): Rule {
  const values = members.map((member) => {
    member.get('type');
    const value = constOf(member);
    member.finish();
    return value;
  });
  return enumRule(values);
}

function constOf(node: SchemaNode): string {
  const value = node.string('const');
  if (value === undefined) throw new SchemaError(node.place, 'has a literal that is no string');
  return value;
}

function enumRule(values: readonly string[]): Rule {
  const problem = wrong.notOneOf(values);
  return (value, found) =>
    typeof value === 'string' && values.includes(value) ? value : found.add(problem, value);
}

/** Digits, with a minus at most: what a query can say without doubt. */
const INTEGER_TEXT = /^-?\d+$/;

function integerRule(node: SchemaNode, options: CompileOptions): Rule {
  const min = node.number('minimum') ?? Number.NEGATIVE_INFINITY;
  const max = node.number('maximum') ?? Number.POSITIVE_INFINITY;
  const tooLow = wrong.tooLow(min);
  const tooHigh = wrong.tooHigh(max);
  const bounded = (number: number, input: unknown, found: Findings) => {
    if (number < min) return found.add(tooLow, input);
    return number > max ? found.add(tooHigh, input) : number;
  };
  if (options.integers === 'text') {
    return (value, found) => {
      if (typeof value !== 'string' || !INTEGER_TEXT.test(value))
        return found.add(wrong.notAnIntegerText, value);
      return bounded(nearestSafe(Number(value)), value, found);
    };
  }
  return (value, found) =>
    typeof value === 'number' && Number.isInteger(value)
      ? bounded(value, value, found)
      : found.add(wrong.notAnInteger, value);
}

/** Any number of digits is an integer; what no number can hold exactly is as far out as it goes. */
const nearestSafe = (number: number): number =>
  Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, number));

const booleanRule: Rule = (value, found) =>
  typeof value === 'boolean' ? value : found.add(wrong.notABoolean, value);
