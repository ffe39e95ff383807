import { readFileSync } from 'node:fs';
import { parseEmailAddress } from '../kit/emailAddress.ts';
import { OperatorError } from '../kit/errors.ts';
import { trimEndChars } from '../kit/trimEndChars.ts';

/** Reading variables. Each mistake is one sentence that names the variable; the value of a secret is never repeated. */
export type Environment = Record<string, string | undefined>;

/** The value of a variable, trimmed; one that is empty counts as none. */
export const given = (env: Environment, name: string): string | null => {
  const value = env[name]?.trim();
  return value ? value : null;
};

/** A value that may also stand in a file, named by the variable with `_FILE` behind it. */
export function givenOrFile(env: Environment, name: string): string | null {
  const value = given(env, name);
  const path = given(env, `${name}_FILE`);
  if (path === null) return value;
  if (value !== null) throw new OperatorError(`${name} and ${name}_FILE are both set: only one may be.`);
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

export function integer(env: Environment, name: string, otherwise: number, min: number, max: number): number {
  const text = given(env, name);
  if (text === null) return otherwise;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new OperatorError(`${name} must be a whole number from ${min} to ${max}, but is "${text}".`);
  }
  return value;
}

export function oneOf<T extends string>(
  env: Environment,
  name: string,
  options: readonly T[],
  otherwise: T,
): T {
  const text = given(env, name);
  if (text === null) return otherwise;
  const found = options.find((option) => option === text);
  if (found === undefined)
    throw new OperatorError(`${name} must be one of ${options.join(', ')}, but is "${text}".`);
  return found;
}

/** Whether a host is this machine itself, by its name or address. */
export const isLocalHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

/** `EMAIL_PROVIDER is smtp`: what makes a variable necessary, in words. */
export type Because = `${'EMAIL' | 'SMS' | 'WHATSAPP'}_PROVIDER is ${string}`;

/** A variable without which the chosen provider cannot work. `what` explains it in a few words. */
export function needed(env: Environment, name: string, because: Because, what: string): string {
  const value = givenOrFile(env, name);
  if (value === null) throw new OperatorError(`${because}, which needs ${name} (or ${name}_FILE): ${what}.`);
  return value;
}

/** The same, of a known form. The value itself is repeated in no sentence: it may be a secret in the wrong place. */
export function neededLike(
  env: Environment,
  name: string,
  because: Because,
  what: string,
  pattern: RegExp,
): string {
  return like(name, needed(env, name, because, what), what, pattern);
}

export function optionalLike(env: Environment, name: string, what: string, pattern: RegExp): string | null {
  const value = givenOrFile(env, name);
  return value === null ? null : like(name, value, what, pattern);
}

function like(name: string, value: string, what: string, pattern: RegExp): string {
  if (!pattern.test(value)) throw new OperatorError(`${name} must be ${what}, which what it holds is not.`);
  return value;
}

/** The address that mail comes from where a business has none of its own. */
export function emailFrom(env: Environment, because: Because): string {
  const text = needed(env, 'EMAIL_FROM', because, 'the address that mail comes from');
  const address = parseEmailAddress(text);
  if (address === null)
    throw new OperatorError(`EMAIL_FROM must be an email address without a name, but is "${text}".`);
  return address;
}

/** Where an API is called: https, or http on this machine alone, where tests and proxies listen. */
export function apiUrl(env: Environment, name: string, otherwise: string): string {
  const text = given(env, name) ?? otherwise;
  const url = URL.canParse(text) ? new URL(text) : null;
  const local = url !== null && url.protocol === 'http:' && isLocalHost(url.hostname);
  if (url === null || !(url.protocol === 'https:' || local) || url.search !== '' || url.hash !== '') {
    throw new OperatorError(
      `${name} must be an https address without a query (http only for this machine), but is "${text}".`,
    );
  }
  return trimEndChars(url.href, '/');
}
