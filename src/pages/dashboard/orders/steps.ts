import type { OrderWord } from '../../../contract/orders.ts';
import { statusLabel } from '../../../nudges/orderStatus.ts';

/** A status of an order, as a message or a tracking event tells it. */
export interface StatusWord {
  status: OrderWord;
  at: Date;
  /** Of the tracking event; null: a message. */
  trackingNumber: string | null;
}

/** Each change of an order's status, newest first. At the same moment a message comes before an event, as where the order stands. */
export function statusSteps(
  ofMessages: readonly StatusWord[],
  ofEvents: readonly StatusWord[],
): StatusWord[] {
  const words = [...ofMessages, ...ofEvents].toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const isRepeated = ({ status }: StatusWord, before: StatusWord | undefined): boolean =>
    before !== undefined && statusLabel(before.status) === statusLabel(status);
  return words.filter((word, place) => !isRepeated(word, words[place - 1])).toReversed();
}
