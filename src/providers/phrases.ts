import type { Refusal } from './provider.ts';

/** By a provider's own code, without the provider's name before it. */
export type CodeWords = Readonly<Record<string, string>>;

/** What several providers say, in the words of a support person. */
export const NO_MAILBOX = 'There is no mailbox with this address.';
export const ADDRESS_BLOCKED =
  'The provider sends nothing to this address any more, since earlier emails to it bounced or were marked as spam.';
export const MAILBOX_NOT_READY = 'The mailbox could not take the email. It may be full or out of order.';
export const TAKEN_FOR_SPAM = 'The customer’s mail server took the email for spam, or for a danger.';
export const EMAIL_TOO_LARGE = 'The email was too large for the customer’s mail server.';
export const NOT_ACCEPTED = 'The provider did not accept the message as it was.';
export const NOT_SET_UP =
  'The account or the sender at the provider was not ready. The operator of this service puts that right.';
export const BAD_NUMBER = 'The number is not a valid mobile number.';
export const LANDLINE = 'The number is a landline, which takes no SMS.';
export const FILTERED = 'The carrier took the message for spam.';
export const TOO_LONG = 'The message was too long.';
export const ON_TRIAL = 'The account at the provider is on trial, and reaches only numbers on its list.';
export const COUNTRY_CLOSED = 'The account at the provider may not send to this country.';
export const OUTSIDE_WINDOW =
  'The customer had not written within a day, so WhatsApp took only approved wording.';
export const WORDING_FILLED_WRONGLY = 'The approved wording was filled in wrongly.';
export const AGAINST_POLICY = 'WhatsApp refuses the message for its policy.';

/** Error codes for carrier failures that are the same for every provider. */
export const CARRIER_WORDS = {
  handset_unreachable: 'The phone was off or out of reach.',
  unknown_handset: 'The number is not in use.',
  blocked: 'The carrier or the phone blocks such messages.',
  landline: LANDLINE,
  filtered: FILTERED,
  carrier_error: 'The carrier failed, and did not say why.',
} as const satisfies CodeWords;

/** What a refusal says whatever its code; null: nothing in particular. */
export const REFUSAL_WORDS = {
  busy: 'The provider was busy.',
  over_limits: 'The provider took no more messages for now.',
  message: null,
  address: NO_MAILBOX,
  not_on_whatsapp: 'The number is not on WhatsApp.',
  stopped: 'The customer has stopped messages from this sender.',
  capped: 'WhatsApp limits such messages to this customer for now.',
  template: 'The wording is not approved at the moment.',
} as const satisfies Record<Refusal, string | null>;
