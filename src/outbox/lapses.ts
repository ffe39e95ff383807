import { lapseOverdue, nextLapse } from '../businesses/billingSql.ts';
import type { Channel } from '../contract/channels.ts';
import type { Client, Pool } from '../db/pool.ts';
import { TransactionEnd, transaction } from '../db/transaction.ts';
import { type Clock, SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, startLoop } from '../kit/loop.ts';
import { DEFAULT_LANGUAGE } from '../language/languages.ts';
import { recordEvents } from '../webhooks/events.ts';
import type { DueSchedule } from './dueWorks.ts';
import { lockAll } from './lock.ts';
import { type EndedAttempt, type RecordDeps, recordAttempts } from './record.ts';
import { keyText, type OfPerson } from './send.ts';
import type { TransitionResult } from './transition.ts';

interface LapseDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  onEvents: () => void;
}

const POLL_MS = 5 * SECOND;

/** Lapses past-due plans when their paid period ends. The gates check the period themselves; this records the event. */
export function startLapses(deps: LapseDeps): Loop {
  return startLoop({
    name: 'plans',
    log: deps.log,
    ...lapsesDue(deps),
    pollMs: POLL_MS,
    busy: () => 0,
    step: async () => (await lapsePlans(deps)) > 0,
  });
}

export function lapsesDue({ pool, clock }: Pick<LapseDeps, 'pool' | 'clock'>): DueSchedule {
  const nextDue = async (): Promise<Date | null> => (await nextLapse(pool))[0]?.at ?? null;
  return {
    clock,
    nextDue,
    async settled(now) {
      const due = await nextDue();
      return due === null || due > now;
    },
  };
}

async function lapsePlans({ pool, clock, onEvents }: LapseDeps): Promise<number> {
  const now = clock.now();
  const { lapsed, deliveries } = await transaction(pool, async (tx) => {
    const lapsed = await lapseOverdue(tx, now);
    const events = lapsed.map(({ id }) => ({
      type: 'plan.lapsed' as const,
      data: { lapsed_at: now.toISOString() },
      businessId: id,
      messageId: null,
      recipientId: null,
    }));
    return { lapsed: lapsed.length, deliveries: await recordEvents(tx, events, now) };
  });
  if (deliveries > 0) onEvents();
  return lapsed;
}

/**
 * Ends calls whose outcome was never recorded, because their worker died or stalled. The provider may have accepted the
 * nudge, so the outcome is unknown and the send is never retried.
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
  const unrecorded = concerned.flatMap((send): EndedAttempt[] =>
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
            templateLanguage: DEFAULT_LANGUAGE,
            answer: { outcome: 'unknown', errorCode: 'answer_lost' },
            startedAt: send.submitted_at ?? now,
            endedAt: now,
          },
        ]
      : [],
  );
  return unrecorded.length === 0
    ? TransactionEnd.noFinalWrites({ deliveries: 0, due: false })
    : recordAttempts(tx, deps, unrecorded, now);
}
