import type { Settings } from '../../../businesses/settings.ts';
import type { ListedSender } from '../../../businesses/sql.ts';
import { countryName } from '../../../kit/countryName.ts';
import { countryAllowed } from '../../../nudges/gates.ts';
import {
  isName,
  isSafeName,
  ruledCountries,
  ruleSentence,
  senderRule,
  unsafeNameSentence,
} from '../../../providers/senderRules.ts';
import { type OwnSenders, ownSendersOn } from '../../../providers/senders.ts';

interface SmsSetup {
  settings: Pick<Settings, 'countries'>;
  /** The shop's own. */
  senders: readonly ListedSender[];
}

/** What the shop's countries ask of a name as the sender of its texts: a sentence a country, or one if it did not list them. */
export function senderNotes(
  { settings, senders }: SmsSetup,
  sendersTo: (country: string, own: OwnSenders) => readonly string[],
): string[] {
  const own = ownSendersOn('sms', senders);
  const named = (settings.countries ?? ruledCountries)
    .filter((country) => countryAllowed(settings, 'sms', country))
    .flatMap((country) => {
      const name = sendersTo(country, own).find(isName);
      return name === undefined ? [] : [{ country, name }];
    });
  if (named.length === 0) return [];
  const names = new Set(named.map(({ name }) => name));
  const unsafe = [...names].filter((name) => !isSafeName(name)).map(unsafeNameSentence);
  if (settings.countries === null) return [...unsafe, EVERYWHERE];
  const ofCountries = named.flatMap(({ country, name }) => {
    const rule = senderRule(name, country);
    return rule === null ? [] : [ruleSentence(countryName(country), rule)];
  });
  return [...unsafe, ...ofCountries];
}

const EVERYWHERE =
  'Some countries register, replace or refuse names as senders: list the countries that you send SMS to, and this page says what each asks for.';
