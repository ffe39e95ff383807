import type { SenderDomain } from '../../../businesses/domains/sql.ts';
import { effectivePlan, type Settings, sends } from '../../../businesses/settings.ts';
import type { UsagePeriod } from '../../../contract/usage.ts';
import type { EndpointHealth } from '../webhooks/health.ts';

export interface ShopFacts extends Pick<Settings, 'active' | 'paused' | 'plan' | 'lowBalanceThreshold'> {
  /** Whether texts or WhatsApp messages, which cost credits, can go out at all. */
  hasPaidChannels: boolean;
  spendable: number;
  /** Whether there were credits, and spending them brought them below the shop's threshold. */
  ranLow: boolean;
  /** The shop's own sender of emails; null: it uses the shared one. */
  ownEmailSender: string | null;
  /** Of that sender, where we check it. */
  senderDomain?: Pick<SenderDomain, 'domain' | 'state' | 'failing_since'> | null;
  endpoints: readonly { endpoint: { id: string; url: string }; health: EndpointHealth }[];
  /** Oldest first. */
  days: readonly { email: Pick<UsagePeriod['email'], 'sent' | 'delivered' | 'bounced' | 'failed'> }[];
}

/** A shop as it is stored, with what was read about it. */
type StoredShop = Omit<ShopFacts, 'hasPaidChannels'> &
  Pick<Settings, 'periodEnd' | 'smsMode' | 'whatsappMode'>;

export const shopFacts = (shop: StoredShop, now: Date): ShopFacts => ({
  ...shop,
  plan: effectivePlan(shop, now),
  hasPaidChannels: [shop.smsMode, shop.whatsappMode].some(sends),
});

/** What only the operator can change, and how to ask for it. */
const OPERATORS_PART = '/settings#operators';

/** `label`: the same in two words, for a list. `page`: the page of the shop where it can be put right, or which says who can. */
const warn = (tone: 'bad' | 'waiting' | 'plain', label: string, message: string, page: string) => ({
  tone,
  label,
  message,
  page,
});
export type Attention = ReturnType<typeof warn>;

/** What the overview warns of, the most urgent first. */
export function attentionFor(shop: ShopFacts): Attention[] {
  const found = [
    !shop.active &&
      warn(
        'bad',
        'Deactivated',
        'The shop is deactivated: nothing is sent, and its keys are refused.',
        OPERATORS_PART,
      ),
    shop.plan === 'past_due' && warn('waiting', 'Plan past due', 'The plan is past due.', OPERATORS_PART),
    shop.plan === 'lapsed' && warn('bad', 'Plan lapsed', 'The plan has lapsed.', OPERATORS_PART),
    shop.paused &&
      warn('bad', 'Paused', 'Sending is paused: messages are kept, but nobody is nudged.', OPERATORS_PART),
    ...shop.endpoints.map(endpointAttention),
    domainAttention(shop),
    senderAttention(shop),
    creditsAttention(shop),
    bouncesRise(shop.days) &&
      warn(
        'waiting',
        'Bounces rise',
        'More emails bounce than before: look at where the new addresses come from.',
        '/messages?email=bounced',
      ),
    shop.endpoints.length === 0 &&
      warn(
        'plain',
        'No webhook yet',
        'No webhook yet: your shop is not notified of what becomes of its messages.',
        '/webhooks',
      ),
  ];
  return found.filter((one) => one !== null && one !== false);
}

function endpointAttention({ endpoint, health }: ShopFacts['endpoints'][number]): Attention | null {
  // The host says which one it is; the rest of a URL may hold a secret.
  const where = `The webhook endpoint at ${new URL(endpoint.url).host}`;
  const page = `/webhooks/${endpoint.id}`;
  if (health.state === 'disabled' || health.state === 'disabled_by_failures')
    return warn('bad', 'Webhook switched off', `${where} is switched off: it gets no events.`, page);
  if (health.state !== 'failing') return null;
  return warn(
    'bad',
    'Webhook failing',
    `${where} is failing. ${health.reasons.map(({ message }) => message).join(' ')}`,
    page,
  );
}

/** A shop that never had credits has not run out of them, as on the operator's pages, which count it so: it gets a hint. */
function creditsAttention(shop: ShopFacts): Attention | null {
  const { hasPaidChannels, spendable, ranLow, lowBalanceThreshold } = shop;
  if (!hasPaidChannels || spendable > lowBalanceThreshold) return null;
  if (spendable > 0) return warn('waiting', 'Credits low', `Credits are low: ${spendable} left.`, '/credits');
  const message = 'No credits are left: no SMS or WhatsApp message goes out.';
  return warn(ranLow ? 'bad' : 'plain', 'No credits left', message, '/credits');
}

/** Where the shop sees what was found, and the records to set. */
const DOMAIN_PART = '/settings#domain';

function domainAttention({ senderDomain }: ShopFacts): Attention | null {
  if (!senderDomain) return null;
  const { domain, state, failing_since: since } = senderDomain;
  const records = 'until its DNS records are right';
  if (state === 'broken')
    return warn(
      'bad',
      'Domain not used',
      `${domain} is not used any more: emails go out from the shared address ${records}.`,
      DOMAIN_PART,
    );
  if (state === 'pending')
    return warn(
      'waiting',
      'Domain not verified',
      `${domain} is not verified yet: emails go out from the shared address ${records}.`,
      DOMAIN_PART,
    );
  return since === null
    ? null
    : warn(
        'waiting',
        'Domain key gone',
        `The key of ${domain} is gone from DNS: if it stays away, the domain is not used any more.`,
        DOMAIN_PART,
      );
}

const SENDER_DAYS = 2;
const FAILURES_MIN = 3;

/**
 * A sender is verified at the provider, which we do not see. One that is not shows at once: its emails fail, all or nearly all.
 */
function senderAttention({ ownEmailSender, senderDomain, days }: ShopFacts): Attention | null {
  if (ownEmailSender === null || (senderDomain && senderDomain.state !== 'verified')) return null;
  const recent = days.slice(-SENDER_DAYS);
  const failed = emailsOf(recent, 'failed');
  if (failed < FAILURES_MIN || failed <= emailsOf(recent, 'delivered')) return null;
  return warn(
    'bad',
    'Emails fail',
    `Most emails from ${ownEmailSender} fail: the sender is probably not verified. Ask your operator.`,
    OPERATORS_PART,
  );
}

const RECENT_DAYS = 7;
/** Fewer bounces than this say nothing. */
const BOUNCES_MIN = 10;

/** Whether the share of bounces in the last week is at least twice that of the days before. */
export function bouncesRise(days: ShopFacts['days']): boolean {
  const share = (part: ShopFacts['days']): number =>
    emailsOf(part, 'bounced') / Math.max(1, emailsOf(part, 'sent'));
  const recent = days.slice(-RECENT_DAYS);
  return (
    emailsOf(recent, 'bounced') >= BOUNCES_MIN && share(recent) >= 2 * share(days.slice(0, -RECENT_DAYS))
  );
}

const emailsOf = (days: ShopFacts['days'], outcome: 'sent' | 'delivered' | 'bounced' | 'failed'): number =>
  days.reduce((sum, { email }) => sum + email[outcome], 0);
