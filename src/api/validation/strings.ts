import { DAYS_AHEAD_MAX, LANGUAGE_TAG, NOT_BLANK } from '../../contract/schema.ts';
import { type Clock, DAY, later } from '../../kit/clock.ts';
import { parseEmailAddress } from '../../kit/emailAddress.ts';
import type { Findings, Rule } from './checked.ts';
import { wrong } from './faults.ts';
import { SchemaError, type SchemaNode } from './schemaNode.ts';
import { codePoints } from './text.ts';
import { parseDateTime } from './time.ts';

/** Parses a text of some format, or says what is wrong, as a sentence without a full stop. */
export type Format = (text: string) => { ok: true; value: unknown } | { ok: false; fault: string };
export type Formats = Readonly<Record<string, Format>>;

/**
 * The rule for `{ "type": "string" }`: length, pattern, format, in Pydantic's order; only the first fault per
 * field.
 */
export function stringRule(node: SchemaNode, { clock, formats = {} }: StringOptions): Rule {
  const format = node.string('format');
  if (format === 'date-time') return dateTimeRule(node, clock);
  const checks = [minLength(node), maxLength(node), pattern(node)].filter((check) => check !== null);
  const convert = format === undefined ? null : converter(node, format, formats[format]);
  return (value, found) => {
    if (typeof value !== 'string') return found.add(wrong.notAString, value);
    for (const check of checks) if (!check(value, found)) return undefined;
    return convert === null ? value : convert(value, found);
  };
}

interface StringOptions {
  clock?: Clock;
  formats?: Formats;
}

/** True if the text passes; otherwise it records the fault. */
type TextCheck = (text: string, found: Findings) => boolean;

function minLength(node: SchemaNode): TextCheck | null {
  const min = node.number('minLength') ?? 0;
  if (min === 0) return null;
  const problem = wrong.stringTooShort(min);
  return (text, found) => {
    // A code point is one or two units, so most lengths need no counting.
    if (text.length >= 2 * min || (text.length >= min && codePoints(text) >= min)) return true;
    found.add(problem, text);
    return false;
  };
}

function maxLength(node: SchemaNode): TextCheck | null {
  const max = node.number('maxLength');
  if (max === undefined) return null;
  const problem = wrong.stringTooLong(max);
  return (text, found) => {
    if (text.length <= max || (text.length <= 2 * max && codePoints(text) <= max)) return true;
    found.add(problem, text);
    return false;
  };
}

/** `^[...]+$`: one repeated class between anchors, which takes linear time on any text. */
const LINEAR = /^\^\[(?:[^\]\\]|\\.)+\](?:[+*]|\{\d+(?:,\d*)?\})?\$$/;

const KNOWN_LINEAR: readonly string[] = [NOT_BLANK, LANGUAGE_TAG];

function pattern(node: SchemaNode): TextCheck | null {
  const source = node.string('pattern');
  if (source === undefined) return null;
  if (!KNOWN_LINEAR.includes(source) && !LINEAR.test(source)) {
    throw new SchemaError(
      node.place,
      `has the pattern ${source}; only one repeated class between anchors is linear for sure`,
    );
  }
  const compiled = new RegExp(source, 'u');
  const problem = source === NOT_BLANK ? wrong.stringTooShort(1) : wrong.patternMismatch(source);
  return (text, found) => {
    if (compiled.test(text)) return true;
    found.add(problem, text);
    return false;
  };
}

function converter(
  node: SchemaNode,
  format: string,
  own: Format | undefined,
): (text: string, found: Findings) => unknown {
  if (own !== undefined) {
    return (text, found) => {
      const read = own(text);
      return read.ok ? read.value : found.add(wrong.value(read.fault), text);
    };
  }
  if (format === 'email') {
    return (text, found) => parseEmailAddress(text) ?? found.add(wrong.notAnEmail, text);
  }
  throw new SchemaError(node.place, `has the format ${format}, which nothing checks`);
}

function dateTimeRule(node: SchemaNode, clock: Clock | undefined): Rule {
  const isInReach = node.has(DAYS_AHEAD_MAX) ? inReach(node, clock) : null;
  return (value, found) => {
    if (typeof value !== 'string') return found.add(wrong.notADateTime, value);
    const at = parseDateTime(value);
    if (!(at instanceof Date)) return found.add(at, value);
    return isInReach === null || isInReach(at, value, found) ? at : undefined;
  };
}

function inReach(node: SchemaNode, clock: Clock | undefined) {
  const days = node.number(DAYS_AHEAD_MAX) ?? 0;
  if (clock === undefined) throw new SchemaError(node.place, 'is about the future and needs a clock');
  const past = wrong.value('must be in the future');
  const tooFar = wrong.value(`must be at most ${days} days from now`);
  return (at: Date, input: string, found: Findings): boolean => {
    const now = clock.now();
    if (at > now && at <= later(now, days * DAY)) return true;
    found.add(at > now ? tooFar : past, input);
    return false;
  };
}
