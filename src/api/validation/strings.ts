import {
  DAYS_AHEAD_MAX,
  LANGUAGE_TAG,
  MAY_BE_PAST,
  NOT_BLANK,
  type Schema,
  SchemaError,
  TRACKING_NUMBER,
  TRIMMED,
} from '../../contract/schema.ts';
import { type Clock, DAY, later } from '../../kit/clock.ts';
import { parseEmailAddress } from '../../kit/emailAddress.ts';
import { isHttpsUrl } from '../../kit/httpsUrl.ts';
import type { Findings, Rule } from './checked.ts';
import { wrong } from './faults.ts';
import { codePoints } from './text.ts';
import { isCalendarDate, parseDateTime } from './time.ts';

/** Parses a text of some format, or says what is wrong, as a sentence without a full stop. */
export type Format = (text: string) => { ok: true; value: unknown } | { ok: false; fault: string };
export type Formats = Readonly<Record<string, Format>>;

export interface TextOptions {
  /** For shapes with a time that must be in the future. */
  clock?: Clock;
  /** The operation's own string formats, by name. */
  formats?: Formats;
}

/** Length, pattern, format, in Pydantic's order; only the first fault per field. */
export function textRule(schema: Schema, place: string, options: TextOptions): Rule {
  const { minLength: min = 0, maxLength: max = Number.POSITIVE_INFINITY, pattern, format } = schema;
  const tooShort = wrong.stringTooShort(min);
  const tooLong = wrong.stringTooLong(max);
  const regExp = pattern === undefined ? null : linearRegExp(pattern, place);
  const mismatch = pattern === NOT_BLANK ? wrong.stringTooShort(1) : wrong.patternMismatch(pattern ?? '');
  const read = format === undefined ? null : readerOf(format, place, options);
  const isTrimmed = schema[TRIMMED] === true;
  return (given, found) => {
    if (typeof given !== 'string') return found.add(wrong.notAString, given);
    const value = isTrimmed ? given.trim() : given;
    if (isShorter(value, min)) return found.add(tooShort, value);
    if (isLonger(value, max)) return found.add(tooLong, value);
    if (regExp !== null && !regExp.test(value)) return found.add(mismatch, value);
    return read === null ? value : read(value, found);
  };
}

/** A code point is one or two units, so most lengths need no counting. */
const isShorter = (text: string, min: number): boolean =>
  text.length < 2 * min && (text.length < min || codePoints(text) < min);
const isLonger = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || codePoints(text) > max);

/** `^[...]+$`: one repeated class between anchors, which takes linear time on any text. */
const LINEAR = /^\^\[(?:[^\]\\]|\\.)+\](?:[+*]|\{\d+(?:,\d*)?\})?\$$/;
const KNOWN_LINEAR: readonly string[] = [NOT_BLANK, LANGUAGE_TAG, TRACKING_NUMBER];

function linearRegExp(pattern: string, place: string): RegExp {
  if (KNOWN_LINEAR.includes(pattern) || LINEAR.test(pattern)) return new RegExp(pattern, 'u');
  throw new SchemaError(
    place,
    `has the pattern ${pattern}; only one repeated class between anchors is linear for sure`,
  );
}

const COMMON_FORMATS: Formats = {
  'https-url': (text) =>
    isHttpsUrl(text)
      ? { ok: true, value: text }
      : { ok: false, fault: 'must be an https URL without a user or a password' },
  date: (text) =>
    isCalendarDate(text)
      ? { ok: true, value: text }
      : { ok: false, fault: 'must be a date such as 2026-08-20' },
};

function readerOf(
  format: string,
  place: string,
  { formats = {} }: TextOptions,
): (text: string, found: Findings) => unknown {
  const own = formats[format] ?? COMMON_FORMATS[format];
  if (own !== undefined)
    return (text, found) => {
      const read = own(text);
      return read.ok ? read.value : found.add(wrong.value(read.fault), text);
    };
  if (format === 'email')
    return (text, found) => parseEmailAddress(text) ?? found.add(wrong.notAnEmail, text);
  throw new SchemaError(place, `has the format ${format}, which nothing checks`);
}

export function dateTimeRule(schema: Schema, place: string, { clock }: TextOptions): Rule {
  const days = schema[DAYS_AHEAD_MAX];
  if (days !== undefined && clock === undefined)
    throw new SchemaError(place, 'is about the future and needs a clock');
  const mayBePast = schema[MAY_BE_PAST] === true;
  const past = wrong.value('must be in the future');
  const tooFar = wrong.value(`must be at most ${days} ${days === 1 ? 'day' : 'days'} from now`);
  return (value, found) => {
    if (typeof value !== 'string') return found.add(wrong.notADateTime, value);
    const at = parseDateTime(value);
    if (!(at instanceof Date)) return found.add(at, value);
    if (days === undefined || clock === undefined) return at;
    const now = clock.now();
    if (at <= now && !mayBePast) return found.add(past, value);
    return at > later(now, days * DAY) ? found.add(tooFar, value) : at;
  };
}

/** The format of a list's cursors; the validated value is the id that a cursor holds. */
export const cursorFormat =
  (idIn: (cursor: string) => string | null): Format =>
  (cursor) => {
    const value = idIn(cursor);
    return value === null
      ? { ok: false, fault: 'this is not a cursor of ours: take next_cursor of the page before' }
      : { ok: true, value };
  };
