import type { Pool } from '../db/pool.ts';
import { answerInSteps, type KeyClaim, type OnceResult } from '../idempotency/idempotency.ts';
import type { Clock } from '../kit/clock.ts';
import type { EndpointAct } from './endpoints.ts';
import { REPLAY_START, type ReplayProgress, type ReplayRequest, replayForMerchant } from './replay.ts';

/** `until` null: up to now. */
type OpenReplay = EndpointAct & Omit<ReplayRequest, 'until'> & { until: Date | null };

/** A merchant's replay, once per idempotency key, in as many transactions as it takes. The answer says how much was queued. */
export const replayOnce = (
  { pool, clock }: { pool: Pool; clock: Clock },
  claim: KeyClaim,
  { until: end, ...request }: OpenReplay,
) =>
  answerInSteps<OnceResult & { queued: number }>(pool, claim, async (tx, stored) => {
    const { until, ...before } = stored === null ? begin(end ?? claim.now) : readProgress(stored);
    const { progress, done } = await replayForMerchant(tx, clock.now(), { ...request, until }, before);
    if (!done) return { progress: JSON.stringify({ until, ...progress }) };
    const { queued } = progress;
    return { done: { status: 202, body: JSON.stringify({ queued }), recipientId: null, queued } };
  });

/** A window that ends now ends at the same moment in every step. */
const begin = (until: Date): ReplayProgress & { until: Date } => ({ ...REPLAY_START, until });

function readProgress(stored: string): ReplayProgress & { until: Date } {
  const { until, ...progress }: ReplayProgress & { until: string } = JSON.parse(stored);
  return { ...progress, until: new Date(until) };
}
