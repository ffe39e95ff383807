import type { Channel, PaidChannel } from '../contract/channels.ts';
import type { TimelineKind } from '../contract/timeline.ts';
import { DEFAULT_LANGUAGE } from '../language/languages.ts';
import { wordsIn } from '../language/words.ts';
import type { EmailSkip, PaidSkip } from '../nudges/gates.ts';
import type { CancelReason } from '../usage/counters.ts';

type MessageGone = 'message_retracted' | 'message_obsolete';
type EmailSkipped = EmailSkip | 'daily_cap_reached' | MessageGone;
/** Each paid channel is switched off under its own name. */
type PaidSkipped<Own extends PaidChannel> =
  | Exclude<PaidSkip, `${Exclude<PaidChannel, Own>}_${string}`>
  | MessageGone
  | (Own extends 'sms' ? 'sms_warmup_cap_reached' : never);

/** For each kind, the channels it happens on, and the reasons that have their own words there. */
interface Reasons {
  planned: { email: never; sms: 'unread'; whatsapp: 'unread' };
  skipped: { email: EmailSkipped; sms: PaidSkipped<'sms'>; whatsapp: PaidSkipped<'whatsapp'> };
  armed: { sms: 'fallback'; whatsapp: never };
  rescheduled: { sms: 'email_not_out'; whatsapp: 'email_not_out' };
  cancelled: {
    email: MessageGone | 'superseded';
    sms: CancelReason;
    whatsapp: Exclude<CancelReason, 'whatsapp_sufficed' | 'not_needed'>;
  };
  submitted: { email: never; sms: never; whatsapp: never };
  retried: { email: never; sms: never; whatsapp: never };
  accepted: { email: never; sms: never; whatsapp: never };
  delivered: { email: never; sms: never; whatsapp: never };
  read: { whatsapp: never };
  bounced: { email: never };
  complained: { email: never };
  failed: {
    email: 'esp_refused' | 'retries_exhausted' | 'outcome_unknown';
    sms: 'sms.submit_outcome_unknown';
    whatsapp: 'whatsapp.submit_outcome_unknown';
  };
  rejected: {
    sms: 'sms.never_submitted' | 'platform_limited' | 'stopped';
    whatsapp:
      | 'whatsapp.never_submitted'
      | 'platform_limited'
      | 'stopped'
      | 'not_reachable'
      | 'template_not_sendable';
  };
  fallback_sent: { sms: never };
  resent: { sms: never; whatsapp: never };
  credits_reserved: { sms: never; whatsapp: never };
  credits_charged: { sms: never; whatsapp: never };
  credits_refunded: { sms: never; whatsapp: never };
  credits_released: { sms: never; whatsapp: never };
}

type OfMessage = Exclude<TimelineKind, keyof Reasons>;

/** A kind and its channel, where both can occur together. */
export type Happening =
  | { kind: OfMessage; channel: null }
  | { [Kind in keyof Reasons]: { kind: Kind; channel: keyof Reasons[Kind] & Channel } }[keyof Reasons];

type Words = { readonly [Kind in OfMessage]: string } & {
  readonly [Kind in keyof Reasons]: {
    readonly [On in keyof Reasons[Kind]]: Readonly<
      Record<Extract<Reasons[Kind][On], string> | 'other', string>
    >;
  };
};

/** What a sentence says besides its reason. */
export interface TimelineDetails {
  credits: number | null;
  /** How long before its deadline the message was opened. */
  minutesBefore: number | null;
  /** The new deadline of a send that waited for its email. */
  deadline: Date | null;
}

/** What `{…}` in a sentence stands for. */
interface Values {
  /** `2 credits`. */
  credits: string;
  /** ` 12 minutes before its deadline`, or nothing. */
  before: string;
  /** `20 Aug 2026, 09:20 UTC`. */
  deadline: string;
}

const plain = (other: string) => ({ other });

const emailSkips = {
  business_inactive: 'No email: the account is not active.',
  sending_paused: 'No email: sending was paused for this account.',
  plan_lapsed: 'No email: the plan has lapsed.',
  unsubscribed: 'No email: the customer has unsubscribed.',
  suppressed: 'No email: an earlier email to the customer bounced or was marked as spam.',
  platform_suppressed: 'No email: the customer’s address is known not to work.',
  daily_cap_reached: 'No email: the day’s limit of emails was reached.',
  message_retracted: 'No email: the message was retracted first.',
  message_obsolete: 'No email: a newer message replaced this one first.',
  other: 'No email was sent.',
};

const paidSkips = (noun: string, those: string) => ({
  sending_paused: `No ${noun}: sending was paused for this account.`,
  disabled_by_request: `No ${noun}: the push asked for other channels.`,
  unsubscribed: `No ${noun}: the customer has unsubscribed.`,
  no_phone: `No ${noun}: the customer’s number is not known.`,
  phone_conflict: `No ${noun}: the number in the push belongs to another customer.`,
  stopped: `No ${noun}: the customer has stopped ${those}.`,
  not_opted_in: `No ${noun}: the customer has not agreed to ${those}.`,
  not_reachable: `No ${noun}: the customer’s number cannot be reached.`,
  template_not_sendable: `No ${noun}: no approved wording fits this message.`,
  country_not_allowed: `No ${noun}: the country of the customer’s number is not allowed.`,
  insufficient_credit: `No ${noun}: there was not enough credit.`,
  rate_limited: `No ${noun}: the customer had too many messages within an hour.`,
  platform_limited: `No ${noun}: the provider’s limits were reached.`,
  message_retracted: `No ${noun}: the message was retracted first.`,
  message_obsolete: `No ${noun}: a newer message replaced this one first.`,
  other: `No ${noun} was sent.`,
});

const replaced = {
  email: 'A newer email took the place of this one.',
  sms: 'A newer text took the place of this one.',
  whatsapp: 'A newer WhatsApp message took the place of this one.',
};

const cancelledPaid = (noun: string, superseded: string) => ({
  message_retracted: `No ${noun}: the message was retracted first.`,
  message_obsolete: `No ${noun}: a newer message replaced this one first.`,
  superseded,
  opened_first: `No ${noun}: the customer opened the message{before}.`,
  other: `The ${noun} was cancelled.`,
});

const rescheduled = (noun: string) => ({
  email_not_out: `The ${noun}’s deadline came before the email had gone out, so it waits for the email.`,
  other: `The ${noun}’s deadline moved to {deadline}, because the email had not gone out.`,
});

const credits = (said: (noun: string) => string) => ({
  sms: plain(`{credits} ${said('text')}.`),
  whatsapp: plain(`{credits} ${said('WhatsApp message')}.`),
});

/** A sentence for every kind, channel and reason. A combination that is missing does not compile. */
const words: Words = {
  pushed: 'The message was pushed.',
  updated: 'The message was updated.',
  obsoleted: 'A newer message replaced this one.',
  retracted: 'The message was retracted.',
  opened: 'The customer opened the message.',
  planned: {
    email: plain('An email to the customer was planned.'),
    sms: {
      unread: 'The message was still unread at its deadline, so a text was planned.',
      other: 'A text to the customer was planned.',
    },
    whatsapp: {
      unread: 'The message was still unread at its deadline, so a WhatsApp message was planned.',
      other: 'A WhatsApp message to the customer was planned.',
    },
  },
  skipped: {
    email: emailSkips,
    sms: {
      ...paidSkips('text', 'texts'),
      sms_not_enabled: 'No text: texts are not set up for this account.',
      sms_disabled: 'No text: texts are switched off for this account.',
      sms_warmup_cap_reached: 'No text: the day’s limit of texts for a new account was reached.',
    },
    whatsapp: {
      ...paidSkips('WhatsApp message', 'WhatsApp messages'),
      whatsapp_not_enabled: 'No WhatsApp message: WhatsApp is not set up for this account.',
      whatsapp_disabled: 'No WhatsApp message: WhatsApp is switched off for this account.',
    },
  },
  armed: {
    sms: {
      fallback: 'A text was held back, to go only if the WhatsApp message fails.',
      other: 'A text was held back, to go only if the message stays unread.',
    },
    whatsapp: plain('A WhatsApp message was held back, to go only if the message stays unread.'),
  },
  rescheduled: {
    sms: rescheduled('text'),
    whatsapp: rescheduled('WhatsApp message'),
  },
  cancelled: {
    email: {
      message_retracted: 'No email: the message was retracted first.',
      message_obsolete: 'No email: a newer message replaced this one first.',
      superseded: replaced.email,
      other: 'The email was cancelled.',
    },
    sms: {
      ...cancelledPaid('text', replaced.sms),
      whatsapp_sufficed: 'No text: the WhatsApp message arrived.',
      not_needed: 'No text: the WhatsApp message that it would have stood in for was not sent.',
    },
    whatsapp: cancelledPaid('WhatsApp message', replaced.whatsapp),
  },
  submitted: {
    email: plain('The email was handed to the provider.'),
    sms: plain('The text was handed to the provider.'),
    whatsapp: plain('The WhatsApp message was handed to the provider.'),
  },
  retried: {
    email: plain('The provider did not take the email; it is tried again.'),
    sms: plain('The provider did not take the text; it is tried again.'),
    whatsapp: plain('The provider did not take the WhatsApp message; it is tried again.'),
  },
  accepted: {
    email: plain('The provider accepted the email.'),
    sms: plain('The provider accepted the text.'),
    whatsapp: plain('The provider accepted the WhatsApp message.'),
  },
  delivered: {
    email: plain('The email was delivered.'),
    sms: plain('The text was delivered.'),
    whatsapp: plain('The WhatsApp message was delivered.'),
  },
  read: { whatsapp: plain('The customer read the WhatsApp message.') },
  bounced: { email: plain('The email bounced: the customer’s address did not take it.') },
  complained: { email: plain('The customer marked the email as spam.') },
  failed: {
    email: {
      esp_refused: 'The provider refused the email.',
      retries_exhausted: 'The email could not be handed to the provider and is not tried again.',
      outcome_unknown:
        'The provider did not answer: the email may or may not have gone out, and is not sent again.',
      other: 'The email could not be delivered.',
    },
    sms: {
      'sms.submit_outcome_unknown':
        'The provider did not answer: the text may or may not have gone out, and is not sent again.',
      other: 'The text could not be delivered.',
    },
    whatsapp: {
      'whatsapp.submit_outcome_unknown':
        'The provider did not answer: the WhatsApp message may or may not have gone out, and is not sent again.',
      other: 'The WhatsApp message could not be delivered.',
    },
  },
  rejected: {
    sms: {
      'sms.never_submitted': 'The text could not be handed to the provider and is not tried again.',
      platform_limited: 'The provider refused the text: its limits were reached.',
      stopped: 'The provider refused the text: the customer has stopped texts.',
      other: 'The provider refused the text.',
    },
    whatsapp: {
      'whatsapp.never_submitted':
        'The WhatsApp message could not be handed to the provider and is not tried again.',
      platform_limited: 'The provider refused the WhatsApp message: its limits were reached.',
      stopped: 'The provider refused the WhatsApp message: the customer has stopped them.',
      not_reachable: 'The provider refused the WhatsApp message: the customer’s number is not on WhatsApp.',
      template_not_sendable: 'The provider refused the WhatsApp message: its wording is not approved.',
      other: 'The provider refused the WhatsApp message.',
    },
  },
  fallback_sent: {
    sms: plain('A text takes the place of the WhatsApp message, which did not reach the customer.'),
  },
  resent: {
    sms: plain('The text was asked for again.'),
    whatsapp: plain('The WhatsApp message was asked for again.'),
  },
  credits_reserved: credits((noun) => `set aside for the ${noun}`),
  credits_charged: credits((noun) => `charged for the ${noun}`),
  credits_refunded: credits((noun) => `given back: the ${noun} did not go out`),
  credits_released: credits((noun) => `no longer set aside: the ${noun} does not go out`),
};

/** The sentence of a timeline item. A reason without words of its own gets the general ones. */
export function timelineSentence(
  { kind, channel }: Happening,
  reason: string | null,
  { credits = null, minutesBefore = null, deadline = null }: Partial<TimelineDetails> = {},
): string {
  const entry: string | Readonly<Record<string, Readonly<Record<string, string>>>> = words[kind];
  const sentence = typeof entry === 'string' ? entry : pick(entry[channel ?? ''] ?? {}, reason);
  const values: Values = {
    credits: credits === 1 ? '1 credit' : `${credits} credits`,
    before: minutesBefore === null ? '' : ` ${spell(minutesBefore)} before its deadline`,
    deadline: deadline === null ? '' : wordsIn(DEFAULT_LANGUAGE).moment(deadline),
  };
  return sentence
    .replace('{credits}', values.credits)
    .replace('{before}', values.before)
    .replace('{deadline}', values.deadline);
}

const pick = (sentences: Readonly<Record<string, string>>, reason: string | null): string =>
  (reason !== null && Object.hasOwn(sentences, reason) ? sentences[reason] : sentences.other) ?? '';

const spell = (minutes: number): string =>
  minutes < 1 ? 'less than a minute' : minutes === 1 ? '1 minute' : `${minutes} minutes`;
