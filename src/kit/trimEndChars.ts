/** A regular expression that ends in `+$` takes quadratic time on long runs; this is linear. */
export function trimEndChars(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
