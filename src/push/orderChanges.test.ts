import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FoldedChanges } from '../orders/foldChanges.ts';
import type { OrderSources, WaitingChange } from '../orders/projectorSql.ts';
import { orderChangesOf } from './orderChanges.ts';
import type { MessageState } from './snapshot.ts';

const BUSINESS = 'shop';
const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

const REFERENCES = ['1001', '1002'];
const WORDS = ['shipped', 'delivered', 'on_hold', null];
const isWord = (status: string | null): status is string => status !== null && status !== 'on_hold';

const reference = fc.constantFrom(...REFERENCES);
const happening = fc.oneof(
  fc.record({
    kind: fc.constant('push' as const),
    reference: fc.option(reference, { freq: 5 }),
    status: fc.constantFrom(...WORDS),
    which: fc.nat(2),
  }),
  fc.record({
    kind: fc.constant('milestone' as const),
    reference,
    status: fc.constantFrom('shipped', 'delivered'),
    second: fc.nat(4),
    which: fc.nat(2),
  }),
  fc.record({
    kind: fc.constant('event' as const),
    reference,
    status: fc.constantFrom('picked_up', 'delivered'),
    second: fc.nat(4),
  }),
  fc.record({ kind: fc.constant('retraction' as const), which: fc.nat(2) }),
  fc.record({ kind: fc.constant('second passes' as const) }),
  fc.record({ kind: fc.constant('batch ends' as const) }),
);

interface Word {
  status: string;
  at: Date;
}

/** What was said of two orders, as lists, and what a projector made of it. */
class Shop {
  readonly messages: (MessageState & { isRetracted: boolean })[] = [];
  readonly events: (Word & { reference: string })[] = [];
  readonly orders = new Map<string, NonNullable<WaitingChange['order']>>();
  told: { reference: string; status: string | null; statusAt: string | null }[] = [];
  now = 0;
  #waiting: WaitingChange[] = [];
  #ids = 0;

  newId(): string {
    this.#ids += 1;
    return String(this.#ids).padStart(4, '0');
  }

  push(which: number, said: Pick<MessageState, 'reference' | 'orderStatus' | 'milestoneAt'>): void {
    const before = this.messages[which];
    const now = at(this.now);
    const same = before?.orderStatus === said.orderStatus;
    const message: MessageState = before
      ? { ...before, ...said, updatedAt: now, orderStatusAt: same ? before.orderStatusAt : now }
      : { ...NEW_MESSAGE, ...said, id: this.newId(), createdAt: now, updatedAt: now };
    if (before?.isRetracted) return;
    for (const change of orderChangesOf(before ?? null, message, () => this.newId()))
      this.change({ ...change, status_at: change.statusAt });
    this.messages[before ? which : this.messages.length] = { ...message, isRetracted: false };
  }

  report(reference: string, status: string, second: number): void {
    this.events.push({ reference, status, at: at(second) });
    this.change({ reference, status, status_at: at(second) });
  }

  retract(which: number): void {
    const message = this.messages[which];
    if (!message || message.isRetracted) return;
    message.isRetracted = true;
    if (message.reference !== null) this.change({ reference: message.reference, recounts: true });
  }

  change(change: Partial<WaitingChange> & { reference: string }): void {
    this.#waiting.push({
      id: this.newId(),
      status: null,
      status_at: null,
      tracking_number: null,
      at: at(this.now),
      recounts: false,
      by_event: false,
      email: null,
      person_id: null,
      named_id: null,
      named_by_event: null,
      order: null,
      ...change,
    });
  }

  applyChanges(): void {
    const changes = this.#waiting
      .splice(0)
      .map((change) => ({ ...change, order: this.orders.get(change.reference) ?? null }));
    const folded = new FoldedChanges(BUSINESS, changes);
    folded.addSources(folded.asked().map((one) => this.#sourcesOf(one)));
    for (const { reference: order, status, status_at, change_id, updated_at } of folded.orderRows())
      this.orders.set(order, {
        status,
        status_at: status_at?.toISOString() ?? null,
        change_id,
        updated_at: updated_at.toISOString(),
      });
    for (const { type, data } of folded.events)
      if (type === 'order.updated')
        this.told.push({ reference: data.reference ?? '', status: data.status, statusAt: data.status_at });
    // One that is named again is a new one.
    for (const order of folded.unnamed) {
      this.orders.delete(order);
      this.told = this.told.filter((one) => one.reference !== order);
    }
  }

  /** As `readSources` reads them. */
  #sourcesOf(order: string): OrderSources {
    const messages = this.messages.filter((message) => message.reference === order);
    const word = latest(
      messages
        .filter(({ isRetracted, milestoneAt }) => !isRetracted && milestoneAt === null)
        .flatMap((message) => wordOf(message) ?? []),
    );
    const event = latest(this.events.filter((one) => one.reference === order));
    return {
      reference: order,
      is_named: messages.length > 0 || event !== null,
      message_status: word?.status ?? null,
      message_at: word?.at ?? null,
      event_status: event?.status ?? null,
      event_at: event?.at ?? null,
    };
  }

  /** By the interface: the latest word of messages and events, a milestone's message at its event's time. Null: none. */
  wordsOf(order: string): Word[] | null {
    const messages = this.messages.filter((message) => message.reference === order);
    const events = this.events.filter((one) => one.reference === order);
    if (messages.length === 0 && events.length === 0) return null;
    const words = messages
      .filter(({ isRetracted }) => !isRetracted)
      .flatMap((message) => {
        const word = wordOf(message);
        return word ? [{ ...word, at: message.milestoneAt ?? word.at }] : [];
      });
    const newest = latest([...words, ...events])?.at.getTime();
    const event = events.findLast((one) => one.at.getTime() === newest);
    return event ? [event] : words.filter((one) => one.at.getTime() === newest);
  }
}

const wordOf = ({ orderStatus, orderStatusAt, createdAt }: MessageState): Word | null =>
  isWord(orderStatus) ? { status: orderStatus, at: orderStatusAt ?? createdAt } : null;

const latest = (words: readonly Word[]): Word | null =>
  words.reduce<Word | null>((best, word) => (best === null || word.at >= best.at ? word : best), null);

const NEW_MESSAGE: Omit<MessageState, 'id' | 'createdAt' | 'updatedAt'> = {
  recipientId: 'ann',
  recipientEmail: 'ann@example.com',
  subject: 'Your order',
  body: 'x',
  reference: null,
  orderStatus: null,
  orderStatusAt: null,
  trackingNumber: null,
  milestoneAt: null,
  toldByHand: [],
  kind: 'updateable',
  status: 'active',
  scheduledFor: null,
  unreadAgain: false,
  waiting: [],
};

test('whatever is pushed, updated, moved, retracted and reported, in whatever batches: orders are where it leads, and each step is told once', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 30 }), (list) => {
      const shop = new Shop();
      for (const one of list) {
        if (one.kind === 'push')
          shop.push(one.which, { reference: one.reference, orderStatus: one.status, milestoneAt: null });
        if (one.kind === 'event' || one.kind === 'milestone')
          shop.report(one.reference, one.status, one.second);
        if (one.kind === 'milestone')
          shop.push(one.which, {
            reference: one.reference,
            orderStatus: one.status,
            milestoneAt: at(one.second),
          });
        if (one.kind === 'retraction') shop.retract(one.which);
        if (one.kind === 'second passes') shop.now += 1;
        if (one.kind === 'batch ends') shop.applyChanges();
      }
      shop.applyChanges();
      for (const order of REFERENCES) {
        const words = shop.wordsOf(order);
        const row = shop.orders.get(order);
        expect(row === undefined).toBe(words === null);
        const told = shop.told.filter((one) => one.reference === order);
        const steps = told.map(({ status, statusAt }) => `${status} ${statusAt}`);
        expect(steps.every((step, place) => step !== (steps[place - 1] ?? 'null null'))).toBe(true);
        if (!row || !words) continue;
        const state = `${row.status} ${row.status_at}`;
        const may = words.map(({ status, at: since }) => `${status} ${since.toISOString()}`);
        expect(may.length === 0 ? ['null null'] : may).toContain(state);
        expect(steps.at(-1) ?? 'null null').toBe(state);
      }
    }),
    { numRuns: 300 },
  );
});

test('a milestone that takes over a message by hand takes its word with it', () => {
  const before = {
    ...NEW_MESSAGE,
    id: '1',
    createdAt: at(9),
    updatedAt: at(9),
    reference: '1001',
    orderStatus: 'shipped',
  };
  const changes = orderChangesOf(before, { ...before, milestoneAt: at(5) }, () => '2');
  expect(changes).toMatchObject([{ recounts: true, reference: '1001' }, { status: null }]);
  const again = orderChangesOf(
    { ...before, milestoneAt: at(5) },
    { ...before, milestoneAt: at(7) },
    () => '3',
  );
  expect(again).toMatchObject([{ recounts: false, status: null }]);
});
