import type { Channel } from './channels.ts';
import { type AccountFacts, type PaidSkip, type PersonFacts, whyNoEmail, whyNoPaid } from './gates.ts';

/** A send whose time has come, and all that may still stop it. The gates of the push are asked again, with what holds now. */
export interface Running {
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
export function whyNotNow(running: Running): StopReason | null {
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
}: Running): string | null {
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
