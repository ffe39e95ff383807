import { readFileSync } from 'node:fs';
import { OperatorError } from '../kit/errors.ts';

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
