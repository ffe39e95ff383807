import type { Dispatcher } from 'undici';
import type { Pool } from '../db/pool.ts';
import { isUnavailable, transaction } from '../db/transaction.ts';
import { type Clock, SECOND } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import type { Log } from '../kit/log.ts';
import type { Sealer } from '../kit/seal.ts';
import { type PreparedRow, prepareAttempts } from './attemptSql.ts';
import { envelope } from './envelope.ts';
import type { Job } from './line.ts';
import { postWebhook, type WebhookCall } from './post.ts';
import { type Attempt, recordAttempts } from './record.ts';
import { ATTEMPTS_MAX } from './retrySchedule.ts';
import { secretContext, signedNow } from './signature.ts';

export interface AttemptDeps {
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

export interface Attempts {
  /** Prepares and calls; null when the endpoint takes nothing any more, or the lease was lost. */
  make(job: Job): Promise<Attempt | null>;
  /** Resolves once it is written down, or is given up: then the lease runs out and the delivery is sent again. */
  record(attempt: Attempt): Promise<void>;
}

const LIST_MAX = 200;
const PREPARE_LANES = 2;
/** One at a time: what ended first counts first. */
const RECORD_LANES = 1;
const RECORD_TRIES = 3;
const RECORD_PAUSE_MS = SECOND;
/** Never reached: what is held is bounded, and every list takes from that. */
const NO_BOUND = Number.POSITIVE_INFINITY;

/** The phases of an attempt: prepare, call, record. Lists around the call, since a round trip costs the same for one. */
export function createAttempts(deps: AttemptDeps, worker: string): Attempts {
  const { pool, clock, log, client, random } = deps;
  const bounds = { maxItems: LIST_MAX, maxWaiting: NO_BOUND, maxWaitingBytes: NO_BOUND, sizeOf: () => 0 };

  const preparing = coalesce<Job, Prepared>({
    ...bounds,
    lanes: PREPARE_LANES,
    run: (jobs) => prepare(deps, worker, jobs),
  });

  const recording = coalesce<Attempt, true>({
    ...bounds,
    lanes: RECORD_LANES,
    run: async (attempts) => {
      await recordList(attempts);
      return attempts.map(() => true);
    },
  });

  /** What is wrong with one must not lose the others: a list that fails is written one by one. */
  async function recordList(attempts: readonly Attempt[]): Promise<void> {
    try {
      const disabled = await transaction(pool, (tx) => recordAttempts(tx, worker, attempts, random));
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
      const prepared = await preparing.add(job);
      if (prepared.kind === 'gone') return null;
      if (prepared.kind === 'unreadable') throw prepared.error;
      const startedAt = clock.now();
      const answer = await postWebhook(client, signed(prepared));
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
          await new Promise((resolve) => setTimeout(resolve, RECORD_PAUSE_MS));
        }
      }
    },
  };
}

interface Ready {
  kind: 'ready';
  url: string;
  secret: string;
  eventId: string;
  eventType: string;
  body: string;
}

/** Unreadable: SECRET_KEY does not open the secret. That is no fault of the endpoint's. */
type Prepared = Ready | { kind: 'gone' } | { kind: 'unreadable'; error: unknown };

async function prepare(
  { pool, sealer }: AttemptDeps,
  worker: string,
  jobs: readonly Job[],
): Promise<Prepared[]> {
  const rows = await prepareAttempts(
    pool,
    worker,
    jobs.map(({ businessId }) => businessId),
    jobs.map(({ endpointId }) => endpointId),
    jobs.map(({ eventId }) => eventId),
  );
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  return jobs.map((job, index) => {
    const row = byPosition.get(index + 1);
    return row?.live ? readyOf(job, row, sealer) : { kind: 'gone' };
  });
}

function readyOf({ endpointId, eventId }: Job, row: PreparedRow, sealer: Sealer): Prepared {
  try {
    const secret = sealer.open(row.secret_sealed, secretContext(endpointId));
    const body = envelope({ id: eventId, type: row.type, occurredAt: row.occurred_at, data: row.data });
    return { kind: 'ready', url: row.url, secret, eventId, eventType: row.type, body };
  } catch (error) {
    return { kind: 'unreadable', error };
  }
}

/** Signed anew each time, over its own `t`. */
const signed = ({ url, body, secret, eventId, eventType }: Ready): WebhookCall => ({
  url,
  body,
  headers: signedNow({ secret, eventId, eventType, rawBody: body }),
});

function report({ log, onAttempt }: AttemptDeps, { job, answer }: Attempt): void {
  const attempt = job.attempts + 1;
  const outcome = answer.delivered ? 'delivered' : attempt < ATTEMPTS_MAX ? 'failed' : 'exhausted';
  onAttempt?.(outcome, answer.durationMs);
  const { statusCode, error, durationMs } = answer;
  log.info(
    { ...idsOf(job), attempt, outcome, status_code: statusCode, reason: error, duration_ms: durationMs },
    'webhook attempt',
  );
}

const idsOf = ({ businessId, endpointId, eventId }: Job) => ({
  business_id: businessId,
  endpoint_id: endpointId,
  event_id: eventId,
});
