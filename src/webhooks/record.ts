import { preferIndexes } from '../db/plannerSql.ts';
import type { Queryable } from '../db/statement.ts';
import { type Ending, type Health, healthAfter } from './health.ts';
import type { Job } from './line.ts';
import type { WebhookAnswer } from './post.ts';
import { type HealthRow, lockHealth, settleAttempts, stopQueued, writeHealth } from './recordSql.ts';
import { nextAttempt } from './retrySchedule.ts';

/** An attempt that got its answer, or none in time. */
export interface Attempt {
  job: Job;
  answer: WebhookAnswer;
  startedAt: Date;
  endedAt: Date;
}

/**
 * Writes down, in one transaction, how attempts ended: each delivery's next state, the log, and the health of the
 * endpoints, counted under their locks in the order in which the attempts ended. Answers the endpoints that this
 * disabled; what waits for them stops here too.
 */
export async function recordAttempts(
  tx: Queryable,
  worker: string,
  attempts: readonly Attempt[],
  random: () => number,
): Promise<HealthRow[]> {
  await preferIndexes(tx);
  const keys = new Map(attempts.map(({ job }) => [endpointOf(job), job]));
  const endpoints = await lockHealth(
    tx,
    [...keys.values()].map(({ businessId }) => businessId),
    [...keys.values()].map(({ endpointId }) => endpointId),
  );
  const byKey = new Map(endpoints.map((row) => [endpointOf(row), row]));
  const retries = attempts.map(({ job, answer, endedAt }) =>
    answer.delivered ? null : nextAttempt(job.attempts + 1, endedAt, random),
  );
  const rows = attempts.map((attempt, position) => {
    const retry = retries[position] ?? null;
    return settledRow(
      attempt,
      position,
      stateAfter(attempt, retry, byKey.get(endpointOf(attempt.job))),
      retry,
    );
  });
  const settled = new Set(
    (await settleAttempts(tx, worker, JSON.stringify(rows))).map(({ position }) => position),
  );

  const changed = new Map<string, HealthRow>();
  attempts.forEach((attempt, position) => {
    const key = endpointOf(attempt.job);
    const before = changed.get(key) ?? byKey.get(key);
    // Whose lease was lost is another worker's now: it counts there.
    if (!settled.has(position) || !before || before.deleted_at !== null) return;
    changed.set(key, {
      ...before,
      ...columns(healthAfter(healthOf(before), endingOf(attempt, retries[position] ?? null))),
    });
  });
  if (changed.size === 0) return [];
  await writeHealth(tx, JSON.stringify([...changed.values()]));
  const disabled = [...changed].flatMap(([key, row]) =>
    row.disabled_at !== null && byKey.get(key)?.disabled_at === null ? [row] : [],
  );
  for (const { business_id, id, disabled_at } of disabled) {
    if (disabled_at) await stopQueued(tx, business_id, id, disabled_at);
  }
  return disabled;
}

type State = 'pending' | 'delivered' | 'exhausted' | 'stopped';

/** An endpoint that was disabled or deleted while the attempt was under way gets no further one. */
function stateAfter({ answer }: Attempt, retry: Date | null, endpoint: HealthRow | undefined): State {
  if (answer.delivered) return 'delivered';
  if (retry === null) return 'exhausted';
  return endpoint && endpoint.disabled_at === null && endpoint.deleted_at === null ? 'pending' : 'stopped';
}

const settledRow = (
  { job, answer, startedAt, endedAt }: Attempt,
  position: number,
  state: State,
  retry: Date | null,
) => ({
  position,
  business_id: job.businessId,
  endpoint_id: job.endpointId,
  event_id: job.eventId,
  state,
  due_at: state === 'pending' ? retry : null,
  settled_at: state === 'pending' ? null : endedAt,
  at: startedAt,
  status_code: answer.statusCode,
  error: answer.error,
  duration_ms: answer.durationMs,
});

function endingOf({ answer, endedAt }: Attempt, retry: Date | null): Ending {
  if (answer.error === null) return { kind: 'delivered', at: endedAt };
  return { kind: retry === null ? 'exhausted' : 'failed', at: endedAt, error: answer.error };
}

const healthOf = (row: HealthRow): Health => ({
  consecutiveFailures: row.consecutive_failures,
  disabledAt: row.disabled_at,
  lastSuccessAt: row.last_success_at,
  lastError: row.last_error,
});

const columns = (health: Health) => ({
  consecutive_failures: health.consecutiveFailures,
  disabled_at: health.disabledAt,
  last_success_at: health.lastSuccessAt,
  last_error: health.lastError,
});

type OfEndpoint = { businessId: string; endpointId: string } | { business_id: string; id: string };

const endpointOf = (of: OfEndpoint): string =>
  'businessId' in of ? `${of.businessId} ${of.endpointId}` : `${of.business_id} ${of.id}`;
