import type { Client } from '../db/pool.ts';
import { noFinalWrites, type TransactionEnd } from '../db/transaction.ts';
import type { Channel } from '../nudges/channels.ts';
import { lockAll } from './lock.ts';
import { type EndedAttempt, type RecordDeps, recordAttempts } from './record.ts';
import { keyText, type OfPerson } from './send.ts';
import type { TransitionResult } from './transition.ts';

/**
 * Calls whose answer never came: their worker died, or stood still for too long. What they sent, nobody knows, so
 * they end as unknown and are never sent again.
 */
export async function recordUnknownOutcomes(
  tx: Client,
  deps: RecordDeps,
  providerNames: Record<Channel, string>,
  claimed: readonly OfPerson[],
  lease: string,
  now: Date,
): Promise<TransactionEnd<TransitionResult>> {
  const concerned = await lockAll(tx, claimed);
  const ours = new Set(claimed.map(keyText));
  const lost = concerned.flatMap((send): EndedAttempt[] =>
    ours.has(keyText(send)) &&
    send.state === 'submitting' &&
    send.lease === lease &&
    send.attempt_token !== null
      ? [
          {
            business_id: send.business_id,
            id: send.id,
            recipient_id: send.recipient_id,
            attempt_token: send.attempt_token,
            attempt: send.attempts,
            provider: providerNames[send.channel],
            number: null,
            paidChannel: null,
            answer: { outcome: 'unknown', errorCode: 'answer_lost' },
            startedAt: send.submitted_at ?? now,
            endedAt: now,
          },
        ]
      : [],
  );
  return lost.length === 0
    ? noFinalWrites({ deliveries: 0, due: false })
    : recordAttempts(tx, deps, lost, now);
}
