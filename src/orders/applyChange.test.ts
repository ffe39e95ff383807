import { expect, test } from 'vitest';
import {
  type AppliedChange,
  applyOrderChange,
  hasNewStatus,
  latestWord,
  type OrderState,
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
