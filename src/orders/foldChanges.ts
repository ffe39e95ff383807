import type { NewEvent } from '../webhooks/events.ts';
import {
  type AppliedChange,
  applyOrderChange,
  hasNewStatus,
  latestWord,
  type OrderState,
  type Word,
  withWord,
} from './applyChange.ts';
import type { OrderSources, WaitingChange } from './projectorSql.ts';

/** An order while changes are applied to it. */
interface Folded {
  stored: OrderState | null;
  now: OrderState | null;
  /** The last change after which its status is to be looked up; null: none. */
  asking: WaitingChange | null;
}

interface PersonRow {
  business_id: string;
  reference: string;
  email: string;
  named_id: string;
  by_event: boolean;
}

/** Applies changes of one business, in order, to the orders that came with them. */
export class FoldedChanges {
  readonly events: NewEvent[] = [];
  /** Orders that nothing names any more. */
  readonly unnamed: string[] = [];
  readonly #businessId: string;
  readonly #changes: readonly WaitingChange[];
  readonly #orders = new Map<string, Folded>();
  readonly #people = new Map<string, { row: PersonRow; isNew: boolean }>();

  constructor(businessId: string, changes: readonly WaitingChange[]) {
    this.#businessId = businessId;
    this.#changes = changes;
    for (const change of changes) this.#add(change);
  }

  #add(change: WaitingChange): void {
    const folded = this.#orders.get(change.reference) ?? unchanged(change);
    this.#orders.set(change.reference, folded);
    this.#namePerson(change);
    const { order, asksSources } = applyOrderChange(folded.now, orderChange(change));
    if (hasNewStatus(folded.now, order)) this.#tell(change, order);
    folded.now = order;
    if (asksSources) folded.asking = change;
  }

  /** The orders whose sources decide. */
  asked(): string[] {
    return [...this.#orders].flatMap(([reference, { asking }]) => (asking === null ? [] : [reference]));
  }

  addSources(sources: readonly OrderSources[]): void {
    for (const found of sources) {
      const folded = this.#orders.get(found.reference);
      if (!folded?.asking || !folded.now) continue;
      const before = folded.now;
      folded.now = found.is_named ? withWord(before, latestWord(...wordsIn(found))) : null;
      if (folded.now === null) this.unnamed.push(found.reference);
      else if (hasNewStatus(before, folded.now)) this.#tell(folded.asking, folded.now);
    }
  }

  /** The rows of orders that are not as they were. */
  orderRows() {
    return [...this.#orders].flatMap(([reference, { stored, now }]) =>
      now === null || (stored && stored.changeId === now.changeId && !hasNewStatus(stored, now))
        ? []
        : [orderRow(this.#businessId, reference, now)],
    );
  }

  /** The people whom their order did not have, or had from messages alone. */
  peopleRows(): PersonRow[] {
    return [...this.#people.values()].flatMap(({ row, isNew }) =>
      isNew && this.#orders.get(row.reference)?.now ? [row] : [],
    );
  }

  /** The people whose messages may have left an order. */
  mayHaveLeft(): { reference: string; email: string }[] {
    return this.#changes.flatMap(({ recounts, by_event, reference, email }) =>
      recounts && !by_event && email !== null ? [{ reference, email }] : [],
    );
  }

  #namePerson({ id, reference, email, recounts, by_event, named_id, named_by_event }: WaitingChange): void {
    if (email === null || (recounts && !by_event)) return;
    const key = `${reference} ${email}`;
    const known = this.#people.get(key);
    const row = known?.row ?? {
      business_id: this.#businessId,
      reference,
      email,
      named_id: named_id ?? id,
      by_event: named_by_event ?? false,
    };
    const isNew = known?.isNew || named_id === null || (by_event && !row.by_event);
    this.#people.set(key, { row: { ...row, by_event: row.by_event || by_event }, isNew });
  }

  /**
   * An address that is no recipient's yet is found by an erasure under the id that it has with the order. What was looked up may be the
   * word of a push that was stored meanwhile, and not of the shipment that this change names.
   */
  #tell(change: WaitingChange, { status, statusAt }: OrderState): void {
    const { reference, email } = change;
    const isItsWord = change.status === status && change.status_at?.getTime() === statusAt?.getTime();
    const tracking_number = isItsWord ? change.tracking_number : null;
    const named = this.#people.get(`${reference} ${email}`)?.row.named_id ?? change.named_id;
    this.events.push({
      businessId: this.#businessId,
      messageId: null,
      recipientId: email === null ? null : (change.person_id ?? named),
      type: 'order.updated',
      data: {
        reference,
        status,
        status_at: statusAt?.toISOString() ?? null,
        tracking_number,
        recipient_email: email,
      },
    });
  }
}

function unchanged({ order }: WaitingChange): Folded {
  const stored = order && {
    status: order.status,
    statusAt: order.status_at === null ? null : new Date(order.status_at),
    changeId: order.change_id,
    updatedAt: new Date(order.updated_at),
  };
  return { stored, now: stored, asking: null };
}

const orderChange = ({ id, status, status_at, at, recounts }: WaitingChange): AppliedChange => ({
  id,
  status,
  statusAt: status_at,
  at,
  recounts,
});

const orderRow = (
  businessId: string,
  reference: string,
  { status, statusAt, changeId, updatedAt }: OrderState,
) => ({
  business_id: businessId,
  reference,
  status,
  status_at: statusAt,
  change_id: changeId,
  updated_at: updatedAt,
});

const wordsIn = ({ message_status, message_at, event_status, event_at }: OrderSources) =>
  [wordOf(message_status, message_at), wordOf(event_status, event_at)] as const;

const wordOf = (status: string | null, at: Date | null): Word | null =>
  status === null || at === null ? null : { status, at };
