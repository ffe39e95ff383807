import { NEVER_TEXTED } from '../config/limits.ts';
import type { Channel, Mode, PaidChannel, Wish } from '../contract/channels.ts';
import type { emailSkips, paidSkips } from '../contract/reasons.ts';

/**
 * The gates: pure functions that can refuse a nudge. The same functions run when a push is accepted and again when its send
 * is due. The order of the lines decides which reason is reported.
 */
export interface AccountFacts {
  active: boolean;
  paused: boolean;
  planLapsed: boolean;
  modes: Record<PaidChannel, Mode>;
  /** Whether the business sends emails from its own address instead of the shared sending domain. */
  ownEmailSender: boolean;
  /** Null: every country except those that are never texted. */
  countries: readonly string[] | null;
}

export interface PersonFacts {
  unsubscribed: boolean;
  /** The address bounced or complained with this business. */
  suppressed: boolean;
  /** The address bounced on the shared sending domain, with any business. */
  platformSuppressed: boolean;
  country: string | null;
  stopped: Record<PaidChannel, boolean>;
  whatsappOptedIn: boolean;
  notOnWhatsapp: boolean;
}

export interface PaidAsk {
  channel: PaidChannel;
  wish: Wish;
  /** The number in the push belongs to another recipient of the business. */
  phoneTaken: boolean;
  /** WhatsApp: an approved template fits the push. */
  templateSendable: boolean;
  /** The credits for this message, and the credits that can be reserved for it. */
  price: number;
  spendable: number;
  /** The person has had as many paid messages in the last hour as the operator allows. */
  rateLimited: boolean;
}

export type EmailSkip = (typeof emailSkips)[number];
export type PaidSkip = (typeof paidSkips)[number];

/** The first reason to refuse an email, or null. The balance does not matter, since emails are free. */
export function whyNoEmail(account: AccountFacts, person: PersonFacts): EmailSkip | null {
  if (!account.active) return 'business_inactive';
  if (account.paused) return 'sending_paused';
  if (account.planLapsed) return 'plan_lapsed';
  if (person.unsubscribed) return 'unsubscribed';
  return whySuppressed(account, person);
}

/** Mail to a bad address harms the sending domain's reputation; on the shared domain, it would harm every business. */
export function whySuppressed(
  account: AccountFacts,
  person: PersonFacts,
): Extract<EmailSkip, 'suppressed' | 'platform_suppressed'> | null {
  if (person.suppressed) return 'suppressed';
  if (person.platformSuppressed && !account.ownEmailSender) return 'platform_suppressed';
  return null;
}

/** The first reason to refuse a text or a WhatsApp message, or null. */
export function whyNoPaid(account: AccountFacts, person: PersonFacts, ask: PaidAsk): PaidSkip | null {
  const { channel } = ask;
  // The interface has no reason for paid sends of a deactivated account, so it reports this one.
  if (account.paused || !account.active) return 'sending_paused';
  if (account.modes[channel] === 'not_enabled') return `${channel}_not_enabled`;
  if (account.modes[channel] === 'off') return `${channel}_disabled`;
  if (ask.wish === 'left_out') return 'disabled_by_request';
  if (person.unsubscribed) return 'unsubscribed';
  if (ask.phoneTaken) return 'phone_conflict';
  if (person.country === null) return 'no_phone';
  if (person.stopped[channel]) return 'stopped';
  if (channel === 'whatsapp') {
    if (!person.whatsappOptedIn) return 'not_opted_in';
    if (person.notOnWhatsapp) return 'not_reachable';
    if (!ask.templateSendable) return 'template_not_sendable';
  }
  if (!countryAllowed(account, channel, person.country)) return 'country_not_allowed';
  if (ask.spendable < ask.price) return 'insufficient_credit';
  if (ask.rateLimited) return 'rate_limited';
  return null;
}

/** Some countries are never texted, whatever the settings, and get WhatsApp messages only if the account lists them. */
export function countryAllowed(
  account: Pick<AccountFacts, 'countries'>,
  channel: PaidChannel,
  country: string,
): boolean {
  const never: readonly string[] = NEVER_TEXTED;
  if (never.includes(country))
    return channel === 'whatsapp' && account.countries !== null && account.countries.includes(country);
  return account.countries === null || account.countries.includes(country);
}

/** Whether the response reports on the channel: only if the push names it or the account has it `on`. */
export const isConsidered = (mode: Mode, wish: Wish): boolean => wish === 'named' || mode === 'on';

/** A due send with the current facts: the gates of its push run again. */
export interface DueSend {
  channel: Channel;
  messageStatus: 'active' | 'obsolete' | 'retracted';
  account: AccountFacts;
  person: PersonFacts;
  template: TemplateState;
  price: number;
  spendable: number;
  /** What is left of the person's hourly limit, the daily email cap and the daily warm-up cap for texts; null: no limit. */
  left: { paidThisHour: number | null; emailsToday: number | null; textsToday: number | null };
}

/** `impossible`: no template fits the push. `in_review`: one does, but it is not approved yet. */
export type TemplateState = 'sendable' | 'in_review' | 'impossible';

export interface StopReason {
  reason: string;
  /** WhatsApp cannot carry this message at all, so a requested fallback text is sent now. */
  textInstead: boolean;
}

/** The first reason not to send this now, or null. A reason is final: the send is skipped, not delayed. */
export function whyNotNow(running: DueSend): StopReason | null {
  const reason = reasonNotNow(running);
  if (reason === null) return null;
  return { reason, textInstead: running.channel === 'whatsapp' && cannotCarry(reason, running.template) };
}

function reasonNotNow(send: DueSend): string | null {
  const { channel, account, person, left } = send;
  if (send.messageStatus === 'retracted') return 'message_retracted';
  if (send.messageStatus === 'obsolete') return 'message_obsolete';
  if (channel === 'email') {
    return whyNoEmail(account, person) ?? (usedUp(left.emailsToday) ? 'daily_cap_reached' : null);
  }
  const stopped = whyNoPaid(account, person, {
    ...send,
    channel,
    wish: 'named',
    phoneTaken: false,
    templateSendable: send.template === 'sendable',
    rateLimited: usedUp(left.paidThisHour),
  });
  return stopped ?? (channel === 'sms' && usedUp(left.textsToday) ? 'sms_warmup_cap_reached' : null);
}

const usedUp = (left: number | null): boolean => left !== null && left <= 0;

/** The number is not on WhatsApp, or no template fits the message; a text can still be sent. */
export const cannotCarry = (reason: PaidSkip | string, template: TemplateState): boolean =>
  reason === 'not_reachable' || (reason === 'template_not_sendable' && template === 'impossible');
