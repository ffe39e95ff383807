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

/** All mistakes of a configuration, one sentence each. */
export class ConfigurationError extends OperatorError {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}

/** Why a variable is required, such as `EMAIL_PROVIDER is smtp`. */
export type Because = `${'EMAIL' | 'SMS' | 'WHATSAPP'}_PROVIDER is ${string}`;

type ApiUrlName = Extract<VariableName, `${string}_API_URL` | 'TWILIO_CONTENT_URL'>;

const UNREADABLE = '(unreadable)';

/**
 * Reads environment variables. Each mistake is one sentence that names the variable; a secret's value is never repeated. A
 * reader goes on after a mistake with a value that does no harm, so that one look finds all of them.
 */
export class Reading {
  readonly #env: Environment;
  readonly mistakes: string[] = [];

  constructor(env: Environment) {
    this.#env = env;
  }

  mistake(sentence: string): void {
    if (!this.mistakes.includes(sentence)) this.mistakes.push(sentence);
  }

  /** The trimmed value of a variable; null if it is unset or empty. */
  variable(name: VariableName | `${NameWithFile}_FILE`): string | null {
    return this.#env[name]?.trim() || null;
  }

  text(name: TextWithDefault): string {
    return this.variable(name) ?? variables[name].default;
  }

  /** The parts between commas; an unset variable has none. */
  list(name: TextWithDefault): string[] {
    return partsOf(this.text(name));
  }

  /** A value that can also be in a file, named by the variable with the suffix `_FILE`. */
  variableOrFile(name: NameWithFile): string | null {
    const value = this.variable(name);
    const path = this.variable(`${name}_FILE`);
    if (path === null) return value;
    if (value !== null) this.mistake(`${name} and ${name}_FILE are both set: set only one.`);
    let text = '';
    try {
      text = readFileSync(path, 'utf8').trim();
      if (text === '') this.mistake(`${name}_FILE is "${path}", which is empty.`);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      this.mistake(`${name}_FILE is "${path}", which cannot be read${code}.`);
    }
    // What is set counts as set, so that nothing else asks for it.
    return text === '' ? UNREADABLE : text;
  }

  integer(name: IntegerWithDefault): number {
    return this.integerOr(name, variables[name].default);
  }

  /** For a variable whose default depends on another. */
  integerOr<Fallback extends number | null>(name: IntegerName, fallback: Fallback): number | Fallback {
    const text = this.variable(name);
    if (text === null) return fallback;
    const { min, max } = variables[name];
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    this.mistake(`${name} must be a whole number from ${min} to ${max}, but is "${text}".`);
    return fallback;
  }

  choice<Name extends ChoiceName>(name: Name): OptionOf<Name> {
    const { options, default: fallback }: { options: readonly OptionOf<Name>[]; default: OptionOf<Name> } =
      variables[name];
    const text = this.variable(name);
    const found = text === null ? fallback : options.find((option) => option === text);
    if (found !== undefined) return found;
    this.mistake(`${name} must be one of ${options.join(', ')}, but is "${text}".`);
    return fallback;
  }

  /** A variable that the chosen provider needs. */
  required(name: NameWithFile, because: Because): string {
    const value = this.variableOrFile(name);
    const about = variables[name].about.replaceAll('`', '');
    if (value === null) this.mistake(`${because}, which needs ${name} (or ${name}_FILE): ${about}.`);
    return value ?? '';
  }

  /** The same with a pattern, which `what` says in words. */
  requiredMatching(name: NameWithFile, because: Because, what: string, pattern: RegExp): string {
    this.required(name, because);
    return this.matching(name, what, pattern) ?? '';
  }

  /** The message does not repeat the value: it may be a secret in the wrong variable. */
  matching(name: NameWithFile, what: string, pattern: RegExp): string | null {
    const value = this.variableOrFile(name);
    if (value !== null && value !== UNREADABLE && !pattern.test(value))
      this.mistake(`${name} must be ${what}, but is not.`);
    return value;
  }

  /** The address that mail comes from unless a business has its own. */
  emailFrom(because: Because): string {
    const text = this.required('EMAIL_FROM', because);
    const address = parseEmailAddress(text);
    if (address === null && text !== '')
      this.mistake(`EMAIL_FROM must be an email address without a name, but is "${text}".`);
    return address ?? '';
  }

  /** The base URL of an API: https, or http on this machine only, where tests and proxies listen. */
  apiUrl(name: ApiUrlName, ofRegion = ''): string {
    const variable: Variable = variables[name];
    const fallback = String(variable.default ?? ofRegion);
    const text = this.variable(name) ?? fallback;
    const url = baseUrl(text);
    const isAllowed = url?.protocol === 'https:' || (url !== null && isLocalHost(url.hostname));
    if (url !== null && isAllowed) return trimEndChars(url.href, '/');
    this.mistake(
      `${name} must be an https address without a query (http only for this machine), but is "${text}".`,
    );
    return fallback;
  }
}

export const partsOf = (list: string): string[] =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** An http or https address without a query; null if the text is none. */
export function baseUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' ? url : null;
}

export const isLocalHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
