import { escapeHtml, type Html } from '../kit/jsxRuntime.ts';

/** Delimits the placeholders; no template contains this character. */
const MARK = '\u0001';

/**
 * Renders a page once with placeholders, and afterwards only fills them in: rendering JSX for each of thousands of mails a
 * minute is slow. Texts are escaped as JSX does, and elements are not. `draw` sees placeholders only, so it cannot branch on a value.
 */
export function compiledTemplate<Name extends string>(
  names: readonly Name[],
  draw: (word: (name: Name) => string) => string,
): (words: Readonly<Record<Name, string | Html>>) => string {
  const pieces = draw((name) => MARK + name + MARK).split(MARK);
  const fixedParts = pieces.filter((_, at) => at % 2 === 0);
  const placeholders = pieces.flatMap((piece, at) =>
    at % 2 === 1 ? names.filter((name) => name === piece) : [],
  );
  return (words) =>
    placeholders.reduce(
      (page, name, at) => page + markupOf(words[name]) + (fixedParts[at + 1] ?? ''),
      fixedParts[0] ?? '',
    );
}

const markupOf = (value: string | Html): string =>
  typeof value === 'string' ? escapeHtml(value) : `${value}`;
