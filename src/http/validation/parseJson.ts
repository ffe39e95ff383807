import { isUtf8 } from 'node:buffer';
import { type Checked, type Failed, failed, MAX_FAULTS, passed } from './checked.ts';
import { faultAt, type Loc, type Problem, wrong } from './faults.ts';
import { syntaxFault } from './jsonSyntax.ts';
import { codePoints, storable } from './text.ts';

/** The deepest request of the interface has four levels (an opt-in in a batch); unknown fields may go further. */
export const MAX_DEPTH = 32;
/** Commas and opening brackets. A batch of a hundred pushes with every field and list full has about 12,000. */
export const MAX_MEMBERS = 50_000;

const BODY: Loc = ['body'];
const TOO_DEEP = wrong.invalidJson(`nested more than ${MAX_DEPTH} levels deep`);
const TOO_WIDE = wrong.invalidJson(`more than ${MAX_MEMBERS} members`);
const NOT_UTF8 = wrong.invalidJson('not UTF-8');

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = 0x5b;
const CLOSING = 0x5d;
const OPENING_CURLY = 0x7b;
const CLOSING_CURLY = 0x7d;

/** Stands where bytes were not UTF-8: a lone surrogate, which no text in UTF-8 can contain. */
const NOT_UTF8_MARK = '\udfff';
/** What the decoder puts for bytes that it cannot read. */
const REPLACEMENT = '\ufffd';
const BYTE_ORDER_MARK = '\ufeff';

/**
 * The JSON value of a request body. Names like `__proto__` are ordinary members of the result, and the last of two
 * members of one name counts. A body that is not UTF-8 is refused as a whole, naming the fields that are to blame.
 */
export function parseJson(bytes: Buffer): Checked<unknown> {
  if (bytes.length === 0) return failed([faultAt(BODY, wrong.missing, null)]);
  const outgrown = outgrows(bytes);
  if (outgrown !== null) return refused(outgrown.at, outgrown.problem);
  const text = bytes.toString('utf8');
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  return isUtf8(bytes) ? parse(json) : refuseBadBytes(json);
}

function parse(json: string): Checked<unknown> {
  try {
    return passed(JSON.parse(json));
  } catch {
    const { at, expected } = syntaxFault(json) ?? { at: json.length, expected: 'JSON' };
    // Positions count characters as lengths do: code points.
    const position = codePoints(json.slice(0, at));
    return refused(position, wrong.invalidJson(`expected ${expected} at position ${position}`));
  }
}

/**
 * The fields with bytes that are not UTF-8, as the check for storable text finds them by their marks. Where no field
 * is to blame (the bytes stand between values, or in one that a later member of its name replaced), the JSON is.
 */
function refuseBadBytes(json: string): Failed {
  const parsed = parse(withMarks(json));
  if (!parsed.ok) return parsed;
  const faults = storable(parsed.value, BODY);
  return faults.length > 0
    ? failed(faults)
    : refused(codePoints(json.slice(0, json.indexOf(REPLACEMENT))), NOT_UTF8);
}

/** Marks no more bytes than there can be faults. A genuine U+FFFD among them is marked too; the body is refused anyway. */
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

const refused = (position: number, problem: Problem): Failed =>
  failed([faultAt([...BODY, position], problem, null)]);

/** One pass over the bytes, before anything is built from them: a body of nothing but brackets costs nothing else. */
function outgrows(bytes: Buffer) {
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
      if (depth > MAX_DEPTH) return { at, problem: TOO_DEEP };
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
