import { type PhoneNumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max';

export interface Phone {
  /** E.164, as stored: `+37255550134`. */
  number: string;
  /** ISO 3166 two-letter code, as in `country_code`: `EE`. */
  country: string;
}

/** Fifteen digits with a separator between any two of them, and something to spare. */
const LONGEST_INPUT = 40;

/**
 * What nobody carries in a pocket. PERSONAL_NUMBER and UAN are forwarding services, billed
 * like premium numbers in several countries. Landlines and internet phones are people's: whether they take texts,
 * the carrier knows and the number does not tell.
 */
const NOBODYS_PHONE: ReadonlySet<PhoneNumberType> = new Set<PhoneNumberType>([
  'PREMIUM_RATE',
  'TOLL_FREE',
  'SHARED_COST',
  'VOICEMAIL',
  'UAN',
  'PAGER',
  'PERSONAL_NUMBER',
]);

/**
 * Mobile ranges that regulators keep free for examples and drama. The library rightly calls them unassigned; people
 * write them into tests and demos, and there they should behave like anyone's. Of the British range the whole
 * unassigned block 07700 9 is taken, so that numbers of the sandbox's people (ending in 9001 and so on) exist in it.
 */
const EXAMPLE_RANGES: readonly (readonly [RegExp, string])[] = [
  [/^\+4477009\d{5}$/, 'GB'],
  [/^\+3363998\d{4}$/, 'FR'],
  [/^\+3532091\d{5}$/, 'IE'],
];

/**
 * The number a person could be texted at, or null. It must say its country: `+372…`, or `00372…` as much of the world
 * dials it. Spaces, dashes, dots, slashes and brackets between digits do not matter; an extension or a word does.
 */
export function parsePhone(text: string): Phone | null {
  const international = withoutSeparators(text);
  if (international === null) return null;
  const parsed = parsePhoneNumberFromString(international, { extract: false });
  if (parsed === undefined) return null;
  const number = parsed.number;
  const example = exampleCountry(number);
  if (example !== null) return { number, country: example };
  // No country: +800, +870, +881 and their kin, satellite phones included. This comes before the type, since
  // some of them count as mobile there.
  if (parsed.country === undefined) return null;
  const type = parsed.getType();
  // No type: the country has assigned no such number.
  if (type === undefined || NOBODYS_PHONE.has(type)) return null;
  return { number, country: parsed.country };
}

/** `+372 •••• 0134`: enough for a merchant to recognise a number, too little to call it. */
export function maskPhone(e164: string): string {
  const code = parsePhoneNumberFromString(e164, { extract: false })?.countryCallingCode;
  const ending = `•••• ${e164.slice(-4)}`;
  return code === undefined ? ending : `+${code} ${ending}`;
}

/** The country of a stored number, also of one that newer numbering plans no longer know; null when it has none. */
export function countryOf(e164: string): string | null {
  return exampleCountry(e164) ?? parsePhoneNumberFromString(e164, { extract: false })?.country ?? null;
}

function exampleCountry(e164: string): string | null {
  return EXAMPLE_RANGES.find(([range]) => range.test(e164))?.[1] ?? null;
}

/** `+` and digits (of any script the library reads), or null. Phones paste numbers wrapped in invisible marks (Cf). */
function withoutSeparators(text: string): string | null {
  if (text.length > LONGEST_INPUT) return null;
  const bare = text.normalize('NFKC').replace(/[\s\p{Cf}\p{Pd}()./]/gu, '');
  const digits = /^(?:\+|00)(\p{Nd}+)$/u.exec(bare)?.[1];
  return digits === undefined ? null : `+${digits}`;
}
