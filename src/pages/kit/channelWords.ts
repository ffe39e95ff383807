import type { ListedSender } from '../../businesses/sql.ts';
import { providerTitle } from '../../providers/titles.ts';

/** The channels as people know them. */
export const CHANNEL_TITLES = { email: 'Email', sms: 'Texts', whatsapp: 'WhatsApp' } as const;

/** One message's channel. */
export const CHANNEL_NAMES = { email: 'Email', sms: 'Text', whatsapp: 'WhatsApp' } as const;

/** What a channel sends; the second within a sentence. */
export const NUDGE_NAMES = { email: 'Email', sms: 'Text', whatsapp: 'WhatsApp message' } as const;
export const PAID_NOUNS = { sms: 'text', whatsapp: 'WhatsApp message' } as const;

/** A shop's own sender, with the one provider that it is used with. */
export const senderWords = ({ address, provider }: ListedSender): string =>
  provider === null ? address : `${address} (${providerTitle(provider)})`;
