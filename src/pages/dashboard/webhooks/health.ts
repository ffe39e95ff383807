import { ENDPOINT_FAILURES_MAX } from '../../../config/limits.ts';
import type { AttemptRow } from '../../../webhooks/deliveriesSql.ts';
import { ATTEMPTS_MAX } from '../../../webhooks/retrySchedule.ts';
import type { Flash } from '../../kit/flash.ts';
import { type FailureWords, failureWords } from './failureWords.ts';

export interface EndpointFacts {
  disabled_at: Date | null;
  consecutive_failures: number;
  last_success_at: Date | null;
  last_error: string | null;
  /** Whether each of the last attempts succeeded, the newest first, at most `ATTEMPTS_JUDGED`. */
  recent: readonly boolean[];
}

export interface EndpointHealth {
  state: 'disabled_by_failures' | 'disabled' | 'failing' | 'unsteady' | 'untried' | 'well';
  tone: 'good' | 'waiting' | 'bad' | 'plain';
  label: string;
  /** Why it is so and what to do, the cause last; none where there is nothing to say. */
  reasons: FailureWords[];
}

/** The attempts that an endpoint's health is judged by. */
export const ATTEMPTS_JUDGED = 50;
const FAILED_IN_A_ROW = 3;
const SHARE_MIN = 0.9;
/** Fewer attempts than this have no share: one failure among three says little. */
const SHARE_OF_MIN = 10;

/** How an endpoint is, for every page. Its count of lost events tells whether failures switched it off, or a person. */
export function endpointHealth(endpoint: EndpointFacts): EndpointHealth {
  const { disabled_at, consecutive_failures: failures, last_success_at, last_error, recent } = endpoint;
  const cause = last_error === null ? [] : [failureWords(last_error)];
  if (disabled_at !== null)
    return failures >= ENDPOINT_FAILURES_MAX
      ? {
          state: 'disabled_by_failures',
          tone: 'bad',
          label: 'Switched off by failures',
          reasons: [DISABLED_BY_FAILURES, ...cause],
        }
      : { state: 'disabled', tone: 'waiting', label: 'Switched off', reasons: [SWITCHED_OFF] };
  const failure = failures > 0 ? lost(failures) : failedAttempts(recent);
  if (failure !== null)
    return { state: 'failing', tone: 'bad', label: 'Failing', reasons: [failure, ...cause] };
  if (last_error !== null)
    return { state: 'unsteady', tone: 'waiting', label: 'The last try failed', reasons: cause };
  return last_success_at === null
    ? { state: 'untried', tone: 'plain', label: 'Nothing delivered yet', reasons: [] }
    : { state: 'well', tone: 'good', label: 'Works', reasons: [] };
}

/** The share of attempts that succeeded, never rounded up: only all of them are 100%. */
export const successRate = ({ attempts, succeeded }: { attempts: number; succeeded: number }): string =>
  attempts === 0 ? '–' : `${Math.floor((succeeded * 1_000) / attempts) / 10}%`;

export const shownDuration = (milliseconds: number): string =>
  milliseconds < 1_000 ? `${milliseconds} ms` : `${Math.ceil(milliseconds / 100) / 10} s`;

/** How the test of an endpoint ended. */
export function testWords(ping: Pick<AttemptRow, 'status_code' | 'error' | 'duration_ms'>): Flash {
  if (ping.error === null)
    return {
      tone: 'good',
      text: `The test arrived: your server answered ${ping.status_code} after ${shownDuration(ping.duration_ms)}.`,
    };
  const { message, advice } = failureWords(ping.error);
  return { tone: 'bad', text: `The test did not arrive. ${message} ${advice}` };
}

/** An endpoint that its failures switched off. */
const DISABLED_BY_FAILURES: FailureWords = {
  message: `It was switched off after ${ENDPOINT_FAILURES_MAX} events in a row could not be delivered.`,
  advice: 'Put that right, send a test, switch the endpoint on again, and then send what it missed.',
};

const SWITCHED_OFF: FailureWords = {
  message: 'It was switched off by hand and gets no events.',
  advice: 'Switch it on again to get the next ones; what it missed can be sent afterwards.',
};

/** Long before an event is lost: its attempts take most of a day. */
function failedAttempts(recent: readonly boolean[]): FailureWords | null {
  const firstSuccess = recent.indexOf(true);
  const inARow = firstSuccess === -1 ? recent.length : firstSuccess;
  const succeeded = recent.filter((success) => success).length;
  const advice = `An event is tried ${ATTEMPTS_MAX} times within a day, then it is lost.`;
  if (inARow >= FAILED_IN_A_ROW) return { message: `The last ${inARow} attempts failed.`, advice };
  if (recent.length >= SHARE_OF_MIN && succeeded < SHARE_MIN * recent.length)
    return { message: `Only ${succeeded} of the last ${recent.length} attempts succeeded.`, advice };
  return null;
}

const lost = (failures: number): FailureWords => ({
  message:
    failures === 1
      ? 'The last event could not be delivered in any of its attempts.'
      : `The last ${failures} events could not be delivered in any of their attempts.`,
  advice: `After ${ENDPOINT_FAILURES_MAX} in a row the endpoint is switched off.`,
});
