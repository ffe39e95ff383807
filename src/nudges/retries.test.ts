import { describe, expect, test } from 'vitest';
import { MINUTE } from '../kit/clock.ts';
import { maxAttempts, nextSendAttempt } from './retries.ts';

const start = new Date('2026-08-20T09:00:00.000Z');

/** Minutes from the first attempt to the last, when every attempt is made on time. */
function span(channel: 'email' | 'sms' | 'whatsapp', random: number): number {
  let at = start;
  for (let attempts = 1; ; attempts += 1) {
    const next = nextSendAttempt(channel, attempts, at, () => random);
    if (next === null) {
      expect(attempts).toBe(maxAttempts(channel));
      return (at.getTime() - start.getTime()) / MINUTE;
    }
    at = next;
  }
}

describe('what surely was not taken is tried again', () => {
  test('an email five times over about half an hour', () => {
    expect(maxAttempts('email')).toBe(5);
    expect(span('email', 0)).toBeGreaterThan(28);
    expect(span('email', 1)).toBeLessThan(34);
  });

  test.each(['sms', 'whatsapp'] as const)(
    'a message by %s three times over about five minutes',
    (channel) => {
      expect(maxAttempts(channel)).toBe(3);
      expect(span(channel, 0)).toBeGreaterThan(4.5);
      expect(span(channel, 1)).toBeLessThan(6);
    },
  );
});
