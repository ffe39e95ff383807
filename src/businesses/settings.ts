import type { Channel, Mode } from '../contract/channels.ts';
import type { OrderStatus } from '../contract/orderStatuses.ts';
import type { TrackingStatus } from '../contract/orders.ts';
import { OperatorError } from '../kit/errors.ts';

export const PLANS = ['active', 'past_due', 'lapsed'] as const;
export type Plan = (typeof PLANS)[number];

/** How WhatsApp replies are forwarded to the business's contact address. */
export const REPLY_FORWARDS = ['full', 'link_only', 'off'] as const;
type ReplyForward = (typeof REPLY_FORWARDS)[number];

/** Whether WhatsApp replies are acknowledged automatically. */
export const REPLY_ACKS = ['on', 'off'] as const;
type ReplyAck = (typeof REPLY_ACKS)[number];

export interface Settings {
  id: string;
  name: string;
  /** Where we write to the shop; customers do not see it. */
  contactEmail: string | null;
  /** Where customers write to, and the shop's website; null: the inbox names none. */
  supportEmail: string | null;
  shopUrl: string | null;
  colour: string | null;
  /** The name of the file in `logos`; null: none. */
  logo: string | null;
  /** The language of recipients whose own is not known; one of ours. */
  language: string;
  active: boolean;
  paused: boolean;
  plan: Plan;
  periodStartedAt: Date | null;
  periodEnd: Date | null;
  lapsedAt: Date | null;
  emailAllowance: number | null;
  dailyEmailCap: number | null;
  smsMode: Mode;
  whatsappMode: Mode;
  smsEnabledAt: Date | null;
  warmup: boolean;
  /** What applies: the stricter of what the operator allows and the shop's own. Null: every country except those that are closed to all businesses. */
  countries: string[] | null;
  countriesCeiling: string[] | null;
  ownCountries: string[] | null;
  /** What applies, likewise. Null: no limit. */
  paidPerRecipientHour: number | null;
  paidPerRecipientHourCeiling: number | null;
  ownPaidPerRecipientHour: number | null;
  /** When paid messages wait, such as `21:00-08:00` in the number's country; null: never. */
  quietHours: string | null;
  /** The order statuses whose messages do not. */
  quietHoursExcept: OrderStatus[];
  lowBalanceThreshold: number;
  replyForward: ReplyForward;
  replyAck: ReplyAck;
  /** What an acknowledgement costs; 0: nothing. */
  replyAckCredits: number;
  /** Which tracking events make a message. */
  trackingNudges: TrackingStatus[];
  /** The `channels` of such a message; empty: only the email. */
  trackingChannels: Channel[];
  /** After how many minutes unread its paid messages go; null: at once. */
  trackingEscalateMinutes: number | null;
  createdAt: Date;
}

type Limits = Pick<Settings, 'countries' | 'paidPerRecipientHour'>;
type Derived = 'id' | 'periodStartedAt' | 'lapsedAt' | 'smsEnabledAt' | keyof Limits | 'createdAt';

/** The fields that can be changed; the others are derived. */
export type SettingsChange = Partial<Omit<Settings, Derived>>;

/** What applies of the operator's ceilings and the shop's own limits: the stricter of both. */
export const effectiveLimits = (
  settings: Pick<
    Settings,
    'countriesCeiling' | 'ownCountries' | 'paidPerRecipientHourCeiling' | 'ownPaidPerRecipientHour'
  >,
): Limits => ({
  countries: ofBoth(settings.countriesCeiling, settings.ownCountries, (ceiling, own) =>
    own.filter((country) => ceiling.includes(country)),
  ),
  paidPerRecipientHour: ofBoth(
    settings.paidPerRecipientHourCeiling,
    settings.ownPaidPerRecipientHour,
    Math.min,
  ),
});

/** Null sets no limit. */
const ofBoth = <T>(ceiling: T | null, own: T | null, stricter: (ceiling: T, own: T) => T): T | null =>
  ceiling === null || own === null ? (ceiling ?? own) : stricter(ceiling, own);

/** The plan in force: `past_due` lapses when the paid period ends. */
export function effectivePlan(business: Pick<Settings, 'plan' | 'periodEnd'>, now: Date): Plan {
  const over = business.periodEnd !== null && business.periodEnd.getTime() <= now.getTime();
  return business.plan === 'past_due' && over ? 'lapsed' : business.plan;
}

type PlanEvent =
  | { type: 'plan.past_due'; data: { period_end: string | null } }
  | { type: 'plan.lapsed'; data: { lapsed_at: string } };

export function applySettingsChange(before: Settings, change: SettingsChange, now: Date) {
  const changed = { ...before, ...change };
  const after: Settings = { ...changed, ...effectiveLimits(changed) };

  // A new paid period begins, so the counts per period start at zero.
  const periodBegins = movesForward(before.periodEnd, after.periodEnd);
  if (periodBegins) after.periodStartedAt = now;

  // Warm-up counts two weeks from here, so switching the channel off and on again does not restart it.
  const neverEnabled = before.smsMode === 'not_enabled' || before.smsEnabledAt === null;
  if (neverEnabled && sends(after.smsMode)) after.smsEnabledAt = now;

  const events: PlanEvent[] = [];
  if (after.plan !== 'lapsed') after.lapsedAt = null;
  if (after.plan !== before.plan) {
    if (after.plan === 'past_due')
      events.push({ type: 'plan.past_due', data: { period_end: after.periodEnd?.toISOString() ?? null } });
    if (after.plan === 'lapsed') {
      after.lapsedAt = now;
      events.push({ type: 'plan.lapsed', data: { lapsed_at: now.toISOString() } });
    }
  }
  return { after, events, periodBegins };
}

export const sends = (mode: Mode): boolean => mode === 'on' || mode === 'on_request';

const movesForward = (from: Date | null, to: Date | null): boolean =>
  to !== null && (from === null || to.getTime() > from.getTime());

/** An operator's error: a merchant's call finds its business through the key. */
export const noSuchBusiness = (businessId: string): OperatorError =>
  new OperatorError(`No business has the id "${businessId}".`);
