import { NEVER_TEXTED } from '../../../../config/limits.ts';
import type { Mode, PaidChannel } from '../../../../contract/channels.ts';
import { countryName } from './creditsWords.ts';

export const CHANNEL_TITLES: Readonly<Record<PaidChannel, string>> = { sms: 'Texts', whatsapp: 'WhatsApp' };

export const MODE_WORDS: Readonly<Record<Mode, string>> = {
  on: 'With every message',
  on_request: 'When a push asks for it',
  off: 'Off',
  not_enabled: 'Not switched on yet',
};

/** Where a channel's messages may go. */
export function countriesSentence(channel: PaidChannel, countries: readonly string[] | null): string {
  const never = NEVER_TEXTED.map((country) => countryName(country)).join(' and ');
  if (countries === null) return `To every country but ${never}.`;
  const reached = countries.filter(
    (country) => channel === 'whatsapp' || !NEVER_TEXTED.some((one) => one === country),
  );
  return reached.length === 0
    ? 'To no country: every one in the list is closed to texts.'
    : `To ${reached.map((country) => countryName(country)).join(', ')} only.`;
}
