import type { Dispatcher } from 'undici';
import { isUnavailable } from '../db/errors.ts';
import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, monotonicMs, SECOND } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import type { Log } from '../kit/log.ts';
import type { Sealer } from '../kit/seal.ts';
import { readContents } from './attemptSql.ts';
import { jobKeys } from './claim.ts';
import type { DeliveryContent, Job } from './endpointQueue.ts';
import { envelope } from './events.ts';
import { postWebhook } from './post.ts';
import { type Attempt, recordAttempts } from './record.ts';
import { ATTEMPTS_MAX } from './retrySchedule.ts';
import { openKeys, signedNow } from './signature.ts';

export interface DeliveryAttemptDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  sealer: Sealer;
  /** Guarded: its connections lead to the public internet only. */
  client: Dispatcher;
  random: () => number;
  /** For the metrics. */
  onAttempt?: (outcome: 'delivered' | 'failed' | 'exhausted', durationMs: number) => void;
}

export interface DeliveryAttempts {
  /** Makes the call; null when the endpoint takes nothing any more, or the lease was lost. */
  make(job: Job): Promise<Attempt | null>;
  /** Resolves once it is written down, or is given up: then the lease runs out and the delivery is sent again. */
  record(attempt: Attempt): Promise<void>;
}

/**
 * What a delivery says was read when it was claimed. Older than this, it is read again before it goes out: within
 * this time an erasure reaches every attempt that begins, and so does the end of an endpoint.
 */
export const CONTENT_KEPT_MS = 500;

const LIST_MAX = 1_000;
const READ_LANES = 2;
/** One at a time: what ended first counts first. */
const RECORD_LANES = 1;
const RECORD_BREATH_MS = 5;
const RECORD_TRIES = 3;
const RECORD_PAUSE_MS = SECOND;
/** What is held is bounded, and so is what waits here. */
const NO_BOUND = Number.POSITIVE_INFINITY;

/** The phases of an attempt: read, call, record. Lists around the call, since a round trip costs the same for one. */
export function createDeliveryAttempts(deps: DeliveryAttemptDeps): DeliveryAttempts {
  const { pool, clock, log, client, random } = deps;
  const keysOf = openKeys(deps.sealer);
  const bounds = { maxItems: LIST_MAX, maxWaiting: NO_BOUND, maxWaitingBytes: NO_BOUND, sizeOf: () => 0 };

  const reading = coalesce<Job, DeliveryContent | 'gone'>({
    ...bounds,
    lanes: READ_LANES,
    run: (jobs) => readAgain(pool, jobs),
  });

  const recording = coalesce<Attempt, true>({
    ...bounds,
    lanes: RECORD_LANES,
    run: async (attempts) => {
      await recordList(attempts);
      // A breath: what ends meanwhile goes into one list, and nobody waits for it to be written down.
      await pause(RECORD_BREATH_MS);
      return attempts.map(() => true);
    },
  });

  /** What is wrong with one must not lose the others: a list that fails is written one by one. */
  async function recordList(attempts: readonly Attempt[]): Promise<void> {
    try {
      const disabled = await transaction(pool, (tx) => recordAttempts(tx, attempts, random));
      for (const { business_id, id } of disabled) {
        log.warn({ business_id, endpoint_id: id }, 'webhook endpoint disabled');
      }
    } catch (error) {
      if (attempts.length === 1 || isUnavailable(error)) throw error;
      for (const attempt of attempts) await recordList([attempt]).catch((cause) => lost(attempt, cause));
    }
  }

  const lost = ({ job }: Attempt, error: unknown): void =>
    log.error({ ...idsOf(job), error }, 'webhook attempt could not be written down');

  return {
    async make(job) {
      const content = isFresh(job.content) ? job.content : await reading.add(job);
      if (content === 'gone') return null;
      const { eventId, endpointId } = job;
      const { url, type, body } = content;
      // Signed anew each time, over its own `t`.
      const keys = keysOf(endpointId, content.sealed);
      const headers = signedNow({ keys, eventId, eventType: type, rawBody: body });
      const startedAt = clock.now();
      const answer = await postWebhook(client, { url, headers, body });
      const attempt = { job, answer, startedAt, endedAt: clock.now() };
      report(deps, attempt);
      return attempt;
    },

    async record(attempt) {
      for (let tries = 1; ; tries += 1) {
        try {
          await recording.add(attempt);
          return;
        } catch (error) {
          if (!isUnavailable(error) || tries === RECORD_TRIES) return lost(attempt, error);
          await pause(RECORD_PAUSE_MS);
        }
      }
    },
  };
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const isFresh = ({ readAt }: DeliveryContent): boolean => monotonicMs() - readAt <= CONTENT_KEPT_MS;

async function readAgain(pool: Pool, jobs: readonly Job[]): Promise<(DeliveryContent | 'gone')[]> {
  const rows = await readContents(pool, ...jobKeys(jobs));
  const readAt = monotonicMs();
  const contents = jobs.map((): DeliveryContent | 'gone' => 'gone');
  for (const { position, url, secret_sealed, live, ...event } of rows) {
    if (live)
      contents[position - 1] = {
        url,
        sealed: secret_sealed,
        type: event.type,
        body: envelope(event),
        readAt,
      };
  }
  return contents;
}

function report({ log, onAttempt }: DeliveryAttemptDeps, { job, answer }: Attempt): void {
  const attempt = job.attempts + 1;
  const outcome = answer.delivered ? 'delivered' : attempt < ATTEMPTS_MAX ? 'failed' : 'exhausted';
  onAttempt?.(outcome, answer.durationMs);
  log.info(
    {
      business_id: job.businessId,
      endpoint_id: job.endpointId,
      event_id: job.eventId,
      attempt,
      outcome,
      status_code: answer.statusCode,
      reason: answer.error,
      duration_ms: answer.durationMs,
    },
    'webhook attempt',
  );
}

export const idsOf = ({ businessId, endpointId, eventId }: Job) => ({
  business_id: businessId,
  endpoint_id: endpointId,
  event_id: eventId,
});
