import { expect, test } from 'vitest';
import { later } from '../kit/clock.ts';
import { sourceOf, throttle } from './throttle.ts';

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

test('memory stays bounded: past the number of names the one heard of longest ago is forgotten', () => {
  const tries = throttle({ clock: { now: () => start }, most: 1, windowMs: 60_000, names: 2 });
  tries.spend('a');
  tries.spend('b');
  tries.spend('a');
  tries.spend('c');
  expect(tries.isSpent('a')).toBe(true);
  expect(tries.isSpent('b')).toBe(false);
  expect(tries.isSpent('c')).toBe(true);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['not an address', 'not an address'],
])('%s counts as %s', (ip, source) => {
  expect(sourceOf(ip)).toBe(source);
});

test.each([
  ['127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.7', '198.51.100.1, 203.0.113.9, 192.168.1.1', '203.0.113.9'],
  ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['127.0.0.1', 'nonsense', '127.0.0.1'],
  ['127.0.0.1', '', '127.0.0.1'],
])('asked by %s for %j, it counts as %s', (ip, forwardedFor, source) => {
  expect(sourceOf(ip, forwardedFor)).toBe(source);
});

test('whoever has a /64 of IPv6 counts once', () => {
  expect(sourceOf('2001:db8:1:2:3:4:5:6')).toBe(sourceOf('2001:db8:1:2::1'));
  expect(sourceOf('2001:db8:1:2::1')).not.toBe(sourceOf('2001:db8:1:3::1'));
});
