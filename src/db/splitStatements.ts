/** A semicolon, and how a comment, a text, a quoted name or a dollar quote begins. A dollar inside a name begins nothing. */
const MARK = /;|--|\/\*|(?<![\p{L}\d_$])(?:e'|\$(?:[\p{L}_][\p{L}\d_]*)?\$)|['"]/giu;
/** Comments in slashes nest. */
const IN_COMMENT = /\/\*|\*\//g;
/** Neither a quote behind a backslash nor a doubled one ends it. In other texts a doubled quote may count as an end and a beginning. */
const IN_ESCAPED_TEXT = /\\.|''|'/gs;
const DEPTH_CHANGES: Record<string, number> = { '/*': 1, '*/': -1, "'": -1 };

/**
 * The statements of a script, with their comments; the last may be a comment alone, which Postgres ignores. It does not know the
 * bodies of functions in `begin atomic`: Postgres refuses the parts.
 */
export function splitStatements(script: string): string[] {
  const statements: string[] = [];
  let start = 0;
  MARK.lastIndex = 0;
  for (let found = MARK.exec(script); found !== null; found = MARK.exec(script)) {
    const [opening] = found;
    if (opening === ';') {
      statements.push(script.slice(start, found.index));
      start = MARK.lastIndex;
    } else MARK.lastIndex = endOf(script, opening, MARK.lastIndex);
  }
  return [...statements, script.slice(start)]
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/** The position behind a comment or text; one that does not end takes up the rest. */
function endOf(script: string, opening: string, from: number): number {
  if (opening === '/*') return endInside(IN_COMMENT, script, from);
  if (opening.toLowerCase() === "e'") return endInside(IN_ESCAPED_TEXT, script, from);
  const closing = opening === '--' ? '\n' : opening;
  const at = script.indexOf(closing, from);
  return at < 0 ? script.length : at + closing.length;
}

function endInside(marks: RegExp, script: string, from: number): number {
  marks.lastIndex = from;
  for (let depth = 1; depth > 0; ) {
    const found = marks.exec(script);
    if (found === null) return script.length;
    depth += DEPTH_CHANGES[found[0]] ?? 0;
  }
  return marks.lastIndex;
}
