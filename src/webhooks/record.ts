import type { Queryable } from '../db/statement.ts';
import { columns } from '../kit/columns.ts';
import { type HealthRow, lockHealth, settleAttempts, stopQueued, writeHealth } from './attemptSql.ts';
import { jobKeys } from './claim.ts';
import { endpointKey } from './claimShares.ts';
import type { DeliveryRow } from './deliveriesSql.ts';
import type { Job } from './endpointQueue.ts';
import { leaseStamp } from './lease.ts';
import type { WebhookAnswer } from './post.ts';
import { type DeliveryAttemptOutcome, healthAfter, nextDeliveryAttempt } from './retrySchedule.ts';

export interface Attempt {
  job: Job;
  /** That was called: the endpoint may have another by now. */
  url: string;
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
  const endpoints = [...new Map(attempts.map(({ job }) => [endpointKey(job), job])).values()];
  const locked = await lockHealth(tx, ...columns(endpoints, 'businessId', 'endpointId'));
  const before = new Map(locked.map((row) => [endpointKey(row), row]));
  const ends = attempts.map((attempt) => endOf(attempt, before.get(endpointKey(attempt.job)), random));
  const [settled] = await settleAttempts(
    tx,
    ...jobKeys(attempts.map(({ job }) => job)),
    ends.map(({ state }) => state),
    ends.map(({ state, retry }) => (state === 'pending' ? retry : null)),
    attempts.map(({ startedAt }) => startedAt.getTime()),
    attempts.map(({ endedAt }) => endedAt.getTime()),
    attempts.map(({ answer }) => answer.statusCode),
    attempts.map(({ answer }) => answer.error),
    attempts.map(({ answer }) => answer.durationMs),
    attempts.map(({ answer }) => answer.response),
  );

  // A delivery whose lease this worker no longer holds is not among them: the worker that holds it counts it.
  const changed = new Map<string, HealthRow>();
  for (const position of (settled?.positions ?? []).map((from1) => from1 - 1).sort((a, b) => a - b)) {
    const [attempt, end] = [attempts[position], ends[position]];
    const key = attempt ? endpointKey(attempt.job) : '';
    const endpoint = changed.get(key) ?? before.get(key);
    const counts = endpoint?.deletedAt === null && endpoint.url === attempt?.url;
    if (end && counts) changed.set(key, { ...endpoint, ...healthAfter(endpoint, end.outcome) });
  }
  if (changed.size === 0) return [];
  const rows = Array.from(changed.values(), (row) => ({ business_id: row.businessId, ...row }));
  await writeHealth(tx, JSON.stringify(rows));
  const disabled = [...changed].flatMap(([key, row]) =>
    row.disabledAt !== null && before.get(key)?.disabledAt === null ? [row] : [],
  );
  for (const { businessId, endpointId, disabledAt } of disabled)
    if (disabledAt) await stopQueued(tx, businessId, endpointId, disabledAt, leaseStamp(disabledAt));
  return disabled;
}

/** An endpoint that was disabled or deleted during the attempt gets no retry. */
function endOf(
  { job, answer, endedAt: at }: Attempt,
  endpoint: HealthRow | undefined,
  random: () => number,
): { state: DeliveryRow['state']; retry: Date | null; outcome: DeliveryAttemptOutcome } {
  const { error } = answer;
  if (error === null) return { state: 'delivered', retry: null, outcome: { kind: 'delivered', at } };
  const retry = nextDeliveryAttempt(job.attempts + 1, at, random);
  if (retry === null) return { state: 'exhausted', retry, outcome: { kind: 'exhausted', at, error } };
  const isLive = endpoint?.disabledAt === null && endpoint.deletedAt === null;
  return { state: isLive ? 'pending' : 'stopped', retry, outcome: { kind: 'failed', at, error } };
}
