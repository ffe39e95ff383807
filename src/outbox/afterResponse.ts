import { later, MINUTE } from '../kit/clock.ts';
import { nextSendAttempt } from '../nudges/retries.ts';
import { mayPass, type ProviderResponse, type Refusal } from '../providers/provider.ts';
import type { LockedSend } from './lockSql.ts';
import { OUTCOME_UNKNOWN } from './states.ts';

/** A call that ended, however it did. */
export interface AttemptOutcome {
  answer: ProviderResponse;
  /** An earlier attempt of the same send did reach the provider and was refused. */
  refusedBefore: boolean;
}

/**
 * The send once its provider has answered, or did not (interface 2.4, 2.13). Only what the provider surely did not
 * take is queued again; an unknown outcome is an end, its credit kept.
 */
export function afterResponse(
  send: LockedSend,
  { answer, refusedBefore }: AttemptOutcome,
  now: Date,
  random: () => number,
): LockedSend {
  const settled: LockedSend = { ...send, due_at: null, lease: null, attempt_token: null };
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
      const again = nextSendAttempt(send.channel, send.attempts, now, random);
      if (again !== null) return queuedAgain(settled, again);
      return refusedBefore ? refused(settled, 'busy', now) : neverSubmitted(settled, now);
    }
    case 'not_set_up': {
      // Not its fault, so it costs no attempt; but the first, with which it was counted, is never given back.
      const attempts = Math.max(1, send.attempts - 1);
      return queuedAgain({ ...settled, attempts }, later(now, Math.round(SET_UP_WAIT_MS * (1 + random()))));
    }
    case 'refused': {
      const again = mayPass(answer.because)
        ? nextSendAttempt(send.channel, send.attempts, now, random)
        : null;
      return again === null ? refused(settled, answer.because, now) : queuedAgain(settled, again);
    }
  }
}

/** Between this and twice as much: what waits for the operator need not come back all at once. */
const SET_UP_WAIT_MS = MINUTE;

const queuedAgain = (send: LockedSend, at: Date): LockedSend => ({
  ...send,
  state: 'queued',
  due_at: at,
  submitted_at: null,
});

/** Every attempt failed to reach the provider: nothing was sent, nothing is owed. */
const neverSubmitted = (send: LockedSend, now: Date): LockedSend => ({
  ...send,
  state: 'rejected',
  reason: send.channel === 'email' ? 'retries_exhausted' : null,
  error_code: codeFor(send, 'never_submitted'),
  charged: false,
  submitted_at: null,
  last_status_at: now,
});

const refused = (send: LockedSend, because: Refusal, now: Date): LockedSend => ({
  ...send,
  state: 'rejected',
  reason:
    send.channel === 'email' ? (mayPass(because) ? 'retries_exhausted' : 'esp_refused') : paidReason(because),
  error_code:
    isLimit(because) && send.channel !== 'email' ? PLATFORM_LIMITED : codeFor(send, 'submit_refused'),
  charged: false,
  last_status_at: now,
});

function paidReason(because: Refusal): string | null {
  if (isLimit(because)) return PLATFORM_LIMITED;
  if (because === 'not_on_whatsapp') return 'not_reachable';
  if (because === 'template') return 'template_not_sendable';
  return because === 'stopped' ? 'stopped' : null;
}

/** The provider said that we are over its limits, until our attempts ran out; or that this person has had enough. */
const PLATFORM_LIMITED = 'platform_limited';

const isLimit = (because: Refusal): boolean => because === 'over_limits' || because === 'capped';

type Code = 'submit_outcome_unknown' | 'submit_refused' | 'never_submitted';

/** Emails say how they failed by their reason alone. */
const codeFor = ({ channel }: LockedSend, code: Code): string | null =>
  channel === 'email' ? null : `${channel}.${code}`;
