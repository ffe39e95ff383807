import type { Channel } from '../contract/channels.ts';
import type { Client } from '../db/pool.ts';
import { TransactionEnd } from '../db/transaction.ts';
import { DEFAULT_LANGUAGE } from '../language/languages.ts';
import { lockAll, stillClaimed } from './lock.ts';
import { type EndedAttempt, type RecordDeps, recordAttempts } from './record.ts';
import type { SendTarget } from './send.ts';
import type { TransitionResult } from './transition.ts';

/**
 * Ends calls whose outcome was never recorded, because their worker died or stalled. The provider may have accepted the
 * nudge, so the outcome is unknown and the send is never retried.
 */
export async function recordUnknownOutcomes(
  tx: Client,
  deps: RecordDeps & { providers: Record<Channel, { name: string }> },
  claimed: readonly SendTarget[],
  lease: string,
  now: Date,
): Promise<TransactionEnd<TransitionResult>> {
  const unrecorded = stillClaimed(await lockAll(tx, claimed), claimed, lease, 'submitting');
  if (unrecorded.length === 0) return TransactionEnd.noFinalWrites({ deliveries: 0, due: false });
  const attempts = unrecorded.map(
    (send): EndedAttempt => ({
      // The number may have changed since the call.
      send: { ...send, phone: null },
      provider: deps.providers[send.channel].name,
      templateLanguage: DEFAULT_LANGUAGE,
      answer: { outcome: 'unknown', errorCode: 'answer_lost' },
      startedAt: send.submitted_at ?? now,
      endedAt: now,
    }),
  );
  return recordAttempts(tx, deps, attempts, now);
}
