import type { Fault } from '../../kit/errors.ts';
import { isObject } from '../../kit/json.ts';
import { isStorable } from './text.ts';

/** A batch item's faults are one sentence, which is stored and replayed, so it stays short. */
const FAULTS_SHOWN = 10;

/**
 * `recipient_email: Field required; channels[1]: Input should be 'email', 'sms' or 'whatsapp'`, always storable.
 * If `ourNames` is given, other names are omitted: they are the caller's text.
 */
export function sentenceFor(faults: readonly Fault[], ourNames?: ReadonlySet<string>): string {
  const shown = faults
    .slice(0, FAULTS_SHOWN)
    .map(({ loc, msg }) => (loc.length === 0 ? msg : `${place(loc, ourNames)}: ${msg}`));
  const left = faults.length - shown.length;
  return left === 0 ? shown.join('; ') : `${shown.join('; ')}; and ${left} more`;
}

const UNKNOWN_FIELD = '(unknown field)';

const place = (loc: Fault['loc'], ourNames: ReadonlySet<string> | undefined): string =>
  loc.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`;
    const known = ourNames === undefined || ourNames.has(step);
    const name = !known ? UNKNOWN_FIELD : isStorable(step) ? step : escaped(step);
    return path === '' ? name : `${path}.${name}`;
  }, '');

/** JSON escapes both NUL and a lone surrogate in plain ASCII. */
const escaped = (name: string): string => JSON.stringify(name).slice(1, -1);

/** The names of all fields in a JSON schema, at any depth. */
export function fieldNames(schema: unknown, names: Set<string> = new Set()): ReadonlySet<string> {
  if (Array.isArray(schema)) for (const part of schema) fieldNames(part, names);
  if (!isObject(schema)) return names;
  if (isObject(schema.properties)) for (const name of Object.keys(schema.properties)) names.add(name);
  for (const part of Object.values(schema)) fieldNames(part, names);
  return names;
}
