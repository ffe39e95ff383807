import type { Channel, PaidChannel } from '../contract/channels.ts';
import type { TimelineKind } from '../contract/messages.ts';
import type { emailDeliverySkips, messageGone, paidDeliverySkips } from '../contract/reasons.ts';
import { DEFAULT_LANGUAGE } from '../language/languages.ts';
import { wordsIn } from '../language/words.ts';
import { momentIn } from '../nudges/localTime.ts';
import type { ProviderChoice } from '../outbox/record.ts';
import { providerTitle } from '../providers/titles.ts';
import type { CancelReason } from '../usage/counters.ts';

type MessageGone = (typeof messageGone)[number];
export type EmailSkipped = (typeof emailDeliverySkips)[number];
/** Each paid channel is switched off under its own name. */
export type PaidSkipped<Own extends PaidChannel> = Exclude<
  (typeof paidDeliverySkips)[number],
  `${Exclude<PaidChannel, Own>}_${string}`
>;

type Sentences<Reason extends string> = Readonly<Record<Reason | 'other', string>>;

/** What a sentence says besides its reason. */
export interface TimelineDetails {
  credits: number | null;
  /** How long before its deadline the message was opened. */
  minutesBefore: number | null;
  /** The new time of a send that waited for its email, or waits for the end of quiet hours. */
  deadline: Date | null;
  /** Whose clocks say that time; null: those of nobody. */
  country: string | null;
  /** The provider that was called, and how it was chosen. */
  by: (ProviderChoice & { provider: string }) | null;
}

const plain = (other: string) => ({ other });

export const sentenceCase = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** Said with its article, too: `an SMS`. */
const paid = <T>(words: (noun: string, one: string) => T): Record<PaidChannel, T> => ({
  sms: words('SMS', 'an SMS'),
  whatsapp: words('WhatsApp message', 'a WhatsApp message'),
});
const onPaid = (words: (noun: string, one: string) => string) => paid((noun, one) => plain(words(noun, one)));
const onAll = (words: (noun: string) => string) => ({ email: plain(words('email')), ...onPaid(words) });

const gone = (noun: string) => ({
  message_retracted: `No ${noun}: the message was retracted first.`,
  message_obsolete: `No ${noun}: a newer message replaced this one first.`,
});

const paidSkips = (noun: string, those: string) => ({
  ...gone(noun),
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
  other: `No ${noun} was sent.`,
});

const cancelledSend = (noun: string) => ({
  ...gone(noun),
  superseded: `A newer ${noun} took the place of this one.`,
  other: `The ${noun} was cancelled.`,
});
const openedFirst = (noun: string) => `No ${noun}: the customer opened the message{before}.`;

const heldBack = (one: string) => `${one} was held back, to go only if the message stays unread.`;
const noAnswer = (noun: string) =>
  `The outcome is unknown: the provider did not answer. The ${noun} may or may not have gone out, and is not sent again.`;
const undelivered = (noun: string) => `The ${noun} failed: it could not be delivered.`;
const neverSubmitted = (noun: string, end: 'failed' | 'was refused') =>
  `The ${noun} ${end}: it could not be handed to the provider and is not tried again.`;
const refused = (noun: string, why = '') => `The provider refused the ${noun}${why}.`;

const skipped = {
  none: {
    already_told: 'Nothing was sent for a tracking event: this message had told it already.',
    other: 'Nothing was sent.',
  },
  email: {
    ...gone('email'),
    business_inactive: 'No email: the account is not active.',
    sending_paused: 'No email: sending was paused for this account.',
    plan_lapsed: 'No email: the plan has lapsed.',
    unsubscribed: 'No email: the customer has unsubscribed.',
    suppressed: 'No email: an earlier email to the customer bounced or was marked as spam.',
    platform_suppressed: 'No email: the customer’s address is known not to work.',
    daily_cap_reached: 'No email: the day’s limit of emails was reached.',
    other: 'No email was sent.',
  },
  sms: {
    ...paidSkips('SMS', 'SMS messages'),
    sms_not_enabled: 'No SMS: SMS is not set up for this account.',
    sms_disabled: 'No SMS: SMS is switched off for this account.',
    sms_warmup_cap_reached: 'No SMS: the day’s limit of SMS messages for a new account was reached.',
  },
  whatsapp: {
    ...paidSkips('WhatsApp message', 'WhatsApp messages'),
    whatsapp_not_enabled: 'No WhatsApp message: WhatsApp is not set up for this account.',
    whatsapp_disabled: 'No WhatsApp message: WhatsApp is switched off for this account.',
  },
} satisfies {
  none: Sentences<'already_told'>;
  email: Sentences<EmailSkipped>;
  sms: Sentences<PaidSkipped<'sms'>>;
  whatsapp: Sentences<PaidSkipped<'whatsapp'>>;
};

const cancelled = {
  email: cancelledSend('email'),
  sms: {
    ...cancelledSend('SMS'),
    opened_first: openedFirst('SMS'),
    whatsapp_sufficed: 'No SMS: the WhatsApp message arrived.',
    not_needed: 'No SMS: the WhatsApp message that it would have stood in for was not sent.',
  },
  whatsapp: { ...cancelledSend('WhatsApp message'), opened_first: openedFirst('WhatsApp message') },
} satisfies {
  email: Sentences<MessageGone | 'superseded'>;
  sms: Sentences<CancelReason>;
  whatsapp: Sentences<Exclude<CancelReason, 'whatsapp_sufficed' | 'not_needed'>>;
};

const failed = {
  email: {
    esp_refused: refused('email'),
    retries_exhausted: neverSubmitted('email', 'failed'),
    outcome_unknown: noAnswer('email'),
    other: undelivered('email'),
  },
  sms: { 'sms.submit_outcome_unknown': noAnswer('SMS'), other: undelivered('SMS') },
  whatsapp: {
    'whatsapp.submit_outcome_unknown': noAnswer('WhatsApp message'),
    other: undelivered('WhatsApp message'),
  },
};

const rejected = {
  sms: {
    'sms.never_submitted': neverSubmitted('SMS', 'was refused'),
    platform_limited: refused('SMS', ': its limits were reached'),
    stopped: refused('SMS', ': the customer has stopped SMS messages'),
    other: refused('SMS'),
  },
  whatsapp: {
    'whatsapp.never_submitted': neverSubmitted('WhatsApp message', 'was refused'),
    platform_limited: refused('WhatsApp message', ': its limits were reached'),
    stopped: refused('WhatsApp message', ': the customer has stopped them'),
    not_reachable: refused('WhatsApp message', ': the customer’s number is not on WhatsApp'),
    template_not_sendable: refused('WhatsApp message', ': its wording is not approved'),
    other: refused('WhatsApp message'),
  },
};

/** A sentence for every kind, channel and reason. A kind, or a reason of a gate or a cancellation, that is missing does not compile. */
const words = {
  pushed: { none: { tracking: 'A tracking event made the message.', other: 'The message was pushed.' } },
  updated: { none: { tracking: 'A tracking event updated the message.', other: 'The message was updated.' } },
  obsoleted: 'A newer message replaced this one.',
  retracted: 'The message was retracted.',
  opened: 'The customer opened the message.',
  planned: {
    email: plain('An email to the customer was planned.'),
    ...paid((_, one) => ({
      unread: `The message was still unread at its deadline, so ${one} was planned.`,
      other: `${sentenceCase(one)} to the customer was planned.`,
    })),
  },
  skipped,
  armed: {
    sms: {
      fallback: 'An SMS was held back, to go only if the WhatsApp message fails.',
      other: heldBack('An SMS'),
    },
    whatsapp: plain(heldBack('A WhatsApp message')),
  },
  rescheduled: paid((noun) => ({
    email_not_out: `The ${noun}’s deadline came before the email had gone out, so it waits for the email.`,
    quiet_hours: `The ${noun} waits until {deadline}: quiet hours.`,
    other: `The ${noun}’s deadline moved to {deadline}, because the email had not gone out.`,
  })),
  cancelled,
  submitted: onAll((noun) => `The ${noun} was handed to {provider}.{choice}`),
  retried: onAll((noun) => `{Provider} did not take the ${noun}; it is tried again.`),
  accepted: onAll((noun) => `{Provider} accepted the ${noun}.`),
  delivered: onAll((noun) => `The ${noun} was delivered.`),
  read: { whatsapp: plain('The customer read the WhatsApp message.') },
  bounced: { email: plain('The email bounced: the customer’s address did not take it.') },
  complained: { email: plain('The customer marked the email as spam.') },
  failed,
  rejected,
  fallback_sent: {
    sms: plain('An SMS takes the place of the WhatsApp message, which did not reach the customer.'),
  },
  resent: onPaid((noun) => `The ${noun} was asked for again.`),
  credits_reserved: onPaid((noun) => `{credits} set aside for the ${noun}.`),
  credits_charged: onPaid((noun) => `{credits} charged for the ${noun}.`),
  credits_refunded: onPaid((noun) => `{credits} refunded: the ${noun} did not go out.`),
  credits_released: onPaid((noun) => `{credits} no longer set aside: the ${noun} does not go out.`),
} satisfies Record<
  TimelineKind,
  string | Partial<Record<Channel | 'none', { other: string; [reason: string]: string }>>
>;

type Words = typeof words;

/** A kind and its channel, where both can occur together; `none` in the words is no channel. */
export type Happening = {
  [Kind in TimelineKind]: {
    kind: Kind;
    channel: Words[Kind] extends string
      ? null
      : (keyof Words[Kind] & Channel) | ('none' extends keyof Words[Kind] ? null : never);
  };
}[TimelineKind];

/** The sentence of a timeline item. A reason without words of its own gets the general ones. */
export function timelineSentence(
  { kind, channel }: Happening,
  reason: string | null,
  {
    credits = null,
    minutesBefore = null,
    deadline = null,
    country = null,
    by = null,
  }: Partial<TimelineDetails> = {},
): string {
  const entry: string | Readonly<Record<string, Readonly<Record<string, string>>>> = words[kind];
  const sentence = typeof entry === 'string' ? entry : pick(entry[channel ?? 'none'] ?? {}, reason);
  const before = minutesBefore === null ? '' : ` ${spell(minutesBefore)} before its deadline`;
  return sentence
    .replace('{credits}', credits === 1 ? '1 credit' : `${credits} credits`)
    .replace('{before}', before)
    .replace('{deadline}', deadline === null ? '' : momentOf(deadline, country))
    .replace(/\{provider\}/i, (which) => providerIn(which === '{Provider}', by))
    .replace('{choice}', by === null ? '' : choiceIn(by));
}

/** In the sandbox there is no provider with a name. */
function providerIn(beginsSentence: boolean, by: TimelineDetails['by']): string {
  if (by !== null && by.provider !== SANDBOX) return providerTitle(by.provider);
  return beginsSentence ? 'The provider' : 'the provider';
}

const SANDBOX = 'sandbox';

function choiceIn({ chosen_because, passed_over }: ProviderChoice): string {
  switch (chosen_because) {
    case null:
      return '';
    case 'route':
      return ' SMS messages to this country go there first.';
    case 'traffic':
      return ' The provider before it in the order has trouble.';
    case 'next': {
      const before = (passed_over ?? []).map(({ provider }) => providerTitle(provider)).join(', then ');
      return ` ${before} took nothing.`;
    }
  }
}

const momentOf = (at: Date, country: string | null): string =>
  country === null ? wordsIn(DEFAULT_LANGUAGE).moment(at) : momentIn(country, at);

const pick = (sentences: Readonly<Record<string, string>>, reason: string | null): string =>
  (reason !== null && Object.hasOwn(sentences, reason) ? sentences[reason] : sentences.other) ?? '';

const spell = (minutes: number): string =>
  minutes < 1 ? 'less than a minute' : minutes === 1 ? '1 minute' : `${minutes} minutes`;
