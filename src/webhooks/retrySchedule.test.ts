import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WEBHOOK_RETRIES_MS } from '../config/limits.ts';
import { HOUR, later, MINUTE, SECOND } from '../kit/clock.ts';
import { ATTEMPTS_MAX, JITTER, nextDeliveryAttempt } from './retrySchedule.ts';

const failedAt = new Date('2026-08-20T09:15:00.000Z');

describe('after a failed attempt the next one follows', () => {
  test.each([
    [1, 5 * SECOND],
    [2, MINUTE],
    [3, 5 * MINUTE],
    [4, 30 * MINUTE],
    [5, 2 * HOUR],
    [6, 5 * HOUR],
    [7, 10 * HOUR],
  ])('attempt %i: %i ms later, without jitter', (made, delay) => {
    expect(nextDeliveryAttempt(made, failedAt, () => 0)).toEqual(later(failedAt, delay));
  });

  test('the eighth is the last', () => {
    expect(ATTEMPTS_MAX).toBe(8);
    expect(nextDeliveryAttempt(8, failedAt, () => 0)).toBeNull();
  });

  test('never before its delay is over, and at most a fifth of it later', () => {
    const made = fc.integer({ min: 1, max: ATTEMPTS_MAX - 1 });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(made, random, fc.date({ noInvalidDate: true, max: new Date('2200-01-01') }), (n, r, at) => {
        const delay = WEBHOOK_RETRIES_MS[n - 1] ?? 0;
        const waited = (nextDeliveryAttempt(n, at, () => r)?.getTime() ?? 0) - at.getTime();
        expect(waited).toBeGreaterThanOrEqual(delay);
        expect(waited).toBeLessThanOrEqual(delay * (1 + JITTER));
      }),
    );
  });

  test('what failed together is spread over the whole of the jitter', () => {
    const at = (random: number) => nextDeliveryAttempt(2, failedAt, () => random);
    expect(at(0)).toEqual(later(failedAt, 60_000));
    expect(at(0.5)).toEqual(later(failedAt, 66_000));
    expect(at(0.999999)).toEqual(later(failedAt, 71_999));
  });
});
