import { isUtf8 } from 'node:buffer';
import { type Checked, type Failed, failed, MAX_FAULTS, passed } from './checked.ts';
import { faultAt, type Loc, type Problem, wrong } from './faults.ts';
import { syntaxFault } from './jsonSyntax.ts';
import { codePoints, storable } from './text.ts';
import type { Validator } from './validate.ts';

/** The deepest request of the interface has four levels (an opt-in in a batch); unknown fields can be deeper. */
export const MAX_JSON_DEPTH = 32;
/** Commas and opening brackets. A batch of a hundred pushes with every field and list full has about 12,000. */
export const MAX_MEMBERS = 50_000;

export const BODY: Loc = ['body'];
const TOO_DEEP = wrong.invalidJson(`nested more than ${MAX_JSON_DEPTH} levels deep`);
const TOO_WIDE = wrong.invalidJson(`more than ${MAX_MEMBERS} members`);
const NOT_UTF8 = wrong.invalidJson('not UTF-8');

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = 0x5b;
const CLOSING = 0x5d;
const OPENING_CURLY = 0x7b;
const CLOSING_CURLY = 0x7d;

/** Marks bytes that were not UTF-8: a lone surrogate, which no UTF-8 text can contain. */
const NOT_UTF8_MARK = '\udfff';
/** The decoder's replacement character for invalid bytes. */
const REPLACEMENT = '\ufffd';
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Parses a request body as JSON. Names like `__proto__` are ordinary members, and the last of two equal names
 * wins. A body that is not UTF-8 is refused as a whole, naming the fields with the invalid bytes.
 */
export function parseJson(bytes: Buffer): Checked<unknown> {
  if (bytes.length === 0) return failed([faultAt(BODY, wrong.missing, null)]);
  const outgrown = exceedsLimits(bytes);
  if (outgrown !== null) return refused(outgrown.at, outgrown.problem);
  const text = bytes.toString('utf8');
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  return isUtf8(bytes) ? parse(json) : refuseBadBytes(json);
}

/** Parses and validates a request body. */
export function readBody<T>(bytes: Buffer, validate: Validator<T>): Checked<T> {
  const parsed = parseJson(bytes);
  return parsed.ok ? validate(parsed.value, BODY) : parsed;
}

function parse(json: string): Checked<unknown> {
  try {
    return passed(JSON.parse(json));
  } catch {
    const { at, expected } = syntaxFault(json) ?? { at: json.length, expected: 'JSON' };
    // Positions count code points, like lengths.
    const position = codePoints(json.slice(0, at));
    return refused(position, wrong.invalidJson(`expected ${expected} at position ${position}`));
  }
}

/**
 * The fields with invalid bytes, which the check for storable text finds by their marks. If no field has any (the
 * bytes are between values, or in a member that a later one replaced), the JSON itself is at fault.
 */
function refuseBadBytes(json: string): Failed {
  const parsed = parse(withMarks(json));
  if (!parsed.ok) return parsed;
  const faults = storable(parsed.value, BODY);
  return faults.length > 0
    ? failed(faults)
    : refused(codePoints(json.slice(0, json.indexOf(REPLACEMENT))), NOT_UTF8);
}

/** Marks no more bytes than there can be faults. A genuine U+FFFD is marked too; the body is refused anyway. */
function withMarks(json: string): string {
  let marked = '';
  let from = 0;
  for (let marks = 0; marks < MAX_FAULTS; marks += 1) {
    const at = json.indexOf(REPLACEMENT, from);
    if (at === -1) break;
    marked += json.slice(from, at) + NOT_UTF8_MARK;
    from = at + 1;
  }
  return marked + json.slice(from);
}

const refused = (position: number, problem: Problem) => failed([faultAt([...BODY, position], problem, null)]);

/** One pass over the bytes before parsing: a body of brackets alone costs nothing else. */
function exceedsLimits(bytes: Buffer) {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
    } else if (byte === COMMA) {
      members += 1;
      if (members > MAX_MEMBERS) return { at, problem: TOO_WIDE };
    } else if (byte === OPENING || byte === OPENING_CURLY) {
      depth += 1;
      members += 1;
      if (depth > MAX_JSON_DEPTH) return { at, problem: TOO_DEEP };
      if (members > MAX_MEMBERS) return { at, problem: TOO_WIDE };
    } else if (byte === CLOSING || byte === CLOSING_CURLY) {
      depth -= 1;
    }
  }
  return null;
}

function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  return at;
}
