import { type Counter, countCancelledPaid, type UsageFact } from '../usage/counters.ts';
import { creditMoves } from './creditMoves.ts';
import type { LockedSend } from './lockSql.ts';
import type { Send } from './send.ts';
import { NEEDLESS, type SendState } from './states.ts';

/** The columns of a send that decide how it is counted. */
type CountedSend = Pick<
  Send,
  | 'channel'
  | 'state'
  | 'reason'
  | 'credits'
  | 'purpose'
  | 'escalate_minutes'
  | 'fallback_of'
  | 'attempt_token'
>;

/** What a transition adds to the usage of its business. Service mail announces no message and is not counted. */
export function usageOfSend(before: LockedSend, after: LockedSend, now: Date): UsageFact[] {
  if (after.message_id === null) return [];
  const fact = (counter: Counter, at: Date, amount = 1): UsageFact => ({
    businessId: after.business_id,
    at,
    counter,
    amount,
  });
  const facts: UsageFact[] = [];
  // The day of the call, which the row keeps; the provider's answer can come after midnight.
  if (!wasTaken(before) && wasTaken(after))
    facts.push(fact(`${after.channel}_sent`, after.submitted_at ?? now));
  if (before.delivered_at === null && after.delivered_at !== null)
    facts.push(fact(`${after.channel}_delivered`, now));
  if (before.bounced_at === null && after.bounced_at !== null) facts.push(fact('email_bounced', now));
  if (before.complained_at === null && after.complained_at !== null)
    facts.push(fact('email_complained', now));
  if (before.state !== after.state)
    for (const { counter, amount } of countsOnEntering[after.state](after))
      facts.push(fact(counter, now, amount));
  return [...facts, ...creditFacts(before, after, now)];
}

type Counted = ReturnType<typeof countCancelledPaid>;
const once = (counter: Counter): Counted => [{ counter, amount: 1 }];
const none = (): Counted => [];

/** What entering a state counts, besides the milestones above. */
const countsOnEntering: Record<SendState, (send: CountedSend) => Counted> = {
  held: none,
  queued: none,
  submitting: none,
  accepted: none,
  delivered: none,
  read: ({ channel }) => (channel === 'whatsapp' ? once('whatsapp_read') : []),
  failed: ({ channel, reason }) =>
    channel === 'email' ? (reason === 'bounced' ? [] : once('email_failed')) : once(`${channel}_failed`),
  rejected: ({ channel }) => once(channel === 'email' ? 'email_failed' : `${channel}_rejected`),
  skipped: ({ channel }) => once(channel === 'email' ? 'email_not_sent' : `${channel}_skipped`),
  cancelled: (send) => {
    const { channel, credits, reason } = send;
    if (channel === 'email')
      return reason === 'superseded' || NEEDLESS.includes(reason) ? [] : once('email_not_sent');
    return countCancelledPaid({ channel, credits, armed: wasArmed(send) }, reason ?? '');
  },
};

/** Held until the message stayed unread or WhatsApp failed; a resend made it an ordinary send. */
export const wasArmed = ({
  purpose,
  escalate_minutes,
  fallback_of,
}: Pick<Send, 'purpose' | 'escalate_minutes' | 'fallback_of'>): boolean =>
  purpose !== 'resend' && (escalate_minutes !== null || fallback_of !== null);

/** A provider accepted it, or may have. */
function wasTaken({ state, attempt_token }: CountedSend): boolean {
  switch (state) {
    case 'accepted':
    case 'delivered':
    case 'read':
    case 'failed':
      return true;
    case 'rejected':
      // A report came before the answer to the call, which still has its token: the provider had accepted it.
      return attempt_token !== null;
    case 'held':
    case 'queued':
    case 'submitting':
    case 'skipped':
    case 'cancelled':
      return false;
  }
}

/** Credits are counted as they are charged, and taken off when they are refunded. */
function creditFacts(before: LockedSend, after: LockedSend, now: Date): UsageFact[] {
  const { channel } = after;
  if (channel === 'email') return [];
  return creditMoves({ before, after }).flatMap(({ kind, businessId, credits }) => {
    const amount = { charge: credits, charge_reserved: credits, refund: -credits, reserve: 0, release: 0 }[
      kind
    ];
    return amount === 0 ? [] : [{ businessId, at: now, counter: `${channel}_credits` as const, amount }];
  });
}
