import type { UsagePeriod } from '../../../contract/usage.ts';
import type { EndpointHealth } from '../webhooks/health.ts';

/** What the overview warns of, the most urgent first. */
export interface Attention {
  tone: 'bad' | 'waiting' | 'plain';
  says: string;
  /** The page of the shop where it can be put right, or which says who can. */
  page: string;
}

export interface ShopFacts {
  active: boolean;
  paused: boolean;
  plan: 'active' | 'past_due' | 'lapsed';
  /** Whether texts or WhatsApp messages, which cost credits, can go out at all. */
  hasPaidChannels: boolean;
  spendable: number;
  lowBalanceThreshold: number;
  /** The shop's own sender of emails; null: it uses the shared one. */
  ownEmailSender: string | null;
  endpoints: readonly { endpoint: { id: string; url: string }; health: EndpointHealth }[];
  /** Oldest first. */
  days: readonly Pick<UsagePeriod, 'email'>[];
}

/** What only the operator can change, and how to ask for it. */
const OPERATORS_PART = '/settings#operators';

/** The order of the list is the order of the page. */
export function attentionFor(shop: ShopFacts): Attention[] {
  const found: (Attention | null)[] = [
    shop.active
      ? null
      : {
          tone: 'bad',
          says: 'The shop is deactivated: nothing is sent, and its keys are refused.',
          page: OPERATORS_PART,
        },
    PLANS[shop.plan],
    shop.paused
      ? {
          tone: 'bad',
          says: 'Sending is paused: messages are kept, but nobody is nudged.',
          page: OPERATORS_PART,
        }
      : null,
    ...shop.endpoints.map(endpointAttention),
    senderAttention(shop),
    creditsAttention(shop),
    bouncesRise(shop.days)
      ? {
          tone: 'waiting',
          says: 'More emails bounce than before: look at where the new addresses come from.',
          page: '/messages?email=bounced',
        }
      : null,
    shop.endpoints.length === 0
      ? {
          tone: 'plain',
          says: 'No webhook yet: your shop is not told what becomes of its messages.',
          page: '/webhooks',
        }
      : null,
  ];
  return found.filter((one) => one !== null);
}

const PLANS: Record<ShopFacts['plan'], Attention | null> = {
  active: null,
  past_due: { tone: 'waiting', says: 'The plan is past due.', page: OPERATORS_PART },
  lapsed: { tone: 'bad', says: 'The plan has lapsed.', page: OPERATORS_PART },
};

function endpointAttention({ endpoint, health }: ShopFacts['endpoints'][number]): Attention | null {
  // The host says which one it is; the rest of a URL may hold a secret.
  const where = `The webhook endpoint at ${new URL(endpoint.url).host}`;
  const found = (says: string): Attention => ({ tone: 'bad', says, page: `/webhooks/${endpoint.id}` });
  switch (health.state) {
    case 'disabled':
    case 'disabled_by_failures':
      return found(`${where} is switched off: it gets no events.`);
    case 'failing':
      return found(`${where} is failing. ${health.reasons.map(({ says }) => says).join(' ')}`);
    default:
      return null;
  }
}

function creditsAttention({ hasPaidChannels, spendable, lowBalanceThreshold }: ShopFacts): Attention | null {
  if (!hasPaidChannels || spendable > lowBalanceThreshold) return null;
  return spendable === 0
    ? { tone: 'bad', says: 'No credits are left: no text or WhatsApp message goes out.', page: '/credits' }
    : { tone: 'waiting', says: `Credits are low: ${spendable} left.`, page: '/credits' };
}

const SENDER_DAYS = 2;
const FAILURES_MIN = 3;

/**
 * A sender is verified at the provider, which we do not see. One that is not shows at once: its emails fail, all or nearly all.
 */
function senderAttention({ ownEmailSender, days }: ShopFacts): Attention | null {
  if (ownEmailSender === null) return null;
  const recent = days.slice(-SENDER_DAYS);
  const failed = recent.reduce((sum, { email }) => sum + email.failed, 0);
  const delivered = recent.reduce((sum, { email }) => sum + email.delivered, 0);
  if (failed < FAILURES_MIN || failed <= delivered) return null;
  return {
    tone: 'bad',
    says: `Most emails from ${ownEmailSender} fail: the sender is probably not verified. Ask your operator.`,
    page: OPERATORS_PART,
  };
}

const RECENT_DAYS = 7;
/** Fewer bounces than this say nothing. */
const BOUNCES_MIN = 10;

/** Whether the share of bounces in the last week is at least twice that of the days before. */
export function bouncesRise(days: ShopFacts['days']): boolean {
  const share = (part: ShopFacts['days']) => {
    const sent = part.reduce((sum, { email }) => sum + email.sent, 0);
    const bounced = part.reduce((sum, { email }) => sum + email.bounced, 0);
    return { bounced, share: sent === 0 ? 0 : bounced / sent };
  };
  const recent = share(days.slice(-RECENT_DAYS));
  const before = share(days.slice(0, -RECENT_DAYS));
  return recent.bounced >= BOUNCES_MIN && recent.share >= 2 * before.share;
}
