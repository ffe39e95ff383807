import { describe, expect, test } from 'vitest';
import { MINUTE } from '../kit/clock.ts';
import { nextSendAttempt } from './retries.ts';

const start = new Date('2026-08-20T09:00:00.000Z');

/** The attempts in all, and the minutes from the first to the last, when every attempt is made on time. */
function span(channel: 'email' | 'sms' | 'whatsapp', random: number): { attempts: number; minutes: number } {
  let at = start;
  for (let attempts = 1; ; attempts += 1) {
    const next = nextSendAttempt(channel, attempts, at, () => random);
    if (next === null) {
      return { attempts, minutes: (at.getTime() - start.getTime()) / MINUTE };
    }
    at = next;
  }
}

describe('what surely was not taken is tried again', () => {
  test('an email five times over about half an hour', () => {
    expect(span('email', 0).attempts).toBe(5);
    expect(span('email', 0).minutes).toBeGreaterThan(28);
    expect(span('email', 1).minutes).toBeLessThan(34);
  });

  test.each(['sms', 'whatsapp'] as const)(
    'a message by %s three times over about five minutes',
    (channel) => {
      expect(span(channel, 0).attempts).toBe(3);
      expect(span(channel, 0).minutes).toBeGreaterThan(4.5);
      expect(span(channel, 1).minutes).toBeLessThan(6);
    },
  );
});
