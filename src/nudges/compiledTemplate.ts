import { escapeHtml } from '@kitajs/html';

/** Nothing that is drawn around the words contains it. */
const MARK = '\u0001';

/**
 * A page of which only some words differ from one time to the next: drawn once, with marks in their places, and from then on
 * only filled in. Of thousands of mails a minute nothing else differs. `draw` shows each word as JSX does, escaped, and
 * cannot depend on what it says.
 */
export function compiledTemplate<Name extends string>(
  names: readonly Name[],
  draw: (word: (name: Name) => string) => string,
): (words: Readonly<Record<Name, string>>) => string {
  const pieces = draw((name) => MARK + name + MARK).split(MARK);
  const drawn = pieces.filter((_, at) => at % 2 === 0);
  const places = pieces.flatMap((piece, at) => (at % 2 === 1 ? names.filter((name) => name === piece) : []));
  return (words) =>
    places.reduce((page, name, at) => page + escapeHtml(words[name]) + (drawn[at + 1] ?? ''), drawn[0] ?? '');
}
