import { expect, test } from 'vitest';
import { DAY, HOUR, later } from '../kit/clock.ts';
import { expiry } from './memberSession.ts';

const BEGAN = new Date('2026-08-01T09:00:00Z');

test('a session ends 12 hours after it was last used', () => {
  expect(expiry(BEGAN, later(BEGAN, 3 * DAY))).toEqual(later(BEGAN, 3 * DAY + 12 * HOUR));
});

test('a session ends 30 days after it began, however often it is used', () => {
  expect(expiry(BEGAN, later(BEGAN, 30 * DAY - HOUR))).toEqual(later(BEGAN, 30 * DAY));
});
