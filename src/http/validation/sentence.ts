import type { Fault } from '../../kit/errors.ts';
import { isObject } from '../../kit/json.ts';
import { isStorable } from './text.ts';

/** An item of a batch says what is wrong in a sentence, which is stored and replayed: it stays short. */
const FAULTS_SHOWN = 10;

/**
 * `recipient_email: Field required; channels[1]: Input should be 'email', 'sms' or 'whatsapp'`, always storable. Where
 * `ourNames` are given, a name that is not among them is left out: it is the caller's text.
 */
export function sentenceFor(faults: readonly Fault[], ourNames?: ReadonlySet<string>): string {
  const shown = faults
    .slice(0, FAULTS_SHOWN)
    .map(({ loc, msg }) => (loc.length === 0 ? msg : `${place(loc, ourNames)}: ${msg}`));
  const left = faults.length - shown.length;
  return left === 0 ? shown.join('; ') : `${shown.join('; ')}; and ${left} more`;
}

const UNKNOWN_FIELD = '(unknown field)';

function place(loc: Fault['loc'], ourNames: ReadonlySet<string> | undefined): string {
  return loc.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`;
    const known = ourNames === undefined || ourNames.has(step);
    const name = !known ? UNKNOWN_FIELD : isStorable(step) ? step : escaped(step);
    return path === '' ? name : `${path}.${name}`;
  }, '');
}

/** JSON writes both a NUL and a lone surrogate as an escape, in plain ASCII. */
const escaped = (name: string): string => JSON.stringify(name).slice(1, -1);

/** The name of every field that a JSON schema describes, at any depth. */
export function fieldNames(schema: unknown, names: Set<string> = new Set()): ReadonlySet<string> {
  if (Array.isArray(schema)) for (const part of schema) fieldNames(part, names);
  if (!isObject(schema)) return names;
  if (isObject(schema.properties)) for (const name of Object.keys(schema.properties)) names.add(name);
  for (const part of Object.values(schema)) fieldNames(part, names);
  return names;
}
