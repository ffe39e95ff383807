import { expect, test } from 'vitest';
import { DAY, HOUR, later, MINUTE } from '../kit/clock.ts';
import { expiry, isSignInFresh } from './session.ts';

const BEGAN = new Date('2026-08-01T09:00:00Z');

test('a session ends 12 hours after it was last used', () => {
  expect(expiry(BEGAN, later(BEGAN, 3 * DAY))).toEqual(later(BEGAN, 3 * DAY + 12 * HOUR));
});

test('a session ends 30 days after it began, however often it is used', () => {
  expect(expiry(BEGAN, later(BEGAN, 30 * DAY - HOUR))).toEqual(later(BEGAN, 30 * DAY));
});

test('a sign-in is fresh for 10 minutes', () => {
  const session = { signedInAt: BEGAN };
  expect(isSignInFresh(session, later(BEGAN, 10 * MINUTE))).toBe(true);
  expect(isSignInFresh(session, later(BEGAN, 10 * MINUTE + 1))).toBe(false);
});
