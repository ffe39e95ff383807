import type { ListedSender } from '../businesses/sql.ts';
import type { Channel, PaidChannel } from '../contract/channels.ts';
import { OperatorError } from '../kit/errors.ts';
import { email, oneOf, type ParseValue, TypedMistake } from '../kit/typedValues.ts';
import type { smsReaders, whatsappReaders } from './readers.ts';
import {
  MESSAGING_SERVICE,
  PHONE_NUMBER_ID,
  type SenderForm,
  TEXT_SENDER,
  WHATSAPP_NUMBER,
} from './settings.ts';

/** A business's own senders on a channel: with every provider (null: none), and with single ones, by their names. */
export interface OwnSenders {
  from: string | null;
  fromAt?: Readonly<Record<string, string>>;
}

/** The one that a provider sends from; null: the business has none that could be the provider's. */
export function ownSenderAt(provider: string, channel: Channel, { from, fromAt }: OwnSenders): string | null {
  const own = fromAt?.[provider] ?? from;
  if (own === null || channel === 'email') return own;
  return isSenderOf(senderForms(channel, [provider]), own) ? own : null;
}

/** What a provider can send from. The sandbox takes what the first one would. */
const OF_TEXTS: Readonly<Record<string, readonly SenderForm[]>> = {
  sandbox: [TEXT_SENDER, MESSAGING_SERVICE],
  twilio: [TEXT_SENDER, MESSAGING_SERVICE],
  vonage: [TEXT_SENDER],
  http: [TEXT_SENDER],
} satisfies Record<'sandbox' | keyof typeof smsReaders, readonly SenderForm[]>;
const OF_WHATSAPP: Readonly<Record<string, readonly SenderForm[]>> = {
  sandbox: [WHATSAPP_NUMBER],
  meta: [PHONE_NUMBER_ID],
  twilio: [WHATSAPP_NUMBER],
  http: [WHATSAPP_NUMBER],
} satisfies Record<'sandbox' | keyof typeof whatsappReaders, readonly SenderForm[]>;

/** What at least one of these providers can send from. */
export function senderForms(channel: PaidChannel, providers: readonly string[]): SenderForm[] {
  const ofChannel = channel === 'sms' ? OF_TEXTS : OF_WHATSAPP;
  return [...new Set(providers.flatMap((provider) => ofChannel[provider] ?? []))];
}

export const isSenderOf = (forms: readonly SenderForm[], address: string): boolean =>
  forms.some(({ pattern }) => pattern.test(address));

/** The valid senders of a channel: those that at least one of these providers can send from. */
export function senderOn(channel: Channel, providers: readonly string[]): ParseValue<string> {
  if (channel === 'email') return email;
  const forms = senderForms(channel, providers);
  return (text, called) => {
    const address = text.trim();
    if (!isSenderOf(forms, address)) throw new TypedMistake(called, formsInWords(forms), text);
    return address;
  };
}

/** The one provider that a sender is used with. */
export const providerOn =
  (channel: Channel, providers: readonly string[]): ParseValue<string> =>
  (text, called) => {
    if (channel === 'email')
      throw new OperatorError(
        `${called} is for texts and WhatsApp: an address goes with every provider of email.`,
      );
    return oneOf(providers)(text, called);
  };

/** Those of a business, on one channel. */
export function ownSendersOn(channel: Channel, listed: readonly ListedSender[]): OwnSenders {
  const senders = listed.filter((sender) => sender.channel === channel);
  return {
    from: senders.find(({ provider }) => provider === null)?.address ?? null,
    fromAt: Object.fromEntries(
      senders.flatMap(({ provider, address }) => (provider === null ? [] : [[provider, address]])),
    ),
  };
}

/** To follow "must be". */
export const formsInWords = (forms: readonly SenderForm[]): string =>
  forms.map(({ what }) => what).join(', or ');
