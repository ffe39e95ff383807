import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { parsePhone } from '../../../src/kit/phoneNumber.ts';

const INPUT_LENGTH_MAX = 40;

/** The number in E.164, completed by the country of its address; null: Waypost would refuse it. */
export function internationalPhone(text: string, country: string | null): string | null {
  const known = parsePhone(text);
  if (known !== null) return known.number;
  if (country === null || !isSupportedCountry(country) || text.length > INPUT_LENGTH_MAX) return null;
  const completed = parsePhoneNumberFromString(text, { defaultCountry: country, extract: false });
  return completed === undefined ? null : (parsePhone(completed.number)?.number ?? null);
}
