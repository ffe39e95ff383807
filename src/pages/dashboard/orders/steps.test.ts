import { expect, test } from 'vitest';
import type { OrderWord } from '../../../contract/orders.ts';
import { type StatusWord, statusSteps } from './steps.ts';

const word = (status: OrderWord, minute: number, trackingNumber: string | null = null): StatusWord => ({
  status,
  at: new Date(Date.UTC(2026, 0, 1, 12, minute)),
  trackingNumber,
});
const told = (words: readonly StatusWord[]): OrderWord[] => words.map(({ status }) => status);

test('the statuses of messages and events are told by time, the newest first', () => {
  const messages = [word('confirmed', 1), word('shipped', 5)];
  const events = [word('label_created', 3, 'A'), word('in_transit', 7, 'A')];
  expect(told(statusSteps(messages, events))).toEqual([
    'in_transit',
    'shipped',
    'label_created',
    'confirmed',
  ]);
});

test('what is said again is told once, from its first moment on, also by another word of the same meaning', () => {
  const events = [
    word('in_transit', 1, 'A'),
    word('in_transit', 2, 'B'),
    word('available_for_pickup', 3, 'A'),
  ];
  expect(statusSteps([word('ready_for_pickup', 4)], events)).toEqual([events[2], events[0]]);
});

test('a status that comes back is told again', () => {
  const events = [word('in_transit', 1, 'A'), word('delayed', 2, 'A'), word('in_transit', 3, 'A')];
  expect(told(statusSteps([], events))).toEqual(['in_transit', 'delayed', 'in_transit']);
});

test('of the same moment, the event is the latest', () => {
  expect(told(statusSteps([word('shipped', 1)], [word('in_transit', 1, 'A')]))).toEqual([
    'in_transit',
    'shipped',
  ]);
});
