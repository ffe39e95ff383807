import { nextQuietHoursRecheck, quietHoursRechecked } from '../businesses/sql.ts';
import type { Pool } from '../db/pool.ts';
import { type Clock, SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, startLoop } from '../kit/loop.ts';
import type { DueSchedule } from './dueWorks.ts';
import { endDeferrals } from './sendsSql.ts';

interface QuietHoursDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
}

const POLL_MS = 5 * SECOND;
/** How many sends are made due in one transaction: pushes and permits of the business wait for it. */
const SENDS_MAX = 2_000;

/**
 * When a business changes its quiet hours, what waits for their end is due again, and judged by the new hours: it does not wait until the
 * old end. `onDue` is called when sends became due.
 */
export function startQuietHoursChanges(deps: QuietHoursDeps, onDue: () => void): Loop {
  return startLoop({
    name: 'quiet hours',
    log: deps.log,
    ...quietHoursDue(deps),
    pollMs: POLL_MS,
    busy: () => 0,
    step: () => recheck(deps, onDue),
  });
}

export function quietHoursDue({ pool, clock }: Pick<QuietHoursDeps, 'pool' | 'clock'>): DueSchedule {
  const nextDue = async (): Promise<Date | null> => (await nextQuietHoursRecheck(pool))[0]?.at ?? null;
  return {
    clock,
    nextDue,
    async settled(now) {
      const due = await nextDue();
      return due === null || due > now;
    },
  };
}

async function recheck({ pool, clock }: QuietHoursDeps, onDue: () => void): Promise<boolean> {
  const [changed] = await nextQuietHoursRecheck(pool);
  if (!changed || changed.at > clock.now()) return false;
  // Each send once: one that is deferred anew meanwhile was judged by the new hours.
  for (let after: string | null = ''; after !== null; ) {
    const [ended] = await endDeferrals(pool, changed.id, after, SENDS_MAX);
    after = ended?.last ?? null;
    if (after !== null) onDue();
  }
  await quietHoursRechecked(pool, changed.id, changed.at);
  return true;
}
