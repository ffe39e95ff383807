import type { MessageState } from './snapshot.ts';

/** What a push changes of an order (docs/adr/0021): something was stored, or `recounts`: a word about its status went away. */
export interface OrderChange {
  id: string;
  reference: string;
  recounts: boolean;
  recipientId: string | null;
  status: string | null;
  /** Null: at the time of the push. */
  statusAt: Date | null;
}

/** `before`: the message that was updated in place; null: it is new, and its id is that of the change. */
export function orderChangesOf(
  before: MessageState | null,
  message: MessageState,
  newId: () => string,
): OrderChange[] {
  const changes: OrderChange[] = [];
  if (before !== null && losesAWord(before, message))
    changes.push({
      ...NO_WORD,
      id: newId(),
      reference: before.reference ?? '',
      recounts: true,
      recipientId: message.recipientId,
    });
  if (message.reference !== null)
    changes.push({
      id: before === null ? message.id : newId(),
      reference: message.reference,
      recounts: false,
      recipientId: message.recipientId,
      ...wordOf(before, message),
    });
  return changes;
}

const NO_WORD = { status: null, statusAt: null };

/** A message that a milestone takes over counts at the time of its event, which may be earlier. */
const losesAWord = (before: MessageState, after: MessageState): boolean =>
  before.reference !== null &&
  (before.reference !== after.reference ||
    (before.orderStatus !== null &&
      (before.orderStatus !== after.orderStatus ||
        (before.milestoneAt === null && after.milestoneAt !== null))));

/** A milestone's word is that of its tracking event, which is a change of its own. */
const wordOf = (before: MessageState | null, message: MessageState) =>
  message.milestoneAt === null
    ? {
        status: message.orderStatus,
        statusAt: before === null ? null : (message.orderStatusAt ?? message.createdAt),
      }
    : NO_WORD;
