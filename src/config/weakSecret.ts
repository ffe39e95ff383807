/** The least length of a secret: 128 bits if the characters are random hexadecimal digits. */
const SECRET_LENGTH_MIN = 32;
/** Random decimal digits have more; a password of five repeated keys has not. */
const DISTINCT_MIN = 6;
/** How many characters must remain after removing every predictable part. */
const UNPREDICTABLE_MIN = 16;
/** Shorter runs occur in random text as well. */
const RUN_MIN = 4;

/** Common placeholders and keyboard rows. Two-letter words would occur in random text. */
const COMMON = `
  changeme change replace secret password passphrase passwd default example sample placeholder waypost admin operator
  token letmein testing test your here please insert value string random super very long production development key
  qwertyuiop qwerty asdfghjkl asdf zxcvbnm azerty qwertz 1qaz2wsx 3edc4rfv todo`
  .trim()
  .split(/\s+/);
const SEPARATORS = /[\s\-_.:/+<>(){}[\]"']/;

/** A secret's weakness, to follow the variable's name in a sentence; null if it is strong enough. */
export function weaknessOf(secret: string): string | null {
  if (secret.length < SECRET_LENGTH_MIN) return `must have at least ${SECRET_LENGTH_MIN} characters`;
  if (new Set(secret).size < DISTINCT_MIN) return `must have at least ${DISTINCT_MIN} different characters`;
  if (periodOf(secret) < SECRET_LENGTH_MIN) return 'must not repeat a shorter text';
  if (unpredictableIn(secret) < UNPREDICTABLE_MIN)
    return 'must not be made of common words, sequences or keyboard rows';
  return null;
}

/** The length of the shortest text that the secret repeats at least twice; its own length if it repeats none. */
function periodOf(secret: string): number {
  for (let period = 1; period <= secret.length / 2; period += 1) {
    if (secret.slice(period) === secret.slice(0, -period)) return period;
  }
  return secret.length;
}

/** How many characters are not part of a common word, a sequence or a separator. */
function unpredictableIn(secret: string): number {
  const text = secret.toLowerCase();
  const guessed = new Set<number>();
  const mark = (from: number, length: number): void => {
    for (let at = from; at < from + length; at += 1) guessed.add(at);
  };
  for (const word of COMMON) {
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) mark(at, word.length);
  }
  for (let at = 0; at < text.length; at += 1) {
    if (SEPARATORS.test(text.charAt(at))) mark(at, 1);
    const run = runAt(text, at);
    if (run >= RUN_MIN) mark(at, run);
  }
  return text.length - guessed.size;
}

/** The length of the run from `from` that goes up or down by one, or stays the same: abcd, 4321, aaaa. */
function runAt(text: string, from: number): number {
  const stepAt = (at: number): number => text.charCodeAt(at + 1) - text.charCodeAt(at);
  const step = stepAt(from);
  if (!(Math.abs(step) <= 1)) return 1;
  let end = from + 1;
  while (end + 1 < text.length && stepAt(end) === step) end += 1;
  return end - from + 1;
}
