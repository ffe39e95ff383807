import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ENDPOINT_FAILURES_MAX } from '../config/limits.ts';
import { later } from '../kit/clock.ts';
import { type AttemptOutcome, type Health, healthAfter } from './health.ts';

const start = new Date('2026-08-20T09:15:00.000Z');
const healthy: Health = { consecutiveFailures: 0, disabledAt: null, lastSuccessAt: null, lastError: null };
const error = 'answered 500';

type Kind = AttemptOutcome['kind'];

/** The health after these endings, a second apart. */
const healthOf = (kinds: readonly Kind[], from = healthy): Health =>
  kinds.reduce((health, kind, index) => healthAfter(health, ending(kind, index)), from);

const ending = (kind: Kind, index = 0): AttemptOutcome => {
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
