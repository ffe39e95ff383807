import { DEFAULT_LANGUAGE, type Language, nearestLanguage } from './languages.ts';

/** Longer headers are not from a browser. */
const HEADER_LENGTH_MAX = 1_000;

/** The language of ours that a browser prefers, by its Accept-Language header; English if it names none. */
export function acceptedLanguage(header: string | undefined): Language {
  if (header === undefined || header.length > HEADER_LENGTH_MAX) return DEFAULT_LANGUAGE;
  const accepted = header.split(',').flatMap((part) => {
    const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = weightOf(parameters);
    const language = nearestLanguage(tag);
    return language === null || weight <= 0 ? [] : [{ language, weight }];
  });
  // Sorting is stable: of two with the same weight, the first named wins.
  accepted.sort((one, other) => other.weight - one.weight);
  return accepted[0]?.language ?? DEFAULT_LANGUAGE;
}

function weightOf(parameters: readonly string[]): number {
  const named = parameters.find((text) => /^q=/i.test(text));
  if (named === undefined) return 1;
  const weight = Number(named.slice(2));
  return Number.isFinite(weight) ? weight : 0;
}
