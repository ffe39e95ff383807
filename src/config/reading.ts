import { readFileSync } from 'node:fs';
import { OperatorError } from '../kit/errors.ts';
import { trimEndChars } from '../kit/trimEndChars.ts';

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

/** What a reader needs of a variable of each kind (variable.ts). */
interface Named {
  readonly name: string;
}
type Text = Named & { readonly kind: 'text' };
type TextWithDefault = Text & { readonly default: string };
type TextOrFile = Text & { readonly file: true; readonly about: string };
type Integer = Named & { readonly kind: 'integer'; readonly min: number; readonly max: number };
interface Options<Option extends string> extends Named {
  readonly options: readonly Option[];
  readonly default: Option;
}

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
  variable({ name }: Named): string | null {
    return this.#env[name]?.trim() || null;
  }

  text(variable: TextWithDefault): string {
    return this.variable(variable) ?? variable.default;
  }

  /** The parts between commas; an unset variable has none. */
  list(variable: TextWithDefault): string[] {
    return partsOf(this.text(variable));
  }

  /** A value that can also be in a file, named by the variable with the suffix `_FILE`. */
  variableOrFile(variable: Omit<TextOrFile, 'about'>): string | null {
    const { name } = variable;
    const value = this.variable(variable);
    const path = this.variable({ name: `${name}_FILE` });
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

  integer(variable: Integer & { readonly default: number }): number {
    return this.integerOr(variable, variable.default);
  }

  /** For a variable whose default depends on another. */
  integerOr<Fallback extends number | null>(variable: Integer, fallback: Fallback): number | Fallback {
    const text = this.variable(variable);
    if (text === null) return fallback;
    const { name, min, max } = variable;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    this.mistake(`${name} must be a whole number from ${min} to ${max}, but is "${text}".`);
    return fallback;
  }

  choice<Option extends string>(variable: Options<Option> & { readonly kind: 'choice' }): Option {
    const { name, options, default: fallback } = variable;
    const text = this.variable(variable);
    const found = text === null ? fallback : options.find((option) => option === text);
    if (found !== undefined) return found;
    this.mistake(`${name} must be one of ${options.join(', ')}, but is "${text}".`);
    return fallback;
  }

  /** Some of the options, each once, in the order that is written. */
  choices<Option extends string>(
    variable: Options<Option> & { readonly kind: 'choices' },
  ): readonly Option[] {
    const { name, options, default: fallback } = variable;
    const parts = partsOf(this.variable(variable) ?? fallback);
    const wrong = parts.find((part) => !options.some((option) => option === part));
    if (wrong !== undefined) this.mistake(`${name} must be one of ${options.join(', ')}, but is "${wrong}".`);
    if (new Set(parts).size < parts.length) this.mistake(`${name} names one of its options twice.`);
    return parts.flatMap((part) => options.find((option) => option === part) ?? []);
  }

  /** A variable that the chosen provider needs. */
  required(variable: TextOrFile, because: Because): string {
    const value = this.variableOrFile(variable);
    const { name, about } = variable;
    if (value === null)
      this.mistake(`${because}, which needs ${name} (or ${name}_FILE): ${about.replaceAll('`', '')}.`);
    return value ?? '';
  }

  /** The same with a pattern, which `what` says in words. */
  requiredMatching(variable: TextOrFile, because: Because, what: string, pattern: RegExp): string {
    this.required(variable, because);
    return this.matching(variable, what, pattern) ?? '';
  }

  /** The message does not repeat the value: it may be a secret in the wrong variable. */
  matching(variable: TextOrFile, what: string, pattern: RegExp): string | null {
    const value = this.variableOrFile(variable);
    if (value !== null && value !== UNREADABLE && !pattern.test(value))
      this.mistake(`${variable.name} must be ${what}, but is not.`);
    return value;
  }

  /** The base URL of an API: https, or http on this machine only, where tests and proxies listen. */
  apiUrl(variable: Text & { readonly default?: string }, ofRegion = ''): string {
    const fallback = variable.default ?? ofRegion;
    const text = this.variable(variable) ?? fallback;
    const url = baseUrl(text);
    const isAllowed = url?.protocol === 'https:' || (url !== null && isLocalHost(url.hostname));
    if (url !== null && isAllowed) return trimEndChars(url.href, '/');
    this.mistake(
      `${variable.name} must be an https address without a query (http only for this machine), but is "${text}".`,
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
