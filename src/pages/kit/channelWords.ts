import type { ListedSender } from '../../businesses/sql.ts';
import { providerTitle } from '../../providers/titles.ts';

/** The channels as people know them. */
export const CHANNEL_TITLES = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' } as const;

/** What a channel sends; the second and third within a sentence. */
export const NUDGE_NAMES = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp message' } as const;
export const PAID_NOUNS = { sms: 'SMS', whatsapp: 'WhatsApp message' } as const;
export const PAID_NOUNS_WITH_ARTICLE = { sms: 'an SMS', whatsapp: 'a WhatsApp message' } as const;

/** A shop's own sender, with the one provider that it is used with. */
export const senderWords = ({ address, provider }: ListedSender): string =>
  provider === null ? address : `${address} (${providerTitle(provider)})`;
