import { knownStatus } from '../../../contract/orderStatuses.ts';
import { knownWord } from '../../../contract/orders.ts';
import type { Queryable } from '../../../db/statement.ts';
import { listWithPlans, type MessageWithPlan } from '../../../messages/plans.ts';
import { findOrder, recipientsOfOrder } from '../../../orders/readsSql.ts';
import { readTrackedShipments } from '../../../orders/shipmentReads.ts';
import type { TrackedShipment } from '../../../orders/shipmentReadsSql.ts';
import { findRecipient } from '../../../recipients/sql.ts';
import { orNothingHere } from '../route.ts';
import { trackingOfMessages } from './sql.ts';
import { statusSteps } from './steps.ts';

const MESSAGES_SHOWN = 100;
/** An order is one person's; shops that reuse a reference have several. */
const CUSTOMERS_SHOWN = 5;

/** All that is known of one reference. What was written before is to be applied first. */
export async function readOrder(db: Queryable, businessId: string, reference: string, now: Date) {
  const [found] = await findOrder(db, businessId, reference);
  const order = orNothingHere(found);
  const newest = { recipientEmail: null, reference, limit: MESSAGES_SHOWN, before: null };
  const [people, shipments, { items, next_cursor }] = await Promise.all([
    recipientsOfOrder(db, businessId, reference),
    readTrackedShipments(db, businessId, [reference]),
    listWithPlans(db, businessId, newest, now),
  ]);
  const [customers, messages] = await Promise.all([
    Promise.all(people.slice(0, CUSTOMERS_SHOWN).map(({ email }) => customerOf(db, businessId, email))),
    withTracking(db, businessId, items.toReversed()),
  ]);
  return {
    reference,
    /** The latest word; null: there is none yet. */
    status: knownWord(order.status),
    statusAt: order.status_at,
    steps: statusSteps(messages.flatMap(wordOf), shipments.flatMap(wordsOf)),
    customers,
    /** How many more there are. */
    furtherCustomers: people.length - customers.length,
    /** Each with its newest events first. */
    shipments,
    /** Oldest first. */
    messages,
    /** Whether there are more messages, older than these. */
    hasOlder: next_cursor !== null,
    now,
  };
}
export type ViewedOrder = Awaited<ReturnType<typeof readOrder>>;
export type TrackedMessage = Awaited<ReturnType<typeof withTracking>>[number];

/** `id` null: only a tracking event named them, so that there is no page about them. */
async function customerOf(db: Queryable, businessId: string, email: string) {
  const [recipient] = await findRecipient(db, businessId, email);
  return { id: recipient?.id ?? null, email };
}

async function withTracking(db: Queryable, businessId: string, messages: readonly MessageWithPlan[]) {
  const ids = messages.map(({ id }) => id);
  const tracking = new Map((await trackingOfMessages(db, businessId, ids)).map((row) => [row.id, row]));
  // A message that was erased meanwhile has none.
  return messages.flatMap((message) => {
    const row = tracking.get(message.id);
    return row === undefined ? [] : [{ message, ...row }];
  });
}

/** The word of a milestone's message is that of its tracking event. */
function wordOf({ message, status_at: at, is_milestone }: TrackedMessage) {
  const status = knownStatus(message.order_status);
  const counts = message.status !== 'retracted' && !is_milestone;
  return status !== null && counts ? [{ status, at, trackingNumber: null }] : [];
}

/** Oldest first. */
const wordsOf = ({ trackingNumber, events }: TrackedShipment) =>
  events.toReversed().map(({ status, at }) => ({ status, at, trackingNumber }));
