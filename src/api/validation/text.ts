/// <reference lib="es2024.string" />
import type { Fault } from '../../kit/errors.ts';
import { isObject } from '../../kit/json.ts';
import { Findings } from './checked.ts';
import { type Loc, wrong } from './faults.ts';

/**
 * Text that Postgres cannot store, or that would not come back as sent: Node's encoder silently turns a lone
 * surrogate into U+FFFD, so Postgres could not refuse it. It is refused here.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** The length of a text as the interface counts it. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

const UNSTORABLE = wrong.value(
  'the text contains a NUL character, an unpaired surrogate or bytes that are not UTF-8, and cannot be stored',
);
const UNSTORABLE_NAME = wrong.value(
  'the name of the field contains a NUL character, an unpaired surrogate or bytes that are not UTF-8',
);

/** A caller's own long name would otherwise be repeated in every fault beneath it. */
const NAME_SHOWN_LENGTH_MAX = 200;

/**
 * A fault for every string that cannot be stored, including names and unknown fields, at any depth. The field
 * `except` is left to the caller, who checks it item by item.
 */
export function storable(value: unknown, loc: Loc, except?: string): Fault[] {
  const found = new Findings(loc);
  if (except !== undefined && isObject(value)) searchObject(value, found, except);
  else search(value, found);
  return found.faults;
}

function search(value: unknown, found: Findings): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) found.add(UNSTORABLE, value);
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      found.path.push(index);
      search(value[index], found);
      found.path.pop();
    }
  } else if (isObject(value)) {
    searchObject(value, found);
  }
}

function searchObject(object: Record<string, unknown>, found: Findings, except?: string): void {
  for (const name of Object.keys(object)) {
    if (name === except) continue;
    found.path.push(shown(name));
    if (!isStorable(name)) found.add(UNSTORABLE_NAME, name);
    search(object[name], found);
    found.path.pop();
  }
}

const shown = (name: string): string =>
  name.length <= NAME_SHOWN_LENGTH_MAX ? name : `${name.slice(0, NAME_SHOWN_LENGTH_MAX)}…`;
