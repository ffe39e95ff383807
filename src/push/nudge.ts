import { type PaidChannel, type Wish, wishFor } from '../contract/channels.ts';
import type { EmailOutcome, SmsOutcome, WhatsappOutcome } from '../contract/push.ts';
import { later, MINUTE } from '../kit/clock.ts';
import { priceIn } from '../nudges/facts.ts';
import {
  cannotCarry,
  isConsidered,
  type PaidAsk,
  type PaidSkip,
  type PersonFacts,
  type TemplateState,
  whyNoEmail,
  whyNoPaid,
} from '../nudges/gates.ts';
import { waitsUntil } from '../nudges/quietHours.ts';
import { chooseTemplate, type TemplateReviews } from '../templates/choice.ts';
import type { PushRequest } from './request.ts';
import type { BusinessState } from './snapshot.ts';

/** A send that this push adds. A `held` one waits for its deadline or for WhatsApp to fail. */
export interface PlannedSend {
  channel: 'email' | PaidChannel;
  purpose: 'nudge' | 'fallback';
  state: 'queued' | 'held' | 'skipped';
  reason: string | null;
  dueAt: Date | null;
  /** When it would be due but for quiet hours; null: they do not defer it. */
  deferredFrom: Date | null;
  credits: number;
  reserved: boolean;
  country: string | null;
  escalateMinutes: number | null;
}

export interface Nudge {
  email: EmailOutcome;
  sms: SmsOutcome | null;
  whatsapp: WhatsappOutcome | null;
  sends: PlannedSend[];
  /** Credits to reserve for the queued sends. */
  setAside: number;
}

interface NudgeContext {
  request: PushRequest;
  business: BusinessState;
  person: PersonFacts;
  phoneTaken: boolean;
  rateLimited: boolean;
  prices: ReadonlyMap<string, number>;
  /** The recipient's tag; null: not known. */
  language: string | null;
  reviews: TemplateReviews;
  now: Date;
}

/** Plans the sends of a push on each channel, and the blocks of its response (interface 2.1, 2.3). */
export function planNudge(context: NudgeContext): Nudge {
  const { request } = context;
  const email = emailSend(context);
  const sends = [email];
  const balance = { spendable: context.business.spendable };

  let sms = ownPaid(context, 'sms', balance);
  let whatsapp = ownPaid(context, 'whatsapp', balance);
  if (sms?.send) sends.push(sms.send);
  if (whatsapp?.send) sends.push(whatsapp.send);

  let smsFallback = false;
  if (request.smsIfWhatsappFails && whatsapp !== null && !sms?.send) {
    const unable = whatsapp.reason !== null && cannotCarry(whatsapp.reason, templateOf(context));
    if (whatsapp.send) {
      smsFallback = fallbackMayFollow(context);
      if (smsFallback) sends.push(heldFallback(context));
    } else if (unable && request.escalateMinutes !== null) {
      smsFallback = fallbackMayFollow(context);
      if (smsFallback) {
        const send = armed(context, 'whatsapp', request.escalateMinutes);
        whatsapp = { reason: null, send };
        sends.push(send, heldFallback(context));
      }
    } else if (unable) {
      sms = paid(context, 'sms', 'named', balance, 'fallback');
      if (sms.send) sends.push(sms.send);
    }
  }

  return {
    email: { sending: email.reason === null, skipped_reason: email.reason },
    sms: sms && block(sms),
    whatsapp: whatsapp && { ...block(whatsapp), sms_fallback: smsFallback },
    sends,
    setAside: sends.reduce((sum, send) => sum + (send.reserved ? send.credits : 0), 0),
  };
}

const FREE_NUDGE = {
  purpose: 'nudge',
  reason: null,
  dueAt: null,
  deferredFrom: null,
  credits: 0,
  reserved: false,
  country: null,
  escalateMinutes: null,
} as const satisfies Partial<PlannedSend>;

function emailSend({ request, business, person, now }: NudgeContext): PlannedSend {
  const reason = whyNoEmail(business.account, person);
  return {
    ...FREE_NUDGE,
    channel: 'email',
    state: reason === null ? 'queued' : 'skipped',
    reason,
    dueAt: reason === null ? (request.sendAt ?? now) : null,
  };
}

interface Paid {
  reason: PaidSkip | null;
  send: PlannedSend | null;
}

/** The paid channel as the push requests it, without fallbacks; null: the response has no block for it. */
function ownPaid(context: NudgeContext, channel: PaidChannel, balance: { spendable: number }): Paid | null {
  const wish = wishFor(channel, context.request.channels);
  if (!isConsidered(context.business.account.modes[channel], wish)) return null;
  return paid(context, channel, wish, balance, 'nudge');
}

function paid(
  context: NudgeContext,
  channel: PaidChannel,
  wish: Wish,
  balance: { spendable: number },
  purpose: PlannedSend['purpose'],
): Paid {
  const { request, business, person, now } = context;
  const ask = paidAsk(context, channel, wish, balance.spendable);
  const reason = whyNoPaid(business.account, person, ask);
  if (request.escalateMinutes !== null && judgedAtDeadline(reason)) {
    return { reason: null, send: armed(context, channel, request.escalateMinutes) };
  }
  if (reason !== null) return { reason, send: null };
  balance.spendable -= ask.price;
  const due = outsideQuietHours(context, request.sendAt ?? now);
  const costs = { credits: ask.price, reserved: true, country: person.country };
  return { reason: null, send: { ...FREE_NUDGE, channel, purpose, state: 'queued', ...due, ...costs } };
}

/** Credit and rate limits can change before the deadline, so they are checked then; other reasons refuse the send now. */
const judgedAtDeadline = (reason: PaidSkip | null): boolean =>
  reason === null || reason === 'insufficient_credit' || reason === 'rate_limited';

const armed = (context: NudgeContext, channel: PaidChannel, minutes: number): PlannedSend => ({
  ...held(context, channel),
  ...outsideQuietHours(context, deadline(context, minutes)),
  escalateMinutes: minutes,
});

/** Has no deadline: the outcome of the WhatsApp send sets one. */
const heldFallback = (context: NudgeContext): PlannedSend => ({
  ...held(context, 'sms'),
  purpose: 'fallback',
});

const held = (context: NudgeContext, channel: PaidChannel): PlannedSend => ({
  ...FREE_NUDGE,
  channel,
  state: 'held',
  credits: priceOf(context),
  country: context.person.country,
});

/** The fallback counts as naming SMS in `channels`, and reserves no credits until it is released. */
function fallbackMayFollow(context: NudgeContext): boolean {
  const ask = paidAsk(context, 'sms', 'named', context.business.spendable);
  return judgedAtDeadline(whyNoPaid(context.business.account, context.person, ask));
}

const paidAsk = (context: NudgeContext, channel: PaidChannel, wish: Wish, spendable: number): PaidAsk => ({
  channel,
  wish,
  phoneTaken: context.phoneTaken,
  templateSendable: templateOf(context) === 'sendable',
  price: priceOf(context),
  spendable,
  rateLimited: context.rateLimited,
});

const templateOf = ({
  request: { reference, orderStatus },
  business: { name: businessName, language: ofBusiness },
  language,
  reviews,
}: NudgeContext): TemplateState =>
  chooseTemplate({ businessName, reference, orderStatus, language, ofBusiness }, reviews).state;

const priceOf = ({ person, prices }: NudgeContext): number => priceIn(person.country, prices);

/** Minutes count from the email: from send_at if set, otherwise from the push. */
const deadline = ({ request, now }: NudgeContext, minutes: number): Date =>
  later(request.sendAt ?? now, minutes * MINUTE);

function outsideQuietHours(
  { business, person: { country }, request: { orderStatus } }: NudgeContext,
  at: Date,
) {
  const until = waitsUntil(business, { country, orderStatus }, at);
  return until === null ? { dueAt: at, deferredFrom: null } : { dueAt: until, deferredFrom: at };
}

const block = ({ reason, send }: Paid): SmsOutcome => ({
  queued: send?.state === 'queued',
  credits: send?.state === 'queued' ? send.credits : 0,
  skipped_reason: reason,
  escalates_at: send?.state === 'held' ? (send.dueAt?.toISOString() ?? null) : null,
});
