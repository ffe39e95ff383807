interface SyntaxFault {
  /** In UTF-16 code units. */
  at: number;
  expected: string;
}

/** What can come next, in the words of the fault; where a bracket can close, it names the bracket. */
type Expected =
  | 'a value'
  | 'a value or "]"'
  | 'a name in double quotes'
  | 'a name in double quotes or "}"'
  | 'a colon'
  | 'a comma or "}"'
  | 'a comma or "]"'
  | 'the end';

/**
 * Finds where a text that JSON.parse refused stops being JSON. JSON.parse's own message does not do: for an unexpected
 * token it quotes the caller's text and names no position, and its wording differs between Node 20 and 22.
 */
export function syntaxFault(text: string): SyntaxFault | null {
  const toClose: ('}' | ']')[] = [];
  let next: Expected = 'a value';
  const afterValue = (closing = toClose.at(-1)): Expected =>
    closing === undefined ? 'the end' : closing === '}' ? 'a comma or "}"' : 'a comma or "]"';
  for (let at = match(SPACE, text, 0); ; at = match(SPACE, text, at)) {
    const char = text[at];
    const isValue = next.startsWith('a value');
    const isName = next.startsWith('a name');
    if (char === undefined) return next === 'the end' ? null : { at, expected: next };
    if (char === toClose.at(-1) && next.endsWith(`"${char}"`)) {
      toClose.pop();
      at += 1;
      next = afterValue();
    } else if (char === '"' && (isValue || isName)) {
      const end = endOfString(text, at);
      if (typeof end === 'object') return end;
      at = end;
      next = isName ? 'a colon' : afterValue();
    } else if (isValue && (char === '{' || char === '[')) {
      toClose.push(char === '{' ? '}' : ']');
      at += 1;
      next = char === '{' ? 'a name in double quotes or "}"' : 'a value or "]"';
    } else if (isValue && match(VALUE, text, at) > at) {
      at = match(VALUE, text, at);
      next = afterValue();
    } else if (char === ':' && next === 'a colon') {
      at += 1;
      next = 'a value';
    } else if (char === ',' && next.startsWith('a comma')) {
      at += 1;
      next = toClose.at(-1) === '}' ? 'a name in double quotes' : 'a value';
    } else {
      return { at, expected: next };
    }
  }
}

const SPACE = /[ \t\n\r]*/y;
const VALUE = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Every character from the space upwards except the quote and the backslash. */
const PLAIN = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function endOfString(text: string, start: number): number | SyntaxFault {
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
