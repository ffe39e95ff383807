import { ORDER_STATUSES } from '../contract/orderStatuses.ts';
import { trackingStatuses } from '../contract/orders.ts';

/** What is known of an order besides its people. */
export interface OrderState {
  status: string | null;
  statusAt: Date | null;
  /** The newest change, and its time. */
  changeId: string;
  updatedAt: Date;
}

/** A row of `order_changes`, as far as it concerns the order's state. */
export interface AppliedChange {
  id: string;
  status: string | null;
  /** Null: at the time of the change. */
  statusAt: Date | null;
  at: Date;
  recounts: boolean;
}

export interface Word {
  status: string;
  at: Date;
}

const WORDS: ReadonlySet<string> = new Set([...ORDER_STATUSES, ...trackingStatuses]);

/** Any other status of a message counts as none. */
export const ORDER_WORDS: readonly string[] = [...WORDS];

/**
 * The order after a change. The latest word by time counts. `asksSources`: its status is to be looked up among its messages and events
 * once the other changes are applied, because a message left the order, or because two words have the same time.
 */
export function applyOrderChange(order: OrderState | null, change: AppliedChange) {
  const before: OrderState = order ?? {
    status: null,
    statusAt: null,
    changeId: change.id,
    updatedAt: change.at,
  };
  if (change.recounts) return { order: before, asksSources: true };
  const moved =
    change.id > before.changeId ? { ...before, changeId: change.id, updatedAt: change.at } : before;
  const word = wordOf(change);
  const ahead = word === null ? -1 : word.at.getTime() - (before.statusAt?.getTime() ?? -Infinity);
  if (word === null || ahead < 0) return { order: moved, asksSources: false };
  if (ahead === 0) return { order: moved, asksSources: word.status !== before.status };
  return { order: { ...moved, status: word.status, statusAt: word.at }, asksSources: false };
}

function wordOf({ status, statusAt, at }: AppliedChange): Word | null {
  return status !== null && WORDS.has(status) ? { status, at: statusAt ?? at } : null;
}

/** What the sources say of an order's status: the latest word of its messages, and its latest tracking event. */
export const latestWord = (ofMessages: Word | null, ofEvents: Word | null): Word | null =>
  ofMessages !== null && (ofEvents === null || ofMessages.at > ofEvents.at) ? ofMessages : ofEvents;

export const withWord = (order: OrderState, word: Word | null): OrderState => ({
  ...order,
  status: word?.status ?? null,
  statusAt: word?.at ?? null,
});

/** Whether merchants are to hear of it (interface: `order.updated`). */
export const hasNewStatus = (before: OrderState | null, after: OrderState): boolean =>
  (before?.status ?? null) !== after.status ||
  (before?.statusAt?.getTime() ?? null) !== (after.statusAt?.getTime() ?? null);
