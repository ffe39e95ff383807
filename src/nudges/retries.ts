import type { Channel } from '../contract/channels.ts';
import { later, MINUTE, SECOND } from '../kit/clock.ts';

/** Waits between attempts: 5 attempts of an email over about 30 minutes, 3 of a paid message over about 5. */
const EMAIL_WAITS_MS = [30 * SECOND, 2 * MINUTE, 7 * MINUTE, 20 * MINUTE] as const;
const PAID_WAITS_MS = [MINUTE, 4 * MINUTE] as const;

/** Spreads the retries of sends that failed at the same time. */
const JITTER = 0.1;

/** When to retry after this many attempts, none of which was accepted; null: no attempts are left. */
export function nextSendAttempt(
  channel: Channel,
  attempts: number,
  now: Date,
  random: () => number,
): Date | null {
  const waits: readonly number[] = channel === 'email' ? EMAIL_WAITS_MS : PAID_WAITS_MS;
  const wait = waits[attempts - 1];
  return wait === undefined ? null : later(now, Math.round(wait * (1 + JITTER * random())));
}
