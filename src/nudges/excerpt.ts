/** About as much as a phone shows of a mail before the button. */
export const EXCERPT_LENGTH_MAX = 200;
const EXCERPT_LINES_MAX = 4;

/** How much of a message is looked at, since what a mail says already is left out. */
export const EXCERPT_SOURCE_LENGTH = 600;

/** Stands for a web or email address: mail programs make links of them, and a mail links to the inbox alone. */
const LEFT_OUT = '[…]';

/**
 * The first lines of a message as a mail shows them: cut at a word, without addresses, and without the sentences of `said`, which
 * stand in the mail already.
 */
export function messageExcerpt(body: string, said: readonly string[]): string[] {
  const known = new Set(said.map(sentenceKey));
  const kept: string[] = [];
  let room = EXCERPT_LENGTH_MAX;
  for (const written of body.slice(0, EXCERPT_SOURCE_LENGTH).split(LINE_END)) {
    const line = withoutAddresses(unsaid(written, known));
    if (line === '') continue;
    if (line.length > room || kept.length === EXCERPT_LINES_MAX) return endingInDots(kept, line, room);
    kept.push(line);
    room -= line.length;
  }
  return body.length > EXCERPT_SOURCE_LENGTH ? endingInDots(kept, '', room) : kept;
}

const LINE_END = /[\n\r\p{Zl}\p{Zp}]/u;

/** Two sentences that differ in case, punctuation or spaces alone are the same to a reader. */
export const sentenceKey = (sentence: string): string =>
  sentence
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');

/** Control and direction marks could show a word as another. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF\u00AD]/gu;

/** One line with single spaces, without the sentences that were said. */
function unsaid(line: string, known: Set<string>): string {
  const sentences = line
    .replace(/\s/g, ' ')
    .replace(INVISIBLE, '')
    .split(/(?<=[.!?…。！？]) /u)
    .filter((sentence) => {
      const key = sentenceKey(sentence);
      const isNew = key === '' || !known.has(key);
      if (key !== '') known.add(key);
      return isNew;
    });
  return sentences
    .join(' ')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ');
}

const withoutAddresses = (line: string): string =>
  line
    .split(' ')
    .map((word) => (couldBeAddress(word) ? `${LEFT_OUT}${MARKS_AFTER.exec(word)?.[0] ?? ''}` : word))
    .join(' ');

const MARKS_AFTER = /[.,;:!?]$/u;
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Without these it cannot: most words take one look. */
const SUSPECT = /[.@:\\]|[^ -~]/;

/** Generous: a sentence without a space after its dot is left out, too. */
function couldBeAddress(word: string): boolean {
  if (!SUSPECT.test(word)) return false;
  const plain = word.normalize('NFKC').replace(IGNORED, '').toLowerCase();
  return (
    /@|:\/\/|\\\\|www\.|[^\s.]\.\p{L}[\p{L}\p{M}\p{N}-]|\d\.\d+\.\d+\.\d/u.test(plain) ||
    /(?:https?|ftp|mailto|tel|sms|javascript|data|file):/.test(plain)
  );
}

/** The lines and as much of the next as has room, which ends in dots. */
function endingInDots(lines: readonly string[], next: string, room: number): string[] {
  const begun =
    lines.length < EXCERPT_LINES_MAX ? next.slice(0, endOfWord(next, room)).replace(TRAILING, '') : '';
  if (begun !== '') return [...lines, `${begun}…`];
  const [last, ...before] = [...lines].reverse();
  return last === undefined ? [] : [...before.reverse(), `${last.replace(TRAILING, '')} …`];
}

/** Where the last word within `room` ends. Only scripts without spaces need the segmenter, which is slow. */
function endOfWord(text: string, room: number): number {
  const space = text.lastIndexOf(' ', room);
  if (space > room / 2) return space;
  let end = 0;
  for (const { index, segment } of WORDS.segment(text.slice(0, room + 1)))
    if (index + segment.length <= room) end = index + segment.length;
  return end;
}

const WORDS = new Intl.Segmenter('en', { granularity: 'word' });

const TRAILING = /[\s,;:.…-]$/u;
