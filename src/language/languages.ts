import { dictionaries } from './dictionaries.ts';

export type Language = keyof typeof dictionaries;

export const isLanguage = (text: string): text is Language => Object.hasOwn(dictionaries, text);

export const LANGUAGES = Object.keys(dictionaries).filter(isLanguage);

/** A new business's language, and the last resort. */
export const DEFAULT_LANGUAGE: Language = 'en';

/** Norwegian without a written form, and Nynorsk, whose readers all read Bokmål. */
const BOKMAL: readonly string[] = ['no', 'nn'];

/**
 * The nearest of our languages to a well-formed BCP 47 tag: the same language without script, region and variants; null if
 * we do not have it. A related language is not near: readers of Slovak get the business's language, not Czech.
 */
export function nearestLanguage(tag: string): Language | null {
  const primary = (tag.split('-')[0] ?? '').toLowerCase();
  return ourNameOf(primary) ?? ourNameOf(shortNameOf(primary));
}

const ourNameOf = (primary: string): Language | null =>
  BOKMAL.includes(primary) ? 'nb' : isLanguage(primary) ? primary : null;

/** The two-letter name of a language that some systems name by three letters: `deu` is `de`. */
function shortNameOf(primary: string): string {
  if (!/^[a-z]{3}$/.test(primary)) return primary;
  return new Intl.Locale(primary).language;
}

/** The language that a person reads: the nearest to their tag, else the business's. */
export const languageFor = (tag: string | null, businessLanguage: string): Language =>
  nearestLanguage(tag ?? '') ?? nearestLanguage(businessLanguage) ?? DEFAULT_LANGUAGE;

/** Whether the language that results is somebody's choice, rather than what every business begins with. */
export const isChosen = (tag: string | null, businessLanguage: string): boolean =>
  nearestLanguage(tag ?? '') !== null || businessLanguage !== DEFAULT_LANGUAGE;

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

let names: Intl.DisplayNames | null = null;

/** What the dashboard calls one of our languages: "Estonian". */
export function languageName(language: Language): string {
  names ??= new Intl.DisplayNames('en', { type: 'language' });
  return names.of(language) ?? language;
}

/** A stored tag with the name of its language, if we have it: "Portuguese (pt-BR)". */
export function describedTag(tag: string): string {
  const language = nearestLanguage(tag);
  return language === null ? tag : `${languageName(language)} (${tag})`;
}
