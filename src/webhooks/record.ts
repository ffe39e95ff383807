import type { Queryable } from '../db/statement.ts';
import { type HealthRow, lockHealth, settleAttempts, stopQueued, writeHealth } from './attemptSql.ts';
import { jobKeys, leaseStamp } from './claim.ts';
import type { Job } from './endpointQueue.ts';
import type { WebhookAnswer } from './post.ts';
import { type AttemptOutcome, type Health, healthAfter, nextDeliveryAttempt } from './retrySchedule.ts';

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
  attempts: readonly Attempt[],
  random: () => number,
): Promise<HealthRow[]> {
  const keys = attempts.map(({ job }) => endpointOf(job));
  const ofEndpoints = new Map(attempts.map(({ job }, position) => [keys[position], job]));
  const endpoints = await lockHealth(
    tx,
    Array.from(ofEndpoints.values(), ({ businessId }) => businessId),
    Array.from(ofEndpoints.values(), ({ endpointId }) => endpointId),
  );
  const byKey = new Map(endpoints.map((row) => [endpointOf(row), row]));
  const retries = attempts.map(({ job, answer, endedAt }) =>
    answer.delivered ? null : nextDeliveryAttempt(job.attempts + 1, endedAt, random),
  );
  const states = attempts.map((attempt, position) =>
    stateAfter(attempt, retries[position] ?? null, byKey.get(keys[position] ?? '')),
  );
  const [settled] = await settleAttempts(
    tx,
    ...jobKeys(attempts.map(({ job }) => job)),
    states,
    states.map((state, position) => (state === 'pending' ? (retries[position] ?? null) : null)),
    attempts.map(({ startedAt }) => startedAt.getTime()),
    attempts.map(({ endedAt }) => endedAt.getTime()),
    attempts.map(({ answer }) => answer.statusCode),
    attempts.map(({ answer }) => answer.error),
    attempts.map(({ answer }) => answer.durationMs),
  );

  // Whose lease was lost is not among them: another worker has that delivery now, and counts it.
  const changed = new Map<string, HealthRow>();
  for (const position of (settled?.positions ?? []).map((from1) => from1 - 1).sort((a, b) => a - b)) {
    const attempt = attempts[position];
    const key = keys[position] ?? '';
    const before = changed.get(key) ?? byKey.get(key);
    if (!attempt || !before || before.deleted_at !== null) continue;
    const health = healthAfter(healthOf(before), endingOf(attempt, retries[position] ?? null));
    changed.set(key, { ...before, ...columns(health) });
  }
  if (changed.size === 0) return [];
  await writeHealth(tx, JSON.stringify([...changed.values()]));
  const disabled = [...changed].flatMap(([key, row]) =>
    row.disabled_at !== null && byKey.get(key)?.disabled_at === null ? [row] : [],
  );
  for (const { business_id, id, disabled_at } of disabled) {
    if (disabled_at) await stopQueued(tx, business_id, id, disabled_at, leaseStamp(disabled_at));
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

function endingOf({ answer, endedAt }: Attempt, retry: Date | null): AttemptOutcome {
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
