import { expect, test } from 'vitest';
import { answerTimeout, failureOf, failureTexts, portRefused, statusRefused } from './failures.ts';

test.each(Object.entries(failureTexts))('what is recorded for %s is read back', (kind, text) => {
  expect(failureOf(text)).toEqual({ kind });
});

test('numbers in a recorded error are read back', () => {
  expect(failureOf(portRefused(25))).toEqual({ kind: 'port', port: 25 });
  expect(failureOf(answerTimeout(10))).toEqual({ kind: 'timeout', seconds: 10 });
  expect(failureOf(answerTimeout(0.4))).toEqual({ kind: 'timeout', seconds: 0.4 });
  expect(failureOf(statusRefused(503, false))).toEqual({ kind: 'status', status: 503 });
  expect(failureOf(statusRefused(301, true))).toEqual({ kind: 'redirect', status: 301 });
});

test.each(['', 'answered', 'answered 20', 'connection refused.', 'something of another version'])(
  '%j is none that this version records',
  (text) => {
    expect(failureOf(text)).toBeNull();
  },
);
