import { nextAttempt } from '../nudges/retries.ts';
import { type Answer, mayPass, type Refusal } from '../providers/provider.ts';
import type { Locked } from './lockSql.ts';
import { OUTCOME_UNKNOWN } from './states.ts';

/** A call that ended, however it did. */
export interface Ended {
  answer: Answer;
  /** An earlier attempt of the same send did reach the provider and was refused. */
  refusedBefore: boolean;
}

/**
 * The send once its provider has answered, or did not (interface 2.4, 2.13). Only what the provider surely did not
 * take is queued again; an unknown outcome is an end, its credit kept.
 */
export function afterAnswer(
  send: Locked,
  { answer, refusedBefore }: Ended,
  now: Date,
  random: () => number,
): Locked {
  const settled: Locked = { ...send, due_at: null, lease: null, attempt_token: null };
  switch (answer.outcome) {
    case 'accepted':
      return { ...settled, state: 'accepted' };
    case 'unknown':
      return {
        ...settled,
        state: 'failed',
        reason: OUTCOME_UNKNOWN,
        error_code: codeFor(send, 'submit_outcome_unknown'),
        last_status_at: now,
      };
    case 'not_taken': {
      const again = nextAttempt(send.channel, send.attempts, now, random);
      if (again !== null) return queuedAgain(settled, again);
      return refusedBefore ? refused(settled, 'busy', now) : neverSubmitted(settled, now);
    }
    case 'refused': {
      const again = mayPass(answer.because) ? nextAttempt(send.channel, send.attempts, now, random) : null;
      return again === null ? refused(settled, answer.because, now) : queuedAgain(settled, again);
    }
  }
}

const queuedAgain = (send: Locked, at: Date): Locked => ({
  ...send,
  state: 'queued',
  due_at: at,
  submitted_at: null,
});

/** Every attempt failed to reach the provider: nothing was sent, nothing is owed. */
const neverSubmitted = (send: Locked, now: Date): Locked => ({
  ...send,
  state: 'rejected',
  reason: send.channel === 'email' ? 'retries_exhausted' : null,
  error_code: codeFor(send, 'never_submitted'),
  charged: false,
  submitted_at: null,
  last_status_at: now,
});

const refused = (send: Locked, because: Refusal, now: Date): Locked => ({
  ...send,
  state: 'rejected',
  reason:
    send.channel === 'email' ? (mayPass(because) ? 'retries_exhausted' : 'esp_refused') : paidReason(because),
  error_code:
    because === 'over_limits' && send.channel !== 'email'
      ? PLATFORM_LIMITED
      : codeFor(send, 'submit_refused'),
  charged: false,
  last_status_at: now,
});

const paidReason = (because: Refusal): string | null =>
  because === 'over_limits' ? PLATFORM_LIMITED : because === 'not_on_whatsapp' ? 'not_reachable' : null;

/** The provider said that we are over its limits, until our attempts ran out. */
const PLATFORM_LIMITED = 'platform_limited';

type Code = 'submit_outcome_unknown' | 'submit_refused' | 'never_submitted';

/** Emails say how they failed by their reason alone. */
const codeFor = ({ channel }: Locked, code: Code): string | null =>
  channel === 'email' ? null : `${channel}.${code}`;
