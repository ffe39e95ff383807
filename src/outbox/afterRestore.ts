import type { Channel } from '../contract/channels.ts';
import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { outcomeUnknown } from './afterResponse.ts';
import { lockAll, withKeys } from './lock.ts';
import { holdSending } from './restoreGuardSql.ts';
import { countEndedByRestore, findEndedByRestore } from './sql.ts';
import { applyTransitions, type SendTransition } from './transition.ts';

/** What a restore ends, by channel, and how many sends stay queued for later. */
export interface RestoredSends {
  ended: Record<Channel, number>;
  kept: number;
}

const BATCH = 200;

/** What `endAfterRestore` would do. */
export async function planAfterRestore(pool: Pool, clock: Clock, before: Date): Promise<RestoredSends> {
  const [row] = await countEndedByRestore(pool, before, clock.now());
  const { email = 0, sms = 0, whatsapp = 0, kept = 0 } = row ?? {};
  return { ended: { email, sms, whatsapp }, kept };
}

/**
 * Ends every send that may have gone out between the backup and the restore with an unknown outcome, so that none goes out
 * twice. It is not charged, unless the backup has the charge already: nobody knows that it went out. A delivery report that
 * comes later still corrects it. Sending is held meanwhile; the caller releases it.
 */
export async function endAfterRestore(
  pool: Pool,
  clock: Clock,
): Promise<{ restored: RestoredSends; deliveries: number }> {
  const [guard] = await holdSending(pool, clock.now());
  const before = guard?.held_since ?? clock.now();
  const planned = await planAfterRestore(pool, clock, before);
  const ended: Record<Channel, number> = { email: 0, sms: 0, whatsapp: 0 };
  let deliveries = 0;
  let last = { business_id: '', id: '' };
  for (;;) {
    const found = await findEndedByRestore(pool, before, clock.now(), last.business_id, last.id, BATCH);
    const end = found.at(-1);
    if (end === undefined) break;
    last = end;
    const now = clock.now();
    const changes = await transaction(pool, async (tx) => {
      const changes = withKeys(await lockAll(tx, found), found).map((before): SendTransition => {
        const submitted_at = before.submitted_at ?? now;
        return { before, after: { ...outcomeUnknown(before, now), reserved: false, submitted_at } };
      });
      // Held sends of the same messages end here too, or wait for one that stays: no sibling changes.
      deliveries += await applyTransitions(tx, changes, now);
      return changes;
    });
    for (const { after } of changes) ended[after.channel] += 1;
  }
  return { restored: { ended, kept: planned.kept }, deliveries };
}
