import { type Counter, countCancelledPaid, isConditional, type UsageFact } from '../usage/counters.ts';
import type { LockedSend } from './lockSql.ts';
import { reaches, type Send } from './send.ts';
import { NEEDLESS, type SendState, wasAccepted } from './states.ts';

/** What a transition adds to the usage of its business. Service mail announces no message: only its credits are counted. */
export function usageOfSend(before: LockedSend, after: LockedSend, now: Date): UsageFact[] {
  const fact = (counter: Counter, at: Date, amount = 1): UsageFact => ({
    businessId: after.business_id,
    at,
    counter,
    amount,
  });
  const facts: UsageFact[] = [];
  const credits = chargedFor(after) - chargedFor(before);
  if (after.channel !== 'email' && credits !== 0) facts.push(fact(`${after.channel}_credits`, now, credits));
  if (after.message_id === null) return facts;
  // The day of the call, which the row keeps; the provider's answer can come after midnight.
  if (!wasSent(before) && wasSent(after))
    facts.push(fact(`${after.channel}_sent`, after.submitted_at ?? now));
  if (reaches('delivered_at', before, after)) facts.push(fact(`${after.channel}_delivered`, now));
  if (reaches('bounced_at', before, after)) facts.push(fact('email_bounced', now));
  if (reaches('complained_at', before, after)) facts.push(fact('email_complained', now));
  if (before.state !== after.state)
    for (const { counter, amount } of countsOnEntering[after.state]?.(after) ?? [])
      facts.push(fact(counter, now, amount));
  return facts;
}

const chargedFor = ({ charged, credits }: Send): number => (charged ? credits : 0);

type Counted = ReturnType<typeof countCancelledPaid>;
const once = (counter: Counter): Counted => [{ counter, amount: 1 }];

/** What entering a state counts, besides the milestones above. */
const countsOnEntering: Partial<Record<SendState, (send: Send) => Counted>> = {
  read: ({ channel }) => (channel === 'whatsapp' ? once('whatsapp_read') : []),
  failed: ({ channel, reason }) =>
    channel === 'email' ? (reason === 'bounced' ? [] : once('email_failed')) : once(`${channel}_failed`),
  rejected: ({ channel }) => once(channel === 'email' ? 'email_failed' : `${channel}_rejected`),
  skipped: ({ channel }) => once(channel === 'email' ? 'email_not_sent' : `${channel}_skipped`),
  cancelled: (send) => {
    const { channel, credits, reason } = send;
    if (channel === 'email')
      return reason === 'superseded' || NEEDLESS.includes(reason) ? [] : once('email_not_sent');
    return countCancelledPaid({ channel, credits, armed: isConditional(send) }, reason ?? '');
  },
};

/** A rejection that came as a report, before the answer to the call took its token: the provider had accepted the send. */
const wasSent = ({ state, attempt_token }: Send): boolean =>
  wasAccepted(state) || (state === 'rejected' && attempt_token !== null);
