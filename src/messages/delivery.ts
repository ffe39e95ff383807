import type { Channel, PaidChannel } from '../contract/channels.ts';
import type { Delivery, DeliveryReason, PaidDelivery } from '../contract/messages.ts';
import { isWaiting, type SendState } from '../outbox/states.ts';

/** A send as its message's reader sees it. Times are text, as the JSON of the database writes them. */
export interface DeliverySend {
  id: string;
  channel: Channel;
  state: SendState;
  reason: string | null;
  error_code: string | null;
  credits: number;
  charged: boolean;
  created_at: string;
  submitted_at: string | null;
  last_status_at: string | null;
  delivered_at: string | null;
  bounced_at: string | null;
  complained_at: string | null;
}

/**
 * The delivery of a message, from its sends in any order. What happened to an email stays true whatever follows;
 * whether it was not sent or failed is what the last attempt says, so a later success withdraws it.
 */
export function deliveryOf(unsorted: readonly DeliverySend[], openedAt: Date | null): Delivery {
  // Ids begin with their time.
  const sends = unsorted.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const emails = sends.filter(({ channel }) => channel === 'email');
  const lastAttempt = emails.findLast((send) => !isWaiting(send.state) && !replaced(send));
  const deliveredAt = lastTime(emails, 'delivered_at');
  const bouncedAt = lastTime(emails, 'bounced_at');
  const complainedAt = lastTime(emails, 'complained_at');
  return {
    delivered: deliveredAt !== null,
    delivered_at: deliveredAt,
    opened: openedAt !== null,
    opened_at: openedAt?.toISOString() ?? null,
    bounced: bouncedAt !== null,
    bounced_at: bouncedAt,
    complained: complainedAt !== null,
    complained_at: complainedAt,
    sms: paidDelivery(sends, 'sms'),
    whatsapp: paidDelivery(sends, 'whatsapp'),
    not_sent: lastAttempt && neverTried(lastAttempt) ? outcome(lastAttempt) : null,
    failed: lastAttempt && neverArrives(lastAttempt) ? outcome(lastAttempt) : null,
  };
}

/** The latest send of a channel speaks for it, be it of the push, a resend or a fallback. An armed one says nothing yet. */
function paidDelivery(sends: readonly DeliverySend[], channel: PaidChannel): PaidDelivery | null {
  const send = sends.findLast((one) => one.channel === channel && one.state !== 'held' && !replaced(one));
  if (!send) return null;
  const status = shown[send.state];
  return {
    status,
    skipped_reason: status === 'skipped' ? send.reason : null,
    error_code: status === 'failed' || status === 'rejected' ? send.error_code : null,
    credits_charged: send.charged ? send.credits : 0,
    submitted_at: wireOrNull(send.submitted_at),
    last_status_at: wireOrNull(send.last_status_at),
  };
}

/** Everything before an end is shown as queued (interface 3.3). */
const shown: Record<SendState, PaidDelivery['status']> = {
  held: 'queued',
  queued: 'queued',
  submitting: 'queued',
  accepted: 'queued',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
  rejected: 'rejected',
  skipped: 'skipped',
  cancelled: 'skipped',
};

/** Reasons for calling off a send that are the message's own outcome, and not merely a change of plan. */
const CALLED_OFF = ['message_retracted', 'message_obsolete'];

/** Called off because a newer send took its place, the person read the message first, or another channel reached them. */
const replaced = ({ state, reason }: DeliverySend): boolean =>
  state === 'cancelled' && !(reason !== null && CALLED_OFF.includes(reason));

const neverTried = ({ state }: DeliverySend): boolean => state === 'skipped' || state === 'cancelled';

/** A bounce is told as such; a report of delivery overrules the failure of a send whose answer was lost. */
const neverArrives = ({ state, delivered_at, bounced_at }: DeliverySend): boolean =>
  (state === 'failed' || state === 'rejected') && delivered_at === null && bounced_at === null;

const outcome = ({ state, reason, last_status_at, created_at }: DeliverySend): DeliveryReason => ({
  reason: reason ?? state,
  at: wire(last_status_at ?? created_at),
});

type Milestone = 'delivered_at' | 'bounced_at' | 'complained_at';

const lastTime = (emails: readonly DeliverySend[], milestone: Milestone): string | null =>
  wireOrNull(emails.findLast((send) => send[milestone] !== null)?.[milestone] ?? null);

const wire = (time: string): string => new Date(time).toISOString();
const wireOrNull = (time: string | null): string | null => (time === null ? null : wire(time));
