import { expect, test } from 'vitest';
import { later } from '../../kit/clock.ts';
import { throttle } from './throttle.ts';

const start = new Date('2026-08-20T09:15:00Z');

test('a name that has used up its share waits for the window to end, and nobody else does', () => {
  let now = start;
  const tries = throttle({ clock: { now: () => now }, most: 3, windowMs: 60_000, names: 10 });
  for (let count = 0; count < 3; count += 1) {
    expect(tries.isSpent('a')).toBe(false);
    tries.spend('a');
  }
  expect(tries.isSpent('a')).toBe(true);
  expect(tries.isSpent('b')).toBe(false);
  now = later(start, 59_999);
  expect(tries.isSpent('a')).toBe(true);
  now = later(start, 60_000);
  expect(tries.isSpent('a')).toBe(false);
});

test('memory stays bounded: past the limit the least recently used name is forgotten', () => {
  const tries = throttle({ clock: { now: () => start }, most: 1, windowMs: 60_000, names: 2 });
  tries.spend('a');
  tries.spend('b');
  tries.spend('a');
  tries.spend('c');
  expect(tries.isSpent('a')).toBe(true);
  expect(tries.isSpent('b')).toBe(false);
  expect(tries.isSpent('c')).toBe(true);
});
