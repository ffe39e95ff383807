import { readFileSync } from 'node:fs';
import { parseEmailAddress } from '../kit/emailAddress.ts';
import { OperatorError } from '../kit/errors.ts';
import { trimEndChars } from '../kit/trimEndChars.ts';

/**
 * Reads environment variables. Each mistake is reported in one sentence that names the variable; a secret's value
 * is never repeated.
 */
export type Environment = Record<string, string | undefined>;

/** The trimmed value of a variable; null if it is unset or empty. */
export const readVariable = (env: Environment, name: string): string | null => {
  const value = env[name]?.trim();
  return value ? value : null;
};

/** A value that can also be in a file, named by the variable with the suffix `_FILE`. */
export function readVariableOrFile(env: Environment, name: string): string | null {
  const value = readVariable(env, name);
  const path = readVariable(env, `${name}_FILE`);
  if (path === null) return value;
  if (value !== null) throw new OperatorError(`${name} and ${name}_FILE are both set: set only one.`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new OperatorError(`${name}_FILE is "${path}", which cannot be read${code}.`);
  }
  if (text === '') throw new OperatorError(`${name}_FILE is "${path}", which is empty.`);
  return text;
}

export function readInteger(
  env: Environment,
  name: string,
  fallback: number,
  min: number,
  max: number,
): number {
  const text = readVariable(env, name);
  if (text === null) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new OperatorError(`${name} must be a whole number from ${min} to ${max}, but is "${text}".`);
  }
  return value;
}

export function readOneOf<T extends string>(
  env: Environment,
  name: string,
  options: readonly T[],
  fallback: T,
): T {
  const text = readVariable(env, name);
  if (text === null) return fallback;
  const found = options.find((option) => option === text);
  if (found === undefined)
    throw new OperatorError(`${name} must be one of ${options.join(', ')}, but is "${text}".`);
  return found;
}

export const isLocalHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

/** Why a variable is required, such as `EMAIL_PROVIDER is smtp`. */
export type Because = `${'EMAIL' | 'SMS' | 'WHATSAPP'}_PROVIDER is ${string}`;

/** A variable that the chosen provider needs. `what` explains it in a few words. */
export function requireVariable(env: Environment, name: string, because: Because, what: string): string {
  const value = readVariableOrFile(env, name);
  if (value === null) throw new OperatorError(`${because}, which needs ${name} (or ${name}_FILE): ${what}.`);
  return value;
}

/** The same with a pattern. The message does not repeat the value: it may be a secret in the wrong variable. */
export function requireMatching(
  env: Environment,
  name: string,
  because: Because,
  what: string,
  pattern: RegExp,
): string {
  return matching(name, requireVariable(env, name, because, what), what, pattern);
}

export function readMatching(env: Environment, name: string, what: string, pattern: RegExp): string | null {
  const value = readVariableOrFile(env, name);
  return value === null ? null : matching(name, value, what, pattern);
}

function matching(name: string, value: string, what: string, pattern: RegExp): string {
  if (!pattern.test(value)) throw new OperatorError(`${name} must be ${what}, but is not.`);
  return value;
}

/** The address that mail comes from unless a business has its own. */
export function emailFrom(env: Environment, because: Because): string {
  const text = requireVariable(env, 'EMAIL_FROM', because, 'the address that mail comes from');
  const address = parseEmailAddress(text);
  if (address === null)
    throw new OperatorError(`EMAIL_FROM must be an email address without a name, but is "${text}".`);
  return address;
}

/** The base URL of an API: https, or http on this machine only, where tests and proxies listen. */
export function apiUrl(env: Environment, name: string, fallback: string): string {
  const text = readVariable(env, name) ?? fallback;
  const url = URL.canParse(text) ? new URL(text) : null;
  const local = url !== null && url.protocol === 'http:' && isLocalHost(url.hostname);
  if (url === null || !(url.protocol === 'https:' || local) || url.search !== '' || url.hash !== '') {
    throw new OperatorError(
      `${name} must be an https address without a query (http only for this machine), but is "${text}".`,
    );
  }
  return trimEndChars(url.href, '/');
}
