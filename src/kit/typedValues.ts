import { isSupportedCountry } from 'libphonenumber-js/max';
import { isColour } from './colour.ts';
import { parseEmailAddress } from './emailAddress.ts';
import { OperatorError } from './errors.ts';
import { isHttpsUrl } from './httpsUrl.ts';
import { LARGEST_COUNT, parseCount } from './wholeNumber.ts';

/** Parses a value that a person typed; `called` is the flag, argument or field, for the error message. */
export type ParseValue<T> = (text: string, called: string) => T;

export const NAME_LENGTH_MAX = 100;
const NOTE_LENGTH_MAX = 300;
export const WEB_ADDRESS_LENGTH_MAX = 500;
const ID_LENGTH_MAX = 64;
const SHOWN_LENGTH_MAX = 60;

/** A non-blank line of text without control characters or lone surrogates. */
export const line =
  (longest: number): ParseValue<string> =>
  (text, called) => {
    const length = [...text].length;
    if (text.trim() === '' || length > longest || /[\p{Cc}\p{Cs}]/u.test(text)) {
      throw new TypedMistake(called, `one line of 1 to ${longest} characters`, text);
    }
    return text.trim();
  };

export const businessName = line(NAME_LENGTH_MAX);
export const note = line(NOTE_LENGTH_MAX);
export const id = line(ID_LENGTH_MAX);

export const count =
  (least: number, most: number = LARGEST_COUNT): ParseValue<number> =>
  (text, called) => {
    const value = parseCount(text, least, most);
    if (value === null) throw new TypedMistake(called, `a whole number from ${least} to ${most}`, text);
    return value;
  };

/** `none` removes a limit or a date. */
export const orNone =
  <T>(read: ParseValue<T>): ParseValue<T | null> =>
  (text, called) =>
    text === 'none' ? null : read(text, called);

export const bool: ParseValue<boolean> = (text, called) => oneOf(['true', 'false'])(text, called) === 'true';

export const oneOf =
  <const T extends string>(options: readonly T[]): ParseValue<T> =>
  (text, called) => {
    const found = options.find((option) => option === text);
    if (found === undefined) throw new TypedMistake(called, `one of ${options.join(', ')}`, text);
    return found;
  };

/** Some of the options, separated by commas, each once and in their own order; `none`: none of them. */
export const someOf =
  <const T extends string>(options: readonly T[]): ParseValue<T[]> =>
  (text, called) => {
    if (text === 'none') return [];
    const named = text.split(',').map((one) => one.trim());
    if (!named.every((one) => options.some((option) => option === one)))
      throw new TypedMistake(called, `none, or some of ${options.join(',')}`, text);
    return options.filter((option) => named.includes(option));
  };

/** `wanted` describes the pattern in words. */
export const matching =
  (pattern: RegExp, wanted: string): ParseValue<string> =>
  (text, called) => {
    if (!pattern.test(text.trim())) throw new TypedMistake(called, wanted, text);
    return text.trim();
  };

export const country: ParseValue<string> = (text, called) => {
  const code = text.trim().toUpperCase();
  if (!isSupportedCountry(code)) throw new TypedMistake(called, 'a two-letter country code such as EE', text);
  return code;
};

/** Null: every country except those that cannot be texted. */
export const countries: ParseValue<string[] | null> = (text, called) => {
  if (text === 'all') return null;
  const codes = text.split(',').map((code) => code.trim().toUpperCase());
  if (!codes.every((code) => isSupportedCountry(code))) {
    throw new TypedMistake(
      called,
      'two-letter country codes separated by commas, such as EE,FI,GB, or all',
      text,
    );
  }
  return [...new Set(codes)];
};

const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** A time with its timezone; an invalid day, such as February 30, is refused rather than shifted. */
export const moment: ParseValue<Date> = (text, called) => {
  const day = RFC3339.exec(text)?.[1];
  const at = new Date(text.toUpperCase());
  if (day === undefined || Number.isNaN(at.getTime()) || !isRealDay(day)) {
    throw new TypedMistake(called, 'a time with its timezone, such as 2026-09-01T00:00:00Z', text);
  }
  return at;
};

const isRealDay = (day: string): boolean => {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
};

export const email: ParseValue<string> = (text, called) => {
  const address = parseEmailAddress(text);
  if (address === null) throw new TypedMistake(called, 'an email address', text);
  return address;
};

/** A website, in the form that browsers give it. */
export const webAddress: ParseValue<string> = (text, called) => {
  const typed = text.trim();
  if (typed.length > WEB_ADDRESS_LENGTH_MAX || !isHttpsUrl(typed))
    throw new TypedMistake(called, 'a web address such as https://shop.example', text);
  return new URL(typed).href;
};

export const colour: ParseValue<string> = (text, called) => {
  const value = text.trim().toLowerCase();
  if (!isColour(value)) throw new TypedMistake(called, 'a colour such as #1f6feb', text);
  return value;
};

/** A typed value that cannot be used. `wanted` says what can. */
export class TypedMistake extends OperatorError {
  readonly wanted: string;

  constructor(called: string, wanted: string, text: string) {
    super(`${called} must be ${wanted}, but is "${shown(text)}".`);
    this.wanted = wanted;
  }
}

/** The typed text, short and on one line, so that the message stays one sentence. */
export function shown(text: string): string {
  const characters = [...text.replace(/[\p{Cc}\p{Cs}]/gu, '\u{fffd}')];
  return characters.length > SHOWN_LENGTH_MAX
    ? `${characters.slice(0, SHOWN_LENGTH_MAX).join('')}…`
    : characters.join('');
}
