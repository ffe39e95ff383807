import { expect, test } from 'vitest';
import { type Lockable, standingsOf } from './locks.ts';

const item = (key: string, businessId = 'business'): Lockable => ({
  businessId,
  key,
  request: { recipientEmail: 'ann@example.com', phone: null },
});
const locks = (keys: boolean[], recipients = keys.map(() => true)) => ({
  keys,
  recipients,
});

test('an item is free when its key and its recipient are', () => {
  expect(standingsOf([item('a'), item('b')], locks([true, true]))).toEqual(['free', 'free']);
});

test('a key that is being worked on elsewhere is in progress, whoever holds the recipient', () => {
  expect(standingsOf([item('a')], locks([false], [true]))).toEqual(['in_progress']);
  expect(standingsOf([item('a')], locks([false], [false]))).toEqual(['in_progress']);
});

test('a key that comes twice is being worked on when it comes again; another business’s is another key', () => {
  const items = [item('a'), item('a'), item('a', 'other')];
  expect(standingsOf(items, locks([true, true, true]))).toEqual(['free', 'in_progress', 'free']);
});

test('an item whose recipient is busy waits for its turn', () => {
  expect(standingsOf([item('a'), item('b')], locks([true, true], [false, true]))).toEqual([
    'recipient_busy',
    'free',
  ]);
});
