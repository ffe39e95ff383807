import { lapseOverdue, nextLapse } from '../businesses/plansSql.ts';
import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, DAY, earlier, HOUR, later, SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { deleteRepliesBefore, deleteReplyWindowsUntil, oldestReply } from '../recipients/repliesSql.ts';
import { deleteUnreachableUntil } from '../recipients/suppressionsSql.ts';
import { recordEvents } from '../webhooks/events.ts';
import { type Loop, startLoop } from './loop.ts';

export interface HousekeepingDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  onEvents: () => void;
}

/** WhatsApp replies are deleted after 90 days (interface, section 8). */
export const REPLIES_KEPT_MS = 90 * DAY;
const LARGEST_LIST = 500;
const POLL_MS = 5 * SECOND;
const FORGET_EVERY_MS = HOUR;

/** What happens by the calendar alone: plans lapse, and what was kept long enough goes. */
export function startHousekeeping(deps: HousekeepingDeps): Loop {
  const { pool, clock, log } = deps;
  let forgotten = 0;

  const forgetExpired = async (now: Date): Promise<void> => {
    if (now.getTime() - forgotten < FORGET_EVERY_MS) return;
    forgotten = now.getTime();
    await deleteReplyWindowsUntil(pool, now);
    await deleteUnreachableUntil(pool, now);
  };

  const nextDue = async (): Promise<Date | null> => {
    const [lapse] = await nextLapse(pool);
    const [reply] = await oldestReply(pool);
    const moments = [
      lapse?.at ?? null,
      reply?.received_at ? later(reply.received_at, REPLIES_KEPT_MS) : null,
    ];
    return moments.reduce((first, at) => (at !== null && (first === null || at < first) ? at : first), null);
  };

  return startLoop({
    name: 'housekeeping',
    clock,
    log,
    pollMs: POLL_MS,
    busy: () => 0,
    async step() {
      const now = clock.now();
      await forgetExpired(now);
      const lapsed = await lapsePlans(deps, now);
      const deleted = await deleteRepliesBefore(pool, earlier(now, REPLIES_KEPT_MS), LARGEST_LIST);
      return lapsed + deleted.length;
    },
    nextDue,
    settled: async (now) => {
      const due = await nextDue();
      return due === null || due > now;
    },
  });
}

/** Answers how many plans lapsed just now. */
async function lapsePlans({ pool, onEvents }: HousekeepingDeps, now: Date): Promise<number> {
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
