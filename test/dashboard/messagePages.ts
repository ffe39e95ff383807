import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import type { TestService } from '../support/service.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { mainOf } from './memberBrowser.ts';

/** A page as it is read: without tags. */
export const wordsOf = (html: string): string =>
  mainOf(html)
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');

/** A push that goes out on every channel. */
export const ON_ALL_CHANNELS = {
  recipient_phone: PHONE_NUMBER,
  whatsapp_opt_in: { source: 'checkout' },
  channels: ['sms', 'whatsapp'],
  reference: '#1001',
  order_status: 'shipped',
};

/** What the customer of a message got, by channel, once it went out on so many. */
export const sentAbout = ({ url }: TestService, id: string, channels: number) =>
  eventually(async () => {
    const sent = (await capturedMessages(url)).filter(({ message_id }) => message_id === id);
    if (sent.length < channels) throw new Error(`only ${sent.length} went out`);
    return new Map(sent.map((one) => [one.channel, one]));
  });

/** Links into the inbox, with the secret that none of the shop's people may have. */
export const INBOX_LINK = /\/i\/([\w-]{22})/g;
export const withoutSecret = (text: string): string => text.replace(INBOX_LINK, `/i/${'x'.repeat(22)}`);
