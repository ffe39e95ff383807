import type { Settings } from '../../../businesses/settings.ts';
import { NEVER_TEXTED } from '../../../config/limits.ts';
import type { Mode, PaidChannel } from '../../../contract/channels.ts';
import { countryName } from '../../../kit/countryName.ts';
import { shownCredits, shownNumber } from '../credits/words.ts';

export const MODE_WORDS: Readonly<Record<Mode, string>> = {
  on: 'With every message',
  on_request: 'When a push asks for it',
  off: 'Off',
  not_enabled: 'Not switched on yet',
};

export const priceWords = (credits: number): string => (credits === 0 ? 'Free' : shownCredits(credits));

/** Where a channel's messages may go. */
export function countriesSentence(channel: PaidChannel, countries: readonly string[] | null): string {
  const never = NEVER_TEXTED.map((country) => countryName(country)).join(' and ');
  if (countries === null) return `To every country but ${never}.`;
  if (countries.length === 0) return 'To no country: the operator allows none of those that the shop chose.';
  const reached = countries.filter(
    (country) => channel === 'whatsapp' || !NEVER_TEXTED.some((one) => one === country),
  );
  return reached.length === 0
    ? 'To no country: every one in the list is closed to SMS.'
    : `To ${reached.map((country) => countryName(country)).join(', ')} only.`;
}

/** Why these countries apply; '' where nobody narrowed them. */
export const countriesSource = ({ countriesCeiling, ownCountries, countries }: Settings): string =>
  sourceOf(
    countriesCeiling && `only ${countriesCeiling.join(', ')}`,
    ownCountries?.join(', ') ?? null,
    countries?.join(', ') || 'no country',
  );

/** Why this hourly limit applies; '' where there is none. */
export const hourlySource = ({
  paidPerRecipientHourCeiling: ceiling,
  ownPaidPerRecipientHour: own,
  paidPerRecipientHour,
}: Settings): string =>
  sourceOf(
    ceiling === null ? null : `at most ${shownNumber(ceiling)}`,
    own === null ? null : shownNumber(own),
    shownNumber(paidPerRecipientHour ?? 0),
  );

function sourceOf(ceiling: string | null, own: string | null, applies: string): string {
  if (ceiling === null) return own === null ? '' : 'The shop chose this itself.';
  if (own === null) return `The operator allows ${ceiling}.`;
  return `The operator allows ${ceiling}; the shop chose ${own}.${own === applies ? '' : ` In force: ${applies}.`}`;
}
