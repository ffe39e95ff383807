import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AppliedChange,
  applyOrderChange,
  hasNewStatus,
  latestWord,
  type OrderState,
  type Word,
  withWord,
} from './applyChange.ts';

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

const ORDER: OrderState = { status: 'shipped', statusAt: at(10), changeId: 'b', updatedAt: at(11) };

const changed = (change: Partial<AppliedChange>): AppliedChange => ({
  id: 'c',
  status: null,
  statusAt: null,
  at: at(20),
  recounts: false,
  ...change,
});

test.each<[string, Partial<AppliedChange>, Partial<OrderState>, boolean]>([
  ['a later word counts', { status: 'delivered' }, { status: 'delivered', statusAt: at(20) }, false],
  [
    'at its own time',
    { status: 'delivered', statusAt: at(12) },
    { status: 'delivered', statusAt: at(12) },
    false,
  ],
  ['a carrier’s word, unmapped', { status: 'exception' }, { status: 'exception', statusAt: at(20) }, false],
  ['an earlier word is a change, and says nothing', { status: 'confirmed', statusAt: at(9) }, {}, false],
  ['a word of the shop’s own says nothing', { status: 'on_hold' }, {}, false],
  ['no word', {}, {}, false],
  ['the same word of the same time', { status: 'shipped', statusAt: at(10) }, {}, false],
  ['another word of the same time: its sources decide', { status: 'delivered', statusAt: at(10) }, {}, true],
])('%s', (_, change, expected, asks) => {
  expect(applyOrderChange(ORDER, changed(change))).toEqual({
    order: { ...ORDER, changeId: 'c', updatedAt: at(20), ...expected },
    asksSources: asks,
  });
});

test('the first change makes the order', () => {
  expect(applyOrderChange(null, changed({}))).toEqual({
    order: { status: null, statusAt: null, changeId: 'c', updatedAt: at(20) },
    asksSources: false,
  });
});

test('a change that is applied after a newer one leaves the order where the newer one put it', () => {
  expect(applyOrderChange(ORDER, changed({ id: 'a', status: 'delivered' })).order).toEqual({
    ...ORDER,
    status: 'delivered',
    statusAt: at(20),
  });
});

test('a word that went away is no change of the order, and its sources decide', () => {
  expect(applyOrderChange(ORDER, changed({ recounts: true }))).toEqual({ order: ORDER, asksSources: true });
});

test('of a message and an event with the same time the event counts', () => {
  const message = { status: 'shipped', at: at(5) };
  const event = { status: 'picked_up', at: at(5) };
  expect(latestWord(message, event)).toBe(event);
  expect(latestWord({ ...message, at: at(6) }, event)).toMatchObject({ status: 'shipped' });
  expect(latestWord(null, null)).toBeNull();
});

test('only another status or another time of it is news', () => {
  expect(hasNewStatus(null, { ...ORDER, status: null, statusAt: null })).toBe(false);
  expect(hasNewStatus(ORDER, { ...ORDER, changeId: 'z', updatedAt: at(59) })).toBe(false);
  expect(hasNewStatus(ORDER, { ...ORDER, statusAt: at(12) })).toBe(true);
  expect(hasNewStatus(null, ORDER)).toBe(true);
});

/** What shops and carriers say of one order, in any order, with many of the same moment. */
const WORDS = ['confirmed', 'shipped', 'delivered', 'on_hold'] as const;
const KNOWN: ReadonlySet<string> = new Set(['confirmed', 'shipped', 'delivered']);
const sayings = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('push'), word: fc.constantFrom(...WORDS), passes: fc.nat(1) }),
    fc.record({
      kind: fc.constant('rewrite'),
      word: fc.constantFrom(...WORDS),
      which: fc.nat(5),
      passes: fc.nat(1),
    }),
    fc.record({ kind: fc.constant('retract'), which: fc.nat(5) }),
    fc.record({
      kind: fc.constant('event'),
      word: fc.constantFrom('picked_up', 'delivered', 'returned'),
      second: fc.nat(8),
    }),
    fc.record({ kind: fc.constant('batch ends') }),
  ),
  { maxLength: 30 },
);

interface Message {
  word: string;
  at: Date;
  retracted: boolean;
}

const latestOf = (words: readonly Word[]): Word | null =>
  words.reduce<Word | null>(
    (latest, word) => (latest === null || word.at >= latest.at ? word : latest),
    null,
  );

test('whatever is said in whatever batches, the order ends where its sources are', () => {
  fc.assert(
    fc.property(sayings, (said) => {
      const messages: Message[] = [];
      const events: Word[] = [];
      const waiting: AppliedChange[] = [];
      let order: OrderState | null = null;
      let second = 0;
      let changes = 0;
      const change = (of: Partial<AppliedChange>) => {
        waiting.push(changed({ id: String(changes++).padStart(4, '0'), at: at(second), ...of }));
      };
      const sources = () =>
        latestWord(
          latestOf(
            messages
              .filter(({ word, retracted }) => !retracted && KNOWN.has(word))
              .map((one) => ({ status: one.word, at: one.at })),
          ),
          latestOf(events),
        );
      const endBatch = () => {
        let asks = false;
        for (const one of waiting.splice(0)) {
          const applied = applyOrderChange(order, one);
          order = applied.order;
          asks ||= applied.asksSources;
        }
        if (asks && order) order = withWord(order, sources());
      };
      for (const one of said) {
        if ('passes' in one) second += one.passes;
        const message = 'which' in one ? messages[one.which] : undefined;
        if (one.kind === 'push' && 'word' in one) {
          messages.push({ word: one.word, at: at(second), retracted: false });
          change({ status: one.word });
        } else if (one.kind === 'rewrite' && 'word' in one && message && !message.retracted) {
          if (message.word !== one.word) {
            change({ recounts: true });
            Object.assign(message, { word: one.word, at: at(second) });
          }
          change({ status: one.word, statusAt: message.at });
        } else if (one.kind === 'retract' && message) {
          message.retracted = true;
          change({ recounts: true });
        } else if (one.kind === 'event' && 'second' in one) {
          events.push({ status: one.word, at: at(one.second) });
          change({ status: one.word, statusAt: at(one.second) });
        } else if (one.kind === 'batch ends') endBatch();
      }
      endBatch();
      const { status = null, statusAt = null } = Object(order);
      const expected = sources();
      expect({ status, statusAt }).toEqual({
        status: expected?.status ?? null,
        statusAt: expected?.at ?? null,
      });
    }),
    { numRuns: 500 },
  );
});
