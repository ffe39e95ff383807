import { type Channel, type PaidChannel, paidChannels } from '../contract/channels.ts';
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

/** A paid channel that a push or a resend decided against: there is no send. */
export interface RefusedSend {
  channel: PaidChannel;
  reason: string | null;
  at: Date;
}

/** Where refusals are kept: that of the push that created the message in its row, those of updates and resends in its history. */
export interface RefusalFacts {
  created_at: Date;
  sms_skipped: string | null;
  whatsapp_skipped: string | null;
  /** Entries of other types are no refusals. */
  history: readonly { type: string; detail: string | null; at: string }[];
}

/** In any order. */
export const refusalsOf = (row: RefusalFacts): RefusedSend[] =>
  paidChannels.flatMap((channel) => {
    const atPush = row[`${channel}_skipped`];
    return [
      ...(atPush === null ? [] : [{ channel, reason: atPush, at: row.created_at }]),
      ...row.history.flatMap(({ type, detail, at }) =>
        type === `${channel}.skipped` ? [{ channel, reason: detail, at: new Date(at) }] : [],
      ),
    ];
  });

/**
 * The delivery status of a message, from its sends and refusals in any order: the one function that says what became of it.
 * Delivered, bounced and complained stay true once any email was; `not_sent` and `failed` follow the last email only, so a
 * later success clears them.
 */
export function deliveryOf(
  unsorted: readonly DeliverySend[],
  refusals: readonly RefusedSend[],
  openedAt: Date | null,
): Delivery {
  // Ids start with their creation time.
  const sends = unsorted.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const emails = sends.filter(({ channel }) => channel === 'email');
  const lastEmail = emails.findLast((send) => !isWaiting(send.state) && !wasReplaced(send));
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
    sms: paidDelivery(sends, refusals, 'sms'),
    whatsapp: paidDelivery(sends, refusals, 'whatsapp'),
    not_sent: lastEmail && wasNotSent(lastEmail) ? outcome(lastEmail) : null,
    failed: lastEmail && hasFailed(lastEmail) ? outcome(lastEmail) : null,
  };
}

/**
 * The status of the channel's latest send or refusal: of the push, a resend or a fallback. A held send has no status yet, and
 * neither it nor a send under way is overruled by a refusal: it goes out all the same.
 */
function paidDelivery(
  sends: readonly DeliverySend[],
  refusals: readonly RefusedSend[],
  channel: PaidChannel,
): PaidDelivery | null {
  const own = sends.filter((one) => one.channel === channel);
  const send = own.findLast((one) => one.state !== 'held' && !wasReplaced(one));
  const [refusal] = refusals
    .filter((one) => one.channel === channel)
    .toSorted((a, b) => b.at.getTime() - a.at.getTime());
  if (refusal && !own.some(({ state }) => state === 'held') && (!send || endedBefore(send, refusal.at)))
    return refused(refusal);
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

const endedBefore = ({ state, last_status_at, created_at }: DeliverySend, at: Date): boolean =>
  shown[state] !== 'queued' && new Date(last_status_at ?? created_at) < at;

const refused = ({ reason, at }: RefusedSend): PaidDelivery => ({
  status: 'skipped',
  skipped_reason: reason,
  error_code: null,
  credits_charged: 0,
  submitted_at: null,
  last_status_at: at.toISOString(),
});

/** Every state before a final one is shown as queued (interface 3.3). */
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

/** Cancellations that the merchant caused, and that the delivery status therefore shows. */
const SHOWN_CANCELLATIONS = ['message_retracted', 'message_obsolete'];

/** Cancelled because of a newer send, because the person opened the message, or because another channel reached them. */
const wasReplaced = ({ state, reason }: DeliverySend): boolean =>
  state === 'cancelled' && !(reason !== null && SHOWN_CANCELLATIONS.includes(reason));

const wasNotSent = ({ state }: DeliverySend): boolean => state === 'skipped' || state === 'cancelled';

/** A bounce is reported as `bounced`; a delivery report overrules a failure with an unknown outcome. */
const hasFailed = ({ state, delivered_at, bounced_at }: DeliverySend): boolean =>
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
