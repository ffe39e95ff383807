import type { Pool } from '../db/pool.ts';
import { preferIndexes } from '../db/sql.ts';
import type { Statement } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, DAY, earlier, HOUR, MINUTE } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, startLoop } from '../kit/loop.ts';
import {
  type Deleted,
  deleteOldAnswers,
  deleteOldCaptures,
  deleteOldEndpoints,
  deleteOldEvents,
  deleteOldKeys,
  deleteOldLinks,
  deleteOldMessagedNumbers,
  deleteOldReplies,
  deleteOldReplyWindows,
  deleteOldReports,
  deleteOldSessions,
  deleteOldUnreachable,
} from './sql.ts';

/** How long something is kept, counted from when it happened or ended. */
export interface RetentionRule {
  tables: readonly string[];
  keptMs: number;
  remove: Statement<[before: Date, limit: number], Deleted>;
}

/** Everything that goes by itself; docs/privacy.md says the same to people. The rest stays until somebody is erased. */
export const rules: readonly RetentionRule[] = [
  { tables: ['whatsapp_replies'], keptMs: 90 * DAY, remove: deleteOldReplies },
  // Kept by their own end, which is a day after they were given.
  { tables: ['idempotency_records'], keptMs: 0, remove: deleteOldAnswers },
  // A while after their end, so that whoever comes late is offered a new one.
  { tables: ['links'], keptMs: 30 * DAY, remove: deleteOldLinks },
  { tables: ['inbox_sessions'], keptMs: 30 * DAY, remove: deleteOldSessions },
  {
    tables: ['events', 'webhook_deliveries', 'webhook_attempts'],
    keptMs: 30 * DAY,
    remove: deleteOldEvents,
  },
  // Providers repeat a report for a week at most.
  { tables: ['provider_reports'], keptMs: 14 * DAY, remove: deleteOldReports },
  { tables: ['sandbox_messages'], keptMs: 30 * DAY, remove: deleteOldCaptures },
  { tables: ['auto_reply_windows'], keptMs: 0, remove: deleteOldReplyWindows },
  { tables: ['whatsapp_unreachable'], keptMs: 0, remove: deleteOldUnreachable },
  // Kept by their own end, two years after the last message.
  { tables: ['messaged_numbers'], keptMs: 0, remove: deleteOldMessagedNumbers },
  // So that an audit entry can be matched with a key's name and last letters while anybody still asks.
  { tables: ['api_keys'], keptMs: 90 * DAY, remove: deleteOldKeys },
  // A month longer than its last delivery is kept: none can refer to it by then.
  { tables: ['webhook_endpoints'], keptMs: 60 * DAY, remove: deleteOldEndpoints },
];

export interface RetentionDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  /** For the metrics: how many rows of a table just went. */
  onDeleted?: (table: string, rows: number) => void;
}

/** A batch takes some milliseconds and holds nothing that anybody waits for. */
const BATCH = 1_000;
/** Between two batches while there is more to delete, so that others always come in between. */
const PAUSE_MS = 100;
const LOOK_EVERY_MS = MINUTE;
/** A clock that was moved less far than this has made nothing due that anyone would miss. */
const MOVED_MS = HOUR;

/**
 * Deletes what was kept long enough, a little at a time and all the time; any number of processes may do it at once.
 * It is one of the works that the sandbox's clock waits for once it was moved an hour or more, but plans no moments of
 * its own: nothing waits for a deletion, so the clock need not stop for one on its way.
 */
export function startRetention({ pool, clock, log, onDeleted = () => {} }: RetentionDeps): Loop {
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** One batch of everything; answers whether there may be more. */
  const look = async (now: Date): Promise<boolean> => {
    let more = false;
    for (const { keptMs, remove } of rules) {
      const deleted = await transaction(pool, async (tx) => {
        await preferIndexes(tx);
        return remove(tx, earlier(now, keptMs), BATCH);
      });
      for (const { table, deleted: rows } of deleted) if (rows > 0) onDeleted(table, rows);
      more ||= deleted.some(({ deleted: rows }) => rows >= BATCH);
    }
    return more;
  };

  const loop = startLoop({
    name: 'retention',
    clock,
    log,
    pollMs: LOOK_EVERY_MS,
    busy: () => 0,
    nextDue: async () => null,
    settled: async (now) => now.getTime() - lookedAt < MOVED_MS,
    async step() {
      const now = clock.now();
      const more = await look(now);
      if (more) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      else lookedAt = now.getTime();
      return more;
    },
  });
  return {
    ...loop,
    async drain() {
      if (!(await loop.settled())) await loop.drain();
    },
  };
}
