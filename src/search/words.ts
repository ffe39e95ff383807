/** A longer word is cut, in the index and in a search alike. */
const WORD_MAX = 64;
const WORD = /[\p{L}\p{N}]+/gu;

/** Each word once: letters and digits, in lower case and without marks, so that `Manty` finds `mänty`. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  return [...new Set((plain.match(WORD) ?? []).map((word) => [...word].slice(0, WORD_MAX).join('')))];
}

/** Whether each of the words is one of the subject, or the beginning of one. */
export function hasWords(subject: string, words: readonly string[]): boolean {
  const own = wordsOf(subject);
  return words.every((word) => own.some((one) => one.startsWith(word)));
}
