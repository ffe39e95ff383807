import type { Fault } from '../../kit/errors.ts';
import { type Checked, failed, MAX_FAULTS } from './checked.ts';
import type { Loc } from './faults.ts';
import { BODY, parseJson } from './parseJson.ts';
import { storable } from './text.ts';
import type { Validator } from './validate.ts';

/**
 * Parses and validates a request body: bytes, JSON, storable text, shape. The texts within the field `unread` are
 * left to `checkParsed`, one item at a time, because an item of a batch fails alone.
 */
export function readBody<T>(bytes: Buffer, validate: Validator<T>, unread?: string): Checked<T> {
  const parsed = parseJson(bytes);
  return parsed.ok ? checkParsed(parsed.value, BODY, validate, unread) : parsed;
}

/** For values that were decoded elsewhere: a batch's item, path parameters (`['path']`) or a query (`['query']`). */
export function checkParsed<T>(
  value: unknown,
  loc: Loc,
  validate: Validator<T>,
  unread?: string,
): Checked<T> {
  const unstorable = storable(value, loc, unread);
  const checked = validate(value, loc);
  if (unstorable.length === 0) return checked;
  if (checked.ok) return failed(unstorable);
  // Unstorable text is fault enough for its field: other faults follow from it.
  const others = checked.faults.filter((fault) => !unstorable.some((found) => sameLoc(found, fault)));
  return failed([...unstorable, ...others].slice(0, MAX_FAULTS));
}

function sameLoc(a: Fault, b: Fault): boolean {
  return a.loc.length === b.loc.length && a.loc.every((step, index) => step === b.loc[index]);
}
