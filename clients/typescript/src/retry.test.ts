import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FailedAttempt, mayRetry, parseRetryAfter, retryDelayMs, waitBeforeRetryMs } from './retry.ts';

const answered = (status: number, code = 'some.code'): FailedAttempt => ({
  kind: 'answered',
  status,
  code,
  retryAfterMs: null,
});
const unanswered = (notSent = false): FailedAttempt => ({ kind: 'no_answer', notSent });
const inProgress = answered(409, 'idempotency.request_in_progress');

test.each<[string, FailedAttempt, always: boolean, ifUntouched: boolean]>([
  ['no answer', unanswered(), true, false],
  ['no connection', unanswered(true), true, true],
  ['429', answered(429), true, true],
  ['500', answered(500), true, false],
  ['502 of a proxy', answered(502, 'client.unexpected_answer'), true, false],
  ['503', answered(503), true, false],
  ['a request in progress', inProgress, true, false],
  ['400', answered(400), false, false],
  ['401', answered(401), false, false],
  ['403', answered(403), false, false],
  ['404', answered(404), false, false],
  ['409 of another code', answered(409, 'idempotency.key_reused'), false, false],
  ['409 of a conflict', answered(409, 'request.conflict'), false, false],
  ['410', answered(410), false, false],
  ['413', answered(413), false, false],
  ['422', answered(422), false, false],
])('after %s a call is repeated or not', (_what, failed, always, ifUntouched) => {
  expect(mayRetry(failed, 'always')).toBe(always);
  expect(mayRetry(failed, 'if_untouched')).toBe(ifUntouched);
});

test('no other 4xx is ever repeated', () => {
  const status = fc.integer({ min: 400, max: 499 }).filter((one) => one !== 429);
  fc.assert(
    fc.property(status, fc.string(), (one, code) => {
      fc.pre(!(one === 409 && code === 'idempotency.request_in_progress'));
      expect(mayRetry(answered(one, code), 'always')).toBe(false);
    }),
  );
});

describe('the pause before the next attempt', () => {
  test.each([
    [1, 0, 100],
    [1, 1, 200],
    [2, 1, 400],
    [3, 1, 800],
    [6, 1, 5_000],
    [6, 0, 2_500],
    [1_000, 1, 5_000],
  ])('grows: attempt %d, random %d', (attempt, random, expected) => {
    expect(retryDelayMs(attempt, null, random)).toBe(expected);
  });

  test('is never shorter than a Retry-After, and spreads those who got the same', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), fc.nat(600_000), random, (attempt, retryAfter, chance) => {
        const delay = retryDelayMs(attempt, retryAfter, chance);
        expect(delay).toBeGreaterThanOrEqual(retryAfter);
        expect(delay).toBeLessThanOrEqual(retryAfter + Math.max(200, retryAfter * 0.2));
      }),
    );
    expect(retryDelayMs(1, 0, 1)).not.toBe(retryDelayMs(1, 0, 0.5));
  });

  test.each([
    ['fits', 200, 60_000, 200],
    ['would pass the deadline', 90_000, 60_000, 59_000],
    ['would end with it', 5_000, 5_000, 4_000],
    ['has no time left for an attempt', 2_000, 900, null],
    ['has no time left at all', 2_000, -5, null],
    ['has no deadline', 5_000, Number.POSITIVE_INFINITY, 5_000],
  ])('that %s', (_what, delay, left, expected) => {
    expect(waitBeforeRetryMs(delay, left, 60_000)).toBe(expected);
  });

  test('is given up only within the last second', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(60_000), (delay, left) => {
        const wait = waitBeforeRetryMs(delay, left, 60_000);
        if (wait === null) expect(left).toBeLessThanOrEqual(1_000);
        else expect(wait).toBeLessThanOrEqual(left);
      }),
    );
  });
});

const NOW = Date.parse('2026-08-20T09:15:00Z');
test.each([
  ['7', 7_000],
  [' 7 ', 7_000],
  ['0', 0],
  ['Thu, 20 Aug 2026 09:15:30 GMT', 30_000],
  ['Thu, 20 Aug 2026 09:14:30 GMT', 0],
  ['soon', null],
  ['-1', null],
  ['1.5', null],
  ['', null],
  [null, null],
])('Retry-After: %s', (header, expected) => {
  expect(parseRetryAfter(header, NOW)).toBe(expected);
});
