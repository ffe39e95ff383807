/**
 * Finds where a text that JSON.parse refused stops being JSON. JSON.parse's own message does not do: for an unexpected
 * token it quotes the caller's text and names no position, and its wording differs between Node 20 and 22.
 */
export function syntaxFault(text: string): { at: number; expected: string } | null {
  // Positions are UTF-16 code units.
  const open: string[] = [];
  let next: Expected = 'a value';
  let at = 0;
  for (;;) {
    at = match(SPACE, text, at);
    const char = text[at];
    if (char === undefined) return next === 'the end' ? null : { at, expected: next };
    if (char === closingBracket(open) && CLOSABLE.has(next)) {
      open.pop();
      at += 1;
      next = afterValue(open);
    } else if (next === 'a value' || next === 'a value or "]"') {
      const end = char === '"' ? endOfString(text, at) : match(VALUE, text, at);
      if (typeof end === 'object') return end;
      if (char === '{' || char === '[') {
        open.push(char);
        at += 1;
        next = char === '{' ? 'a name in double quotes or "}"' : 'a value or "]"';
      } else if (end === at) {
        return { at, expected: next };
      } else {
        at = end;
        next = afterValue(open);
      }
    } else if (char === '"' && NAMES.has(next)) {
      const end = endOfString(text, at);
      if (typeof end === 'object') return end;
      at = end;
      next = 'a colon';
    } else if (char === ':' && next === 'a colon') {
      at += 1;
      next = 'a value';
    } else if (char === ',' && (next === 'a comma or "}"' || next === 'a comma or "]"')) {
      at += 1;
      next = next === 'a comma or "}"' ? 'a name in double quotes' : 'a value';
    } else {
      return { at, expected: next };
    }
  }
}

type Expected =
  | 'a value'
  | 'a value or "]"'
  | 'a name in double quotes'
  | 'a name in double quotes or "}"'
  | 'a colon'
  | 'a comma or "}"'
  | 'a comma or "]"'
  | 'the end';

const CLOSABLE: ReadonlySet<Expected> = new Set<Expected>([
  'a value or "]"',
  'a name in double quotes or "}"',
  'a comma or "}"',
  'a comma or "]"',
]);
const NAMES: ReadonlySet<Expected> = new Set<Expected>([
  'a name in double quotes',
  'a name in double quotes or "}"',
]);

const SPACE = /[ \t\n\r]*/y;
const VALUE = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Every character from the space upwards except the quote and the backslash. */
const PLAIN = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function endOfString(text: string, start: number): number | { at: number; expected: string } {
  let at = match(PLAIN, text, start + 1);
  while (text[at] !== '"') {
    const after = match(ESCAPE, text, at);
    if (after === at) return { at, expected: text[at] === '\\' ? 'a valid escape' : 'a closing quote' };
    at = match(PLAIN, text, after);
  }
  return at + 1;
}

/** The end of a sticky pattern's match at `at`; `at` itself if it does not match. */
function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function closingBracket(open: readonly string[]): string | undefined {
  const last = open.at(-1);
  return last === undefined ? undefined : last === '{' ? '}' : ']';
}

function afterValue(open: readonly string[]): Expected {
  const last = open.at(-1);
  return last === undefined ? 'the end' : last === '{' ? 'a comma or "}"' : 'a comma or "]"';
}
