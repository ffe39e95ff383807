import { NEVER_TEXTED } from '../config/limits.ts';
import type { Channel, Mode, PaidChannel, Wish } from '../contract/channels.ts';

/**
 * The rules that stop a nudge, as pure functions over plain facts. The same functions judge a push when it is
 * accepted and the send again when it runs; the order of the lines is the order in which reasons are reported.
 */
export interface AccountFacts {
  active: boolean;
  paused: boolean;
  planLapsed: boolean;
  modes: Record<PaidChannel, Mode>;
  /** Emails leave from a sender of the business's own, not from the shared sending domain. */
  ownEmailSender: boolean;
  /** Null: every country but those nobody may text. */
  countries: readonly string[] | null;
}

export interface PersonFacts {
  unsubscribed: boolean;
  /** Proved undeliverable, or complained, with this business. */
  suppressed: boolean;
  /** Proved undeliverable by another business. */
  platformSuppressed: boolean;
  country: string | null;
  stopped: Record<PaidChannel, boolean>;
  whatsappOptedIn: boolean;
  notOnWhatsapp: boolean;
}

export interface PaidAsk {
  channel: PaidChannel;
  wish: Wish;
  /** The push brought a number that another recipient of the business has. */
  phoneTaken: boolean;
  /** WhatsApp: the push can be put into a template that may be sent. */
  templateSendable: boolean;
  /** Credits this message costs, and what is free to be set aside for it. */
  price: number;
  spendable: number;
  /** More paid messages to this person in an hour than the operator allows. */
  rateLimited: boolean;
}

export type EmailSkip =
  | 'business_inactive'
  | 'sending_paused'
  | 'plan_lapsed'
  | 'unsubscribed'
  | 'suppressed'
  | 'platform_suppressed';

export type PaidSkip =
  | 'sending_paused'
  | 'sms_not_enabled'
  | 'whatsapp_not_enabled'
  | 'sms_disabled'
  | 'whatsapp_disabled'
  | 'disabled_by_request'
  | 'unsubscribed'
  | 'no_phone'
  | 'phone_conflict'
  | 'stopped'
  | 'not_opted_in'
  | 'not_reachable'
  | 'template_not_sendable'
  | 'country_not_allowed'
  | 'insufficient_credit'
  | 'rate_limited'
  | 'platform_limited';

/** The first reason that stops an email, or null. The balance plays no part: email is unaffected by it. */
export function whyNoEmail(account: AccountFacts, person: PersonFacts): EmailSkip | null {
  if (!account.active) return 'business_inactive';
  if (account.paused) return 'sending_paused';
  if (account.planLapsed) return 'plan_lapsed';
  if (person.unsubscribed) return 'unsubscribed';
  return whySuppressed(account, person);
}

/** What an address did to the reputation of the domain that would write to it: the shared one is guarded for everybody. */
export function whySuppressed(
  account: AccountFacts,
  person: PersonFacts,
): Extract<EmailSkip, 'suppressed' | 'platform_suppressed'> | null {
  if (person.suppressed) return 'suppressed';
  if (person.platformSuppressed && !account.ownEmailSender) return 'platform_suppressed';
  return null;
}

/** The first reason that stops a text or a WhatsApp message, or null. */
export function whyNoPaid(account: AccountFacts, person: PersonFacts, ask: PaidAsk): PaidSkip | null {
  const { channel } = ask;
  if (account.paused) return 'sending_paused';
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

/** Some countries are never texted, whatever the settings, and get WhatsApp only where the account names them. */
export function countryAllowed(account: AccountFacts, channel: PaidChannel, country: string): boolean {
  const never: readonly string[] = NEVER_TEXTED;
  if (never.includes(country))
    return channel === 'whatsapp' && account.countries !== null && account.countries.includes(country);
  return account.countries === null || account.countries.includes(country);
}

/**
 * Whether a channel has an outcome worth reporting at all: not when the push did not name it and the account has
 * it off, not enabled, or on request.
 */
export const isConsidered = (mode: Mode, wish: Wish): boolean => wish === 'named' || mode === 'on';

/** A send whose time has come, and all that may still stop it. The gates of the push are asked again, with what holds now. */
export interface DueSend {
  channel: Channel;
  messageStatus: 'active' | 'obsolete' | 'retracted';
  account: AccountFacts;
  person: PersonFacts;
  template: TemplateState;
  price: number;
  spendable: number;
  /** What is left of the operator's hourly limit for this person, the day's emails, the day's warm-up texts. Null: no limit. */
  left: { paidThisHour: number | null; emailsToday: number | null; textsToday: number | null };
}

/** Why a WhatsApp message cannot be put into words at all, as against a template that is merely still in review. */
export type TemplateState = 'sendable' | 'in_review' | 'impossible';

export interface StopReason {
  reason: string;
  /** WhatsApp cannot carry this message at all: a fallback that was asked for texts now. */
  textInstead: boolean;
}

/** The first reason not to send this now, or null. Whatever it is, it is final for this send. */
export function whyNotNow(running: DueSend): StopReason | null {
  const reason = reasonNotNow(running);
  if (reason === null) return null;
  return { reason, textInstead: running.channel === 'whatsapp' && cannotCarry(reason, running.template) };
}

function reasonNotNow({
  channel,
  messageStatus,
  account,
  person,
  template,
  price,
  spendable,
  left,
}: DueSend): string | null {
  if (messageStatus === 'retracted') return 'message_retracted';
  if (messageStatus === 'obsolete') return 'message_obsolete';
  if (channel === 'email') {
    return whyNoEmail(account, person) ?? (usedUp(left.emailsToday) ? 'daily_cap_reached' : null);
  }
  // The interface has no paid reason of its own for a deactivated account: nothing at all is sent for one.
  if (!account.active) return 'sending_paused';
  const stopped = whyNoPaid(account, person, {
    channel,
    wish: 'named',
    phoneTaken: false,
    templateSendable: template === 'sendable',
    price,
    spendable,
    rateLimited: usedUp(left.paidThisHour),
  });
  return stopped ?? (channel === 'sms' && usedUp(left.textsToday) ? 'sms_warmup_cap_reached' : null);
}

const usedUp = (left: number | null): boolean => left !== null && left <= 0;

/** The number is known not to be on WhatsApp, or there are no words for the message: a text can, WhatsApp cannot. */
export const cannotCarry = (reason: PaidSkip | string, template: TemplateState): boolean =>
  reason === 'not_reachable' || (reason === 'template_not_sendable' && template === 'impossible');
