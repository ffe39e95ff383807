import type { ListedMessage } from '../../../contract/messages.ts';
import { knownStatus, type OrderStatus } from '../../../contract/orderStatuses.ts';
import type { Queryable } from '../../../db/statement.ts';
import { listWithPlans } from '../../../messages/plans.ts';
import { findRecipient } from '../../../recipients/sql.ts';
import { nothingHere } from '../route.ts';

interface OrderStep {
  status: OrderStatus;
  at: string;
}

const MESSAGES_SHOWN = 100;
/** An order is one person's; shops that reuse a reference have several. */
const CUSTOMERS_SHOWN = 5;

/** One reference, as its messages have it. */
export async function readOrder(db: Queryable, businessId: string, reference: string, now: Date) {
  const request = { recipientEmail: null, reference, limit: MESSAGES_SHOWN, before: null };
  const { items, next_cursor } = await listWithPlans(db, businessId, request, now);
  if (items.length === 0) throw nothingHere();
  const steps = statusSteps(items);
  const emails = [...new Set(items.flatMap(({ recipient_email }) => recipient_email ?? []))];
  const customers = await Promise.all(
    emails.slice(0, CUSTOMERS_SHOWN).map(async (email) => {
      const [recipient] = await findRecipient(db, businessId, email);
      return recipient ? [{ id: recipient.id, email }] : [];
    }),
  );
  return {
    reference,
    /** The latest status; null: no message names one. */
    stands: steps.at(-1) ?? null,
    steps,
    customers: customers.flat(),
    /** Oldest first. */
    messages: items.toReversed(),
    /** Whether there are more messages, older than these. */
    hasOlder: next_cursor !== null,
  };
}
export type ViewedOrder = Awaited<ReturnType<typeof readOrder>>;

/** Each change of the status, oldest first; retracted messages do not count. A status counts from the time of the message that names it. */
function statusSteps(newestFirst: readonly ListedMessage[]): OrderStep[] {
  const steps: OrderStep[] = [];
  for (const { order_status, updated_at } of newestFirst
    .filter((message) => message.status !== 'retracted')
    .toSorted((one, other) => (one.updated_at < other.updated_at ? -1 : 1))) {
    const known = knownStatus(order_status);
    if (known !== null && known !== steps.at(-1)?.status) steps.push({ status: known, at: updated_at });
  }
  return steps;
}
