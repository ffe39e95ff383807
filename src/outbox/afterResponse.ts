import type { PaidErrorCode } from '../contract/reasons.ts';
import { later, MINUTE } from '../kit/clock.ts';
import { nextSendAttempt } from '../nudges/retries.ts';
import { mayPass, type ProviderResponse, type Refusal } from '../providers/provider.ts';
import type { LockedSend } from './lockSql.ts';
import { OUTCOME_UNKNOWN } from './states.ts';

/**
 * The send after its provider answered or failed to (interface 2.4, 2.13). A send is queued again only when the provider
 * certainly did not accept it. An unknown outcome is final and stays charged: a retry could send the nudge twice.
 * `refusedBefore`: the provider refused an earlier attempt.
 */
export function afterResponse(
  send: LockedSend,
  { answer, refusedBefore }: { answer: ProviderResponse; refusedBefore: boolean },
  now: Date,
  random: () => number,
): LockedSend {
  const settled: LockedSend = { ...send, ...NOT_IN_PROGRESS };
  switch (answer.outcome) {
    case 'accepted':
      return { ...settled, state: 'accepted' };
    case 'unknown':
      return outcomeUnknown(send, now);
    case 'not_taken': {
      const again = nextSendAttempt(send.channel, send.attempts, now, random);
      if (again !== null) return queuedAgain(settled, again);
      return refusedBefore ? refused(settled, 'busy', now) : neverSubmitted(settled, now);
    }
    case 'not_set_up': {
      // A missing provider account uses up no attempt. The count stays at 1 or more, since the permit counts the send
      // against the daily cap when it is 0.
      const attempts = Math.max(1, send.attempts - 1);
      return queuedAgain({ ...settled, attempts }, later(now, Math.round(SET_UP_WAIT_MS * (1 + random()))));
    }
    case 'refused': {
      const again = mayPass(answer.because)
        ? nextSendAttempt(send.channel, send.attempts, now, random)
        : null;
      if (again === null) return refused(settled, answer.because, now);
      const notBefore = later(now, answer.retryAfterMs ?? 0);
      return queuedAgain(settled, notBefore > again ? notBefore : again);
    }
  }
}

/** Whether the send is queued again after this answer. */
export const isRetried = (send: LockedSend, answer: ProviderResponse): boolean =>
  afterResponse(send, { answer, refusedBefore: false }, send.created_at, () => 0).state === 'queued';

/** Nobody knows whether the send went out, and nothing sends it again. A delivery report can still correct it. */
export const outcomeUnknown = (send: LockedSend, now: Date): LockedSend => ({
  ...send,
  state: 'failed',
  reason: OUTCOME_UNKNOWN,
  error_code: codeFor(send, 'submit_outcome_unknown'),
  ...NOT_IN_PROGRESS,
  last_status_at: now,
});

const NOT_IN_PROGRESS = { due_at: null, lease: null, attempt_token: null } as const;

/** The wait is between this and twice this, so that the sends of a channel without an account do not all retry at once. */
const SET_UP_WAIT_MS = MINUTE;

const queuedAgain = (send: LockedSend, at: Date): LockedSend => ({
  ...send,
  state: 'queued',
  due_at: at,
  submitted_at: null,
});

/** No attempt reached the provider, so the send costs nothing. */
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

/** The provider refused every attempt because we exceed its limits, or because it caps messages to this person. */
const PLATFORM_LIMITED = 'platform_limited' satisfies PaidErrorCode;

const isLimit = (because: Refusal): boolean => because === 'over_limits' || because === 'capped';

type Code = 'submit_outcome_unknown' | 'submit_refused' | 'never_submitted';

/** An email has no error code: its `reason` says how it failed. */
const codeFor = ({ channel }: LockedSend, code: Code): PaidErrorCode | null =>
  channel === 'email' ? null : `${channel}.${code}`;
