import { parseEmailAddress } from '../kit/emailAddress.ts';
import { OperatorError } from '../kit/errors.ts';
import { trimEndChars } from '../kit/trimEndChars.ts';
import { isLocalHost } from './localHost.ts';
import { type Environment, given, givenOrFile } from './reading.ts';

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
