const SECTIONS_MAX = 3;
/** About 3,000 words: more would push out of an assistant's mind what it was asked. */
const ANSWER_MAX = 16_000;
/** A word of the heading says more of what a section is about than one of its text. */
const HEADING_WEIGHT = 8;
const OCCURRENCES_MAX = 3;

/** The sections of a text in Markdown that fit the words of a question best, best first. */
export function findInText(markdown: string, question: string): string {
  const words = wordsOf(question);
  const sections = markdown
    .split(/^(?=##? )/m)
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, SECTIONS_MAX);
  if (sections.length === 0) return 'Nothing in the documents has these words.';
  return sections
    .map(({ section }) => section.trim())
    .join('\n\n')
    .slice(0, ANSWER_MAX);
}

function scoreOf(section: string, words: ReadonlySet<string>): number {
  const counts = new Map<string, number>();
  for (const word of textWords(section)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const heading = wordsOf(section.split('\n', 1)[0] ?? '');
  let score = 0;
  for (const word of words)
    score += Math.min(counts.get(word) ?? 0, OCCURRENCES_MAX) + (heading.has(word) ? HEADING_WEIGHT : 0);
  return score;
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(textWords(text));

/** Short words are in every section. A plural is the same word. */
const textWords = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []).map((word) => word.replace(/s$/, ''));
