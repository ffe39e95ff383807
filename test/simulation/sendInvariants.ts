import type { SendState } from '../../src/outbox/states.ts';
import type { CommitContext, SendChange } from './invariants.ts';
import type { SimulatedCall } from './simulatedProviders.ts';
import type { CommittedBusiness, CommittedSend } from './snapshot.ts';

/** States never go back; `submitting → queued` needs a provider that certainly accepted nothing. */
const FOLLOWS: Record<SendState, readonly SendState[]> = {
  held: ['queued', 'skipped', 'cancelled'],
  queued: ['submitting', 'skipped', 'cancelled'],
  submitting: ['accepted', 'queued', 'delivered', 'read', 'rejected', 'failed', 'cancelled'],
  accepted: ['delivered', 'read', 'rejected', 'failed'],
  delivered: ['read', 'failed'],
  failed: ['delivered', 'read'],
  read: [],
  rejected: [],
  skipped: [],
  cancelled: [],
};

export function sendViolations(moment: CommitContext, changed: readonly SendChange[]): string[] {
  return changed.flatMap(({ before, after }) => {
    if (before === null) return [];
    if (after.lease !== null && after.lease !== before.lease && !isDue(before, moment.now))
      return [`${after.channel} send ${after.id} was claimed before its time`];
    if (before.state === after.state) return [];
    const name = `${after.channel} send ${after.id}`;
    const calls = moment.providers.callsOf(after.id);
    const wrong: string[] = [];
    if (!FOLLOWS[before.state].includes(after.state))
      wrong.push(`${name} went from ${before.state} to ${after.state}`);
    if (before.state === 'failed' && before.reason !== 'outcome_unknown')
      wrong.push(`${name} was surely failed and is ${after.state} now`);
    if (before.state === 'delivered' && after.state === 'failed' && after.channel !== 'email')
      wrong.push(`${name} arrived and is failed now`);
    if (after.state === 'submitting') wrong.push(...whyNotBegin(moment, after, calls));
    const notTaken = after.state === 'queued' || after.state === 'cancelled';
    if (notTaken && before.state === 'submitting' && !calls.every(certainlyNotAccepted))
      wrong.push(`${name} is ${after.state} although its provider may have it`);
    if (after.state === 'queued' && before.state === 'held') wrong.push(...whyNotDue(moment, before));
    if (after.state === 'accepted' && !calls.some(({ taken }) => taken))
      wrong.push(`${name} is accepted and no provider took it`);
    if ((after.state === 'delivered' || after.state === 'read') && !wasReported(moment, after.id, ARRIVALS))
      wrong.push(`${name} is ${after.state} and nobody said so`);
    return wrong;
  });
}

const isDue = ({ due_at }: CommittedSend, now: Date): boolean => due_at !== null && new Date(due_at) <= now;

const ARRIVALS = ['delivered', 'read', 'complained'] as const;

const wasReported = (
  { providers: journal }: CommitContext,
  sendId: string,
  statuses: readonly string[],
): boolean => [...(journal.reported.get(sendId) ?? [])].some((status) => statuses.includes(status));

/** The provider did not accept it, and its response says so. */
const certainlyNotAccepted = ({ taken, answer }: SimulatedCall): boolean =>
  !taken && answer !== 'silence' && answer.outcome !== 'unknown';

/** Every gate, on the state that was committed at the permit. */
function whyNotBegin(
  { before, now, businesses }: CommitContext,
  send: CommittedSend,
  calls: readonly SimulatedCall[],
): string[] {
  const name = `${send.channel} send ${send.id} may begin although`;
  const wrong: string[] = [];
  if (!calls.every(certainlyNotAccepted)) wrong.push(`${name} its provider may have it already`);
  const business = before.businesses.find(({ id }) => id === send.business_id);
  const person = before.recipients.find(({ id }) => id === send.recipient_id);
  const message = before.messages.find(({ id }) => id === send.message_id);
  if (!business || !person) return [...wrong, `${name} it is nobody's any more`];
  if (!business.active) wrong.push(`${name} the business is not active`);
  if (send.message_id === null) return wrong;
  if (message?.status !== 'active') wrong.push(`${name} its message is ${message?.status ?? 'gone'}`);
  if (business.paused) wrong.push(`${name} sending is paused`);
  if (send.channel === 'email' && isLapsed(business, new Date(send.submitted_at ?? now)))
    wrong.push(`${name} the plan has lapsed`);
  const mode = send.channel === 'sms' ? business.sms_mode : business.whatsapp_mode;
  if (send.channel !== 'email' && mode !== 'on' && mode !== 'on_request')
    wrong.push(`${name} the channel is ${mode}`);
  const known = businesses.find(({ id }) => id === send.business_id);
  if (known?.people.forbids(person.email, send.channel)) {
    wrong.push(`${name} the person has said no, or has no number`);
  }
  return wrong;
}

/** At the time of the check: a plan may lapse while the permit is written. */
const isLapsed = ({ plan, plan_period_end, plan_lapsed_at }: CommittedBusiness, at: Date): boolean =>
  (plan === 'lapsed' && plan_lapsed_at !== null && new Date(plan_lapsed_at) <= at) ||
  (plan === 'past_due' && plan_period_end !== null && new Date(plan_period_end) <= at);

const WHATSAPP_WAIT_MS = 5 * 60_000;

/** An escalation waits for its deadline, unread; a fallback for WhatsApp to fail, or to send no report for five minutes. */
function whyNotDue({ before, after, now, businesses }: CommitContext, held: CommittedSend): string[] {
  const queued = after.sends.find(({ id }) => id === held.id);
  if (queued?.purpose === 'resend') return [];
  const name = `${held.channel} send ${held.id} is let go although`;
  const message = before.messages.find(({ id }) => id === held.message_id);
  if (message?.status !== 'active') return [`${name} its message is ${message?.status ?? 'gone'}`];
  const isRead = businesses.some(({ messages }) => messages.byId.get(message.id)?.unread === false);
  if (held.escalate_minutes !== null && isRead) return [`${name} its message was opened before`];
  const whatsapp = after.sends.find(({ id }) => id === held.fallback_of);
  if (!whatsapp) return [];
  const silent =
    whatsapp.submitted_at !== null &&
    now.getTime() - new Date(whatsapp.submitted_at).getTime() >= WHATSAPP_WAIT_MS;
  if (whatsapp.state === 'delivered' || whatsapp.state === 'read') return [`${name} WhatsApp arrived`];
  const noStatus =
    whatsapp.state === 'accepted' || (whatsapp.state === 'failed' && whatsapp.reason === 'outcome_unknown');
  return noStatus && !silent ? [`${name} WhatsApp may still arrive`] : [];
}
