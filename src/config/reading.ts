import { readFileSync } from 'node:fs';
import { parseEmailAddress } from '../kit/emailAddress.ts';
import { OperatorError } from '../kit/errors.ts';
import { trimEndChars } from '../kit/trimEndChars.ts';
import type { Variable } from './variable.ts';
import {
  type ChoiceName,
  type IntegerName,
  type IntegerWithDefault,
  type NameWithFile,
  type OptionOf,
  type TextWithDefault,
  type VariableName,
  variables,
} from './variables.ts';

export type Environment = Record<string, string | undefined>;

/**
 * Reads environment variables. Each mistake is one sentence that names the variable; a secret's value is never repeated. A
 * reader goes on after a mistake with a value that does no harm, so that one look finds all of them.
 */
export interface Reading {
  readonly env: Environment;
  mistake(sentence: string): void;
}

/** All mistakes of a configuration, one sentence each. */
export class ConfigurationError extends OperatorError {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}

/** Throws once everything has been read. */
export function readingAll<T>(env: Environment, read: (reading: Reading) => T): T {
  const mistakes: string[] = [];
  const found = read({
    env,
    mistake(sentence) {
      if (!mistakes.includes(sentence)) mistakes.push(sentence);
    },
  });
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return found;
}

/** The trimmed value of a variable; null if it is unset or empty. */
export const readVariable = ({ env }: Reading, name: VariableName): string | null => textOf(env, name);

const textOf = (env: Environment, name: string): string | null => {
  const value = env[name]?.trim();
  return value ? value : null;
};

export const readText = (reading: Reading, name: TextWithDefault): string =>
  readVariable(reading, name) ?? variables[name].default;

/** A value that can also be in a file, named by the variable with the suffix `_FILE`. */
export function readVariableOrFile(reading: Reading, name: NameWithFile): string | null {
  const value = readVariable(reading, name);
  const path = textOf(reading.env, `${name}_FILE`);
  if (path === null) return value;
  if (value !== null) reading.mistake(`${name} and ${name}_FILE are both set: set only one.`);
  let text = '';
  try {
    text = readFileSync(path, 'utf8').trim();
    if (text === '') reading.mistake(`${name}_FILE is "${path}", which is empty.`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    reading.mistake(`${name}_FILE is "${path}", which cannot be read${code}.`);
  }
  // What is set counts as set, so that nothing else asks for it.
  return text === '' ? UNREADABLE : text;
}

const UNREADABLE = '(unreadable)';

export const readInteger = (reading: Reading, name: IntegerWithDefault): number =>
  readIntegerOr(reading, name, variables[name].default);

/** For a variable whose default depends on another. */
export function readIntegerOr<Fallback extends number | null>(
  reading: Reading,
  name: IntegerName,
  fallback: Fallback,
): number | Fallback {
  const text = readVariable(reading, name);
  if (text === null) return fallback;
  const { min, max } = variables[name];
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  reading.mistake(`${name} must be a whole number from ${min} to ${max}, but is "${text}".`);
  return fallback;
}

export function readChoice<Name extends ChoiceName>(reading: Reading, name: Name): OptionOf<Name> {
  const { options, default: fallback }: { options: readonly OptionOf<Name>[]; default: OptionOf<Name> } =
    variables[name];
  const text = readVariable(reading, name);
  const found = text === null ? fallback : options.find((option) => option === text);
  if (found !== undefined) return found;
  reading.mistake(`${name} must be one of ${options.join(', ')}, but is "${text}".`);
  return fallback;
}

export const isLocalHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

/** Why a variable is required, such as `EMAIL_PROVIDER is smtp`. */
export type Because = `${'EMAIL' | 'SMS' | 'WHATSAPP'}_PROVIDER is ${string}`;

/** A variable that the chosen provider needs. */
export function requireVariable(reading: Reading, name: NameWithFile, because: Because): string {
  const value = readVariableOrFile(reading, name);
  const about = variables[name].about.replaceAll('`', '');
  if (value === null) reading.mistake(`${because}, which needs ${name} (or ${name}_FILE): ${about}.`);
  return value ?? '';
}

/** The same with a pattern, which `what` says in words. The message does not repeat the value: it may be a secret in the wrong variable. */
export function requireMatching(
  reading: Reading,
  name: NameWithFile,
  because: Because,
  what: string,
  pattern: RegExp,
): string {
  const value = requireVariable(reading, name, because);
  return value === '' ? value : matching(reading, name, value, what, pattern);
}

export function readMatching(
  reading: Reading,
  name: NameWithFile,
  what: string,
  pattern: RegExp,
): string | null {
  const value = readVariableOrFile(reading, name);
  return value === null ? null : matching(reading, name, value, what, pattern);
}

function matching(
  reading: Reading,
  name: NameWithFile,
  value: string,
  what: string,
  pattern: RegExp,
): string {
  if (!pattern.test(value) && value !== UNREADABLE) reading.mistake(`${name} must be ${what}, but is not.`);
  return value;
}

/** The address that mail comes from unless a business has its own. */
export function emailFrom(reading: Reading, because: Because): string {
  const text = requireVariable(reading, 'EMAIL_FROM', because);
  const address = parseEmailAddress(text);
  if (address === null && text !== '')
    reading.mistake(`EMAIL_FROM must be an email address without a name, but is "${text}".`);
  return address ?? '';
}

type ApiUrlName = Extract<VariableName, `${string}_API_URL` | 'TWILIO_CONTENT_URL'>;

/** The base URL of an API: https, or http on this machine only, where tests and proxies listen. */
export function apiUrl(reading: Reading, name: Extract<ApiUrlName, TextWithDefault>): string;
export function apiUrl(reading: Reading, name: ApiUrlName, fallback: string): string;
export function apiUrl(reading: Reading, name: ApiUrlName, given?: string): string {
  const variable: Variable = variables[name];
  const fallback = given ?? String(variable.default);
  const text = readVariable(reading, name) ?? fallback;
  const url = URL.canParse(text) ? new URL(text) : null;
  const local = url !== null && url.protocol === 'http:' && isLocalHost(url.hostname);
  if (url === null || !(url.protocol === 'https:' || local) || url.search !== '' || url.hash !== '') {
    reading.mistake(
      `${name} must be an https address without a query (http only for this machine), but is "${text}".`,
    );
    return fallback;
  }
  return trimEndChars(url.href, '/');
}
