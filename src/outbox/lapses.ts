import { lapseOverdue, nextLapse } from '../businesses/billingSql.ts';
import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, startLoop } from '../kit/loop.ts';
import { ofBusinessAlone, recordEvents } from '../webhooks/events.ts';
import type { DueSchedule } from './dueWorks.ts';

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
      ...ofBusinessAlone(id),
    }));
    return { lapsed: lapsed.length, deliveries: await recordEvents(tx, events, now) };
  });
  if (deliveries > 0) onEvents();
  return lapsed;
}
