import { countryName } from '../../kit/countryName.ts';
import { countryAllowed } from '../../nudges/gates.ts';
import {
  isName,
  isSafeName,
  ruledCountries,
  ruleSentence,
  senderRule,
  unsafeNameSentence,
} from '../../providers/senderRules.ts';

/** The senders of a shop's texts to a country, and the countries that it may text; null: every country. */
export interface SenderUse {
  sendersTo(country: string): readonly string[];
  countries: readonly string[] | null;
}

/** What countries ask of names as senders, as far as shops may text them from one: a sentence a country, or one for all. */
export function senderWarnings(uses: readonly SenderUse[]): string[] {
  const everywhere = uses.filter(({ countries }) => countries === null);
  const listed = uses.filter(({ countries }) => countries !== null);
  const all = uses.flatMap((use) => (use.countries ?? ruledCountries).flatMap((to) => namesTo(to, [use])));
  return [
    ...[...new Set(all)].filter((name) => !isSafeName(name)).map(unsafeNameSentence),
    ...everywhereSentence(everywhere),
    ...ruledCountries.flatMap((country) => {
      const said = namesTo(country, everywhere);
      return countrySentence(
        country,
        namesTo(country, listed).filter((name) => !said.includes(name)),
      );
    }),
  ];
}

function countrySentence(country: string, names: readonly string[]): string[] {
  const [first] = names;
  const rule = first === undefined ? null : senderRule(first, country);
  return rule === null
    ? []
    : [ruleSentence(`${countryName(country)} (${country}), from ${quoted(names)}`, rule)];
}

function everywhereSentence(uses: readonly SenderUse[]): string[] {
  const countries = ruledCountries.filter((country) => namesTo(country, uses).length > 0);
  if (countries.length === 0) return [];
  const names = new Set(countries.flatMap((country) => namesTo(country, uses)));
  return [
    `Shops may send SMS to every country from ${quoted([...names])}; names are under rules in ${countries.join(', ')}: see docs/providers/sms-senders.md.`,
  ];
}

/** Each once. */
const namesTo = (country: string, uses: readonly SenderUse[]): string[] => [
  ...new Set(
    uses
      .filter(({ countries }) => countryAllowed({ countries }, 'sms', country))
      .flatMap(({ sendersTo }) => sendersTo(country).filter(isName)),
  ),
];

const NAMES_SHOWN = 3;

function quoted(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => `“${name}”`);
  const more = names.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
