import { isSupportedCountry, type PhoneNumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max';

export interface Phone {
  /** E.164, as stored: `+37255550134`. */
  number: string;
  /** ISO 3166 two-letter code, as in `country_code`: `EE`. */
  country: string;
}

/** Fifteen digits with a separator between any two, and some to spare. */
const INPUT_LENGTH_MAX = 40;

/**
 * Numbers that are no person's phone. PERSONAL_NUMBER and UAN are forwarding services, billed like premium
 * numbers in several countries. Landlines and internet phones stay allowed: only the carrier knows whether they
 * receive texts.
 */
const NOT_PERSONAL: ReadonlySet<PhoneNumberType> = new Set<PhoneNumberType>([
  'PREMIUM_RATE',
  'TOLL_FREE',
  'SHARED_COST',
  'VOICEMAIL',
  'UAN',
  'PAGER',
  'PERSONAL_NUMBER',
]);

/**
 * Mobile ranges that regulators reserve for examples and drama. The library rightly calls them unassigned, but
 * people use them in tests and demos, where they should work. Of the British range the whole unassigned block
 * 07700 9 is included, because the sandbox's people have numbers in it (ending in 9001 and so on).
 */
const EXAMPLE_RANGES: readonly (readonly [RegExp, string])[] = [
  [/^\+4477009\d{5}$/, 'GB'],
  [/^\+3363998\d{4}$/, 'FR'],
  [/^\+3532091\d{5}$/, 'IE'],
];

/**
 * The number at which a person could be texted, or null. It must name its country: `+372…`, or `00372…`. Spaces,
 * dashes, dots, slashes and brackets between digits are ignored; an extension or a word is an error.
 */
export function parsePhone(text: string): Phone | null {
  const international = withoutSeparators(text);
  if (international === null) return null;
  const parsed = parsePhoneNumberFromString(international, { extract: false });
  if (parsed === undefined) return null;
  const number = parsed.number;
  const example = EXAMPLE_RANGES.find(([range]) => range.test(number));
  if (example) return { number, country: example[1] };
  // No country: +800, +870, +881 and similar, including satellite phones. Checked before the type, because the
  // library calls some of them mobile.
  if (parsed.country === undefined) return null;
  const type = parsed.getType();
  // No type: the country has not assigned such a number.
  if (type === undefined || NOT_PERSONAL.has(type)) return null;
  return { number, country: parsed.country };
}

/** The same for a number as people type it in their own country: without a country it must name one itself. */
export function parsePhoneOf(text: string, country: string | null): Phone | null {
  const named = parsePhone(text);
  if (named !== null || country === null || !isSupportedCountry(country)) return named;
  if (text.length > INPUT_LENGTH_MAX) return null;
  const national = parsePhoneNumberFromString(text, { defaultCountry: country, extract: false });
  return national === undefined ? null : parsePhone(national.number);
}

/** `+372 •••• 0134`: enough for a merchant to recognise a number, too little to call it. */
export function maskPhone(e164: string): string {
  const code = parsePhoneNumberFromString(e164, { extract: false })?.countryCallingCode;
  const ending = `•••• ${e164.slice(-4)}`;
  return code === undefined ? ending : `+${code} ${ending}`;
}

/**
 * `+` and digits (of any script that the library reads), or null. Phones paste numbers wrapped in invisible marks
 * (Cf).
 */
function withoutSeparators(text: string): string | null {
  if (text.length > INPUT_LENGTH_MAX) return null;
  const bare = text.normalize('NFKC').replace(/[\s\p{Cf}\p{Pd}()./]/gu, '');
  const digits = /^(?:\+|00)(\p{Nd}+)$/u.exec(bare)?.[1];
  return digits === undefined ? null : `+${digits}`;
}
