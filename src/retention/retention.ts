import { eachShard } from '../db/eachShard.ts';
import type { Pool } from '../db/pool.ts';
import { preferIndexes } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, DAY, earlier, HOUR, MINUTE } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, startLoop } from '../kit/loop.ts';
import { dayOf } from '../usage/counters.ts';
import { foldCounts } from '../usage/foldSql.ts';
import {
  type Deleted,
  type Deletion,
  deleteOldAnswers,
  deleteOldCaptures,
  deleteOldChallenges,
  deleteOldDashboardSessions,
  deleteOldEndpoints,
  deleteOldEvents,
  deleteOldKeys,
  deleteOldLinks,
  deleteOldLogos,
  deleteOldMessagedNumbers,
  deleteOldReplies,
  deleteOldReplyWindows,
  deleteOldReports,
  deleteOldSessions,
  deleteOldSignInLinks,
  deleteOldUnreachable,
} from './sql.ts';

/** Rows are deleted `keptMs` after they were created, or after they ended. */
interface RetentionRule {
  tables: readonly string[];
  keptMs: number;
  deletion: Deletion;
}

/** All automatic deletion, as docs/privacy.md documents it. Other rows stay until an erasure. */
export const rules: readonly RetentionRule[] = [
  { tables: ['whatsapp_replies'], keptMs: 90 * DAY, deletion: deleteOldReplies },
  // Until `expires_at`, a day after the request.
  { tables: ['idempotency_records'], keptMs: 0, deletion: deleteOldAnswers },
  // Kept after they expire, so that the page of an old link can offer a new one.
  { tables: ['links'], keptMs: 30 * DAY, deletion: deleteOldLinks },
  { tables: ['inbox_sessions'], keptMs: 30 * DAY, deletion: deleteOldSessions },
  {
    tables: ['events', 'webhook_deliveries', 'webhook_attempts'],
    keptMs: 30 * DAY,
    deletion: deleteOldEvents,
  },
  // Providers repeat a report for a week at most.
  { tables: ['provider_reports'], keptMs: 14 * DAY, deletion: deleteOldReports },
  { tables: ['sandbox_messages'], keptMs: 30 * DAY, deletion: deleteOldCaptures },
  { tables: ['auto_reply_windows'], keptMs: 0, deletion: deleteOldReplyWindows },
  { tables: ['whatsapp_unreachable'], keptMs: 0, deletion: deleteOldUnreachable },
  // Until `until`, two years after the last message.
  { tables: ['messaged_numbers'], keptMs: 0, deletion: deleteOldMessagedNumbers },
  // Kept after they are revoked, so that audit entries can be matched with a key's name and last letters.
  { tables: ['api_keys'], keptMs: 90 * DAY, deletion: deleteOldKeys },
  // Longer than the hour in which a member's links are counted.
  { tables: ['sign_in_links'], keptMs: DAY, deletion: deleteOldSignInLinks },
  { tables: ['dashboard_sessions'], keptMs: 0, deletion: deleteOldDashboardSessions },
  { tables: ['passkey_challenges'], keptMs: 0, deletion: deleteOldChallenges },
  // Mails that were sent before show the logo of then.
  { tables: ['logos'], keptMs: 90 * DAY, deletion: deleteOldLogos },
  // A month longer than deliveries, so that none refers to it any more.
  { tables: ['webhook_endpoints'], keptMs: 60 * DAY, deletion: deleteOldEndpoints },
];

interface RetentionDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  /** For the metrics. */
  onDeleted?: (table: string, rows: number) => void;
}

/** A batch takes some milliseconds, and no other work waits for its locks. */
const BATCH = 1_000;
/** Usage counters of yesterday and today are still being written. Folding older ones removes no count. */
const UNFOLDED_MS = DAY;
/** Between two batches while there is more to delete, so that other statements get through. */
const PAUSE_MS = 100;
const POLL_MS = MINUTE;
/** The sandbox clock does not wait for deletions when it is moved less than this. */
const SETTLED_WITHIN_MS = HOUR;

/**
 * Deletes expired rows in small batches. Any number of processes may run it at once. The sandbox clock waits for it after a
 * move of an hour or more, but never stops on the way for a deletion, since no other work depends on one.
 */
export function startRetention({ pool, clock, log, onDeleted = () => {} }: RetentionDeps): Loop {
  let ranAt = Number.NEGATIVE_INFINITY;

  /** One batch per rule; returns whether there may be more. */
  const deleteBatches = async (now: Date): Promise<boolean> => {
    let more = false;
    for (const { keptMs, deletion } of rules) {
      const deleted = await deleteBatch(pool, deletion, earlier(now, keptMs));
      for (const { table, deleted: rows } of deleted) if (rows > 0) onDeleted(table, rows);
      more ||= deleted.some(({ deleted: rows }) => rows >= BATCH);
    }
    return (await foldCounts(pool, dayOf(earlier(now, UNFOLDED_MS)), BATCH)) >= BATCH || more;
  };

  const loop = startLoop({
    name: 'retention',
    clock,
    log,
    pollMs: POLL_MS,
    busy: () => 0,
    nextDue: async () => null,
    settled: async (now) => now.getTime() - ranAt < SETTLED_WITHIN_MS,
    async step() {
      const now = clock.now();
      const more = await deleteBatches(now);
      if (more) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      else ranAt = now.getTime();
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

async function deleteBatch(
  pool: Pool,
  { findBusinesses, remove }: Deletion,
  before: Date,
): Promise<Deleted[]> {
  const removeOf = (businessIds: string[]): Promise<Deleted[]> =>
    transaction(pool, async (tx) => {
      await preferIndexes(tx);
      return remove(tx, before, BATCH, businessIds);
    });
  if (findBusinesses === null) return removeOf([]);
  const ids = (await findBusinesses(pool, before, BATCH)).map(({ business_id }) => business_id);
  if (ids.length === 0) return [];
  return (
    await eachShard(
      pool,
      ids,
      (id) => id,
      (some) => removeOf([...some]),
    )
  ).flat();
}
