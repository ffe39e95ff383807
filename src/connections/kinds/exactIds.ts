import { parseJsonText } from '../../kit/json.ts';

/** The value of a JSON text in which a whole number that would be rounded is its digits instead; undefined if the text is invalid. */
export function parseJsonExactly(text: string): unknown {
  const plain = parseJsonText(text);
  if (plain === undefined || !MANY_DIGITS.test(text)) return plain;
  return parseJsonText(text.replace(STRING_OR_NUMBER, (token) => (isRounded(token) ? `"${token}"` : token)));
}

const MANY_DIGITS = /\d{16}/;
/** Every text of a valid one ends. A quote that does not end takes the rest, so that nothing is read twice. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

const isRounded = (token: string): boolean => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
