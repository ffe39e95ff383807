import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ENDPOINT_FAILURES_MAX, WEBHOOK_RETRIES_MS } from '../config/limits.ts';
import { HOUR, later, MINUTE, SECOND } from '../kit/clock.ts';
import {
  ATTEMPTS_MAX,
  type DeliveryAttemptOutcome,
  type Health,
  healthAfter,
  JITTER,
  nextDeliveryAttempt,
} from './retrySchedule.ts';

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

const start = new Date('2026-08-20T09:15:00.000Z');
const healthy: Health = { consecutiveFailures: 0, disabledAt: null, lastSuccessAt: null, lastError: null };
const error = 'answered 500';

type Kind = DeliveryAttemptOutcome['kind'];

/** The health after these endings, a second apart. */
const healthOf = (kinds: readonly Kind[], from = healthy): Health =>
  kinds.reduce((health, kind, index) => healthAfter(health, ending(kind, index)), from);

const ending = (kind: Kind, index = 0): DeliveryAttemptOutcome => {
  const at = later(start, 1_000 * index);
  return kind === 'delivered' ? { kind, at } : { kind, at, error };
};

const times = (count: number, kind: Kind): Kind[] => Array.from({ length: count }, () => kind);

describe('an endpoint’s health', () => {
  test('a failed attempt is its last error, and counts nothing while the event has attempts left', () => {
    expect(healthOf(times(50, 'failed'))).toEqual({ ...healthy, lastError: error });
  });

  test('an exhausted event counts once', () => {
    expect(healthOf([...times(7, 'failed'), 'exhausted'])).toEqual({
      ...healthy,
      consecutiveFailures: 1,
      lastError: error,
    });
  });

  test('a success clears the last error, begins the count anew and is remembered', () => {
    expect(healthOf([...times(19, 'exhausted'), 'delivered'])).toEqual({
      ...healthy,
      lastSuccessAt: later(start, 19_000),
    });
  });

  test('20 exhausted events in a row disable it, at the moment of the twentieth', () => {
    expect(healthOf(times(19, 'exhausted')).disabledAt).toBeNull();
    expect(healthOf(times(20, 'exhausted'))).toEqual({
      ...healthy,
      consecutiveFailures: 20,
      disabledAt: later(start, 19_000),
      lastError: error,
    });
  });

  test('attempts that fail in between do not break the row', () => {
    const kinds = times(20, 'exhausted').flatMap((kind): Kind[] => ['failed', kind]);
    expect(healthOf(kinds).disabledAt).not.toBeNull();
  });

  test('a success among 38 failures keeps it enabled', () => {
    const kinds: Kind[] = [...times(19, 'exhausted'), 'delivered', ...times(19, 'exhausted')];
    expect(healthOf(kinds)).toMatchObject({ disabledAt: null, consecutiveFailures: 19 });
  });

  test('once disabled, what was still under way changes neither the count nor the moment', () => {
    const disabled = healthOf(times(20, 'exhausted'));
    const { disabledAt, consecutiveFailures } = disabled;
    const late = { disabledAt, consecutiveFailures };
    expect(healthAfter(disabled, ending('exhausted', 99))).toMatchObject(late);
    expect(healthAfter(disabled, ending('failed', 99))).toMatchObject(late);
    expect(healthAfter(disabled, ending('delivered', 99))).toMatchObject({
      ...late,
      lastError: null,
      lastSuccessAt: later(start, 99_000),
    });
  });

  test('it is disabled exactly when some row of exhausted events without a success is long enough', () => {
    const kind = fc.oneof(
      { weight: 12, arbitrary: fc.constant<Kind>('exhausted') },
      { weight: 6, arbitrary: fc.constant<Kind>('failed') },
      { weight: 1, arbitrary: fc.constant<Kind>('delivered') },
    );
    fc.assert(
      fc.property(fc.array(kind, { maxLength: 120 }), (kinds) => {
        const rows = kinds
          .filter((one) => one !== 'failed')
          .map((one) => (one === 'delivered' ? ' ' : 'x'))
          .join('')
          .split(' ');
        const health = healthOf(kinds);
        expect(health.disabledAt !== null).toBe(rows.some((row) => row.length >= ENDPOINT_FAILURES_MAX));
        if (health.disabledAt === null) expect(health.consecutiveFailures).toBe(rows.at(-1)?.length);
        else expect(health.consecutiveFailures).toBe(ENDPOINT_FAILURES_MAX);
      }),
    );
  });
});
