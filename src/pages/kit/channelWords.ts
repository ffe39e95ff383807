/** The channels as people know them. */
export const CHANNEL_TITLES = { email: 'Email', sms: 'Texts', whatsapp: 'WhatsApp' } as const;

/** One message's channel. */
export const CHANNEL_NAMES = { email: 'Email', sms: 'Text', whatsapp: 'WhatsApp' } as const;

/** What a channel sends; the second within a sentence. */
export const NUDGE_NAMES = { email: 'Email', sms: 'Text', whatsapp: 'WhatsApp message' } as const;
export const PAID_NOUNS = { sms: 'text', whatsapp: 'WhatsApp message' } as const;
