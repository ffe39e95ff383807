import type { Queryable } from '../db/statement.ts';
import { type HealthRow, lockHealth, settleAttempts, stopQueued, writeHealth } from './attemptSql.ts';
import { jobKeys } from './claim.ts';
import type { Job } from './endpointQueue.ts';
import { leaseStamp } from './lease.ts';
import type { WebhookAnswer } from './post.ts';
import {
  type DeliveryAttemptOutcome,
  type Health,
  healthAfter,
  nextDeliveryAttempt,
} from './retrySchedule.ts';

/** An attempt that got a response, or failed without one. */
export interface Attempt {
  job: Job;
  answer: WebhookAnswer;
  startedAt: Date;
  endedAt: Date;
}

/**
 * Records in one transaction how attempts ended: each delivery's next state, the log, and the endpoints' health,
 * counted under their locks in the order in which the attempts ended. Returns the endpoints that it disabled;
 * their pending deliveries are stopped.
 */
export async function recordDeliveryAttempts(
  tx: Queryable,
  attempts: readonly Attempt[],
  random: () => number,
): Promise<HealthRow[]> {
  const keys = attempts.map(({ job }) => endpointKey(job));
  const endpointJobs = new Map(attempts.map(({ job }, position) => [keys[position], job]));
  const endpoints = await lockHealth(
    tx,
    Array.from(endpointJobs.values(), ({ businessId }) => businessId),
    Array.from(endpointJobs.values(), ({ endpointId }) => endpointId),
  );
  const byKey = new Map(endpoints.map((row) => [endpointKey(row), row]));
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

  // A delivery whose lease this worker no longer holds is not among them: the worker that holds it counts it.
  const changed = new Map<string, HealthRow>();
  for (const position of (settled?.positions ?? []).map((from1) => from1 - 1).sort((a, b) => a - b)) {
    const attempt = attempts[position];
    const key = keys[position] ?? '';
    const before = changed.get(key) ?? byKey.get(key);
    if (!attempt || !before || before.deleted_at !== null) continue;
    const health = healthAfter(healthOf(before), outcomeOf(attempt, retries[position] ?? null));
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

/** An endpoint that was disabled or deleted during the attempt gets no retry. */
function stateAfter({ answer }: Attempt, retry: Date | null, endpoint: HealthRow | undefined): State {
  if (answer.delivered) return 'delivered';
  if (retry === null) return 'exhausted';
  return endpoint && endpoint.disabled_at === null && endpoint.deleted_at === null ? 'pending' : 'stopped';
}

function outcomeOf({ answer, endedAt }: Attempt, retry: Date | null): DeliveryAttemptOutcome {
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

type EndpointRef = { businessId: string; endpointId: string } | { business_id: string; id: string };

const endpointKey = (ref: EndpointRef): string =>
  'businessId' in ref ? `${ref.businessId} ${ref.endpointId}` : `${ref.business_id} ${ref.id}`;
