import type { Dispatcher } from 'undici';
import { eachShard } from '../db/eachShard.ts';
import { isUnavailable } from '../db/errors.ts';
import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, monotonicMs, pause, SECOND } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import type { Log } from '../kit/log.ts';
import type { Sealer } from '../kit/seal.ts';
import { type TraceSpan, type Tracing, traceFields } from '../kit/tracing.ts';
import { readContents, readTracedContents } from './attemptSql.ts';
import { jobKeys } from './claim.ts';
import type { EndpointRef } from './claimShares.ts';
import type { DeliveryContent, Job } from './endpointQueue.ts';
import { envelope } from './events.ts';
import { postWebhook, type WebhookAnswer } from './post.ts';
import { type Attempt, recordDeliveryAttempts } from './record.ts';
import { ATTEMPTS_MAX } from './retrySchedule.ts';
import { openKeys, signedWebhookHeaders, signingSecret } from './signature.ts';

export interface DeliveryAttemptDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  sealer: Sealer;
  /** Connects to the public internet only (guardedClient.ts). */
  client: Dispatcher;
  random: () => number;
  onAttempt?: (outcome: 'delivered' | 'failed' | 'exhausted', durationMs: number) => void;
  /** An endpoint was disabled because it failed for too long. */
  onDisabled?: () => void;
  tracing?: Tracing | null;
}

/**
 * A claim also reads the content. Content older than this is read again before the call, so an erasure, or an
 * endpoint's deletion, reaches every attempt that starts this long after it.
 */
export const CONTENT_KEPT_MS = 500;

const LIST_MAX = 1_000;
const READS_AT_ONCE = 2;
/** One at a time, so an endpoint's outcomes count in the order in which they ended. */
const RECORDS_AT_ONCE = 1;
const RECORD_COLLECT_MS = 5;
const RECORD_TRIES = 3;
const RECORD_PAUSE_MS = SECOND;
/** The worker bounds the deliveries that it holds, so these queues need no bound of their own. */
const LIST_BOUNDS = { maxItems: LIST_MAX, maxWaiting: Number.POSITIVE_INFINITY };

/** Reads and records go in lists, because a round trip costs the same for one row as for many. */
export function createDeliveryAttempts(deps: DeliveryAttemptDeps) {
  const { pool, clock, client, tracing } = deps;
  const keysOf = openKeys(deps.sealer);
  const reading = coalesce<Job, DeliveryContent | 'gone'>({
    ...LIST_BOUNDS,
    concurrency: READS_AT_ONCE,
    run: (jobs) => readFresh(pool, jobs, tracing ? readTracedContents : readContents),
  });
  return {
    /** Calls the endpoint; null when the endpoint is disabled or deleted, or another worker has the lease. */
    async make(job: Job): Promise<Attempt | null> {
      const content = isFresh(job.content) ? job.content : await reading.add(job);
      if (content === 'gone') return null;
      const { eventId, endpointId } = job;
      const { url, type, body } = content;
      // Each attempt has its own `t`, so each is signed again.
      const startedAt = clock.now();
      const keys = keysOf(endpointId, signingSecret(content.secrets, startedAt));
      const headers = signedWebhookHeaders({ keys, eventId, eventType: type, rawBody: body });
      const span = tracing ? deliverySpan(tracing, job, content) : null;
      if (span) headers.traceparent = span.context;
      const answer = await postWebhook(client, { url, headers, body });
      if (span) endDeliverySpan(span, answer);
      const attempt = { job, url, answer, startedAt, endedAt: clock.now() };
      logAttempt(deps, attempt, span);
      return attempt;
    },
    /** Resolves once the outcome is recorded. If recording fails, the lease expires and the delivery is sent again. */
    record: createRecorder(deps),
  };
}

function createRecorder(deps: DeliveryAttemptDeps): (attempt: Attempt) => Promise<void> {
  const { pool, log, random } = deps;
  const recording = coalesce<Attempt, true>({
    ...LIST_BOUNDS,
    concurrency: RECORDS_AT_ONCE,
    run: async (attempts) => {
      await eachShard(pool, attempts, ({ job }) => job.businessId, recordList);
      // A short pause collects the outcomes that arrive meanwhile into one list. No caller waits for it.
      await pause(RECORD_COLLECT_MS);
      return attempts.map(() => true);
    },
  });

  /** One bad row must not fail the others: a list that fails is written attempt by attempt. */
  async function recordList(attempts: readonly Attempt[]): Promise<void> {
    try {
      const disabled = await transaction(pool, (tx) => recordDeliveryAttempts(tx, attempts, random));
      for (const { businessId, endpointId } of disabled) {
        log.warn({ business_id: businessId, endpoint_id: endpointId }, 'webhook endpoint disabled');
        deps.onDisabled?.();
      }
    } catch (error) {
      if (attempts.length === 1 || isUnavailable(error)) throw error;
      for (const attempt of attempts)
        await recordList([attempt]).catch((cause) => logNotRecorded(attempt, cause));
    }
  }

  const logNotRecorded = ({ job }: Attempt, error: unknown): void =>
    log.error({ ...idsOf(job), error }, 'webhook attempt not recorded');

  return async (attempt) => {
    for (let tries = 1; ; tries += 1) {
      try {
        await recording.add(attempt);
        return;
      } catch (error) {
        if (!isUnavailable(error) || tries === RECORD_TRIES) return logNotRecorded(attempt, error);
        await pause(RECORD_PAUSE_MS);
      }
    }
  };
}

const isFresh = ({ readAt }: DeliveryContent): boolean => monotonicMs() - readAt <= CONTENT_KEPT_MS;

async function readFresh(pool: Pool, jobs: readonly Job[], read: typeof readContents) {
  const rows = await read(pool, ...jobKeys(jobs));
  const readAt = monotonicMs();
  const contents = jobs.map((): DeliveryContent | 'gone' => 'gone');
  for (const row of rows) {
    const { position, url, type, live, trace_context: trace = null } = row;
    if (live) contents[position - 1] = { url, secrets: row, type, body: envelope(row), trace, readAt };
  }
  return contents;
}

/** In the trace of the push that the event is about. The endpoint is named by its id: a URL can hold a secret. */
const deliverySpan = (
  tracing: Tracing,
  { businessId, endpointId, eventId, attempts }: Job,
  { type, trace }: DeliveryContent,
): TraceSpan =>
  tracing.start('deliver webhook', {
    kind: 'client',
    parent: trace,
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': attempts > 0 ? attempts : null,
      'waypost.business_id': businessId,
      'waypost.endpoint_id': endpointId,
      'waypost.event_id': eventId,
      'waypost.event_type': type,
      'waypost.attempt': attempts + 1,
    },
  });

const endDeliverySpan = (span: TraceSpan, { delivered, statusCode }: WebhookAnswer): void =>
  span.end({ 'http.response.status_code': statusCode }, delivered ? null : String(statusCode ?? 'no_answer'));

function logAttempt(
  { log, onAttempt }: DeliveryAttemptDeps,
  { job, answer }: Attempt,
  span: TraceSpan | null,
): void {
  const attempt = job.attempts + 1;
  const outcome = answer.delivered ? 'delivered' : attempt < ATTEMPTS_MAX ? 'failed' : 'exhausted';
  onAttempt?.(outcome, answer.durationMs);
  log.info(
    {
      ...idsOf(job),
      attempt,
      outcome,
      status_code: answer.statusCode,
      reason: answer.error,
      duration_ms: answer.durationMs,
      ...traceFields(span),
    },
    'webhook attempted',
  );
}

export const idsOf = ({ businessId, endpointId, eventId }: EndpointRef & Pick<Job, 'eventId'>) => ({
  business_id: businessId,
  endpoint_id: endpointId,
  event_id: eventId,
});
