import { OPERATOR, recordPlatformAudit } from '../businesses/audit.ts';
import { notifyChannel } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { OperatorError } from '../kit/errors.ts';
import { endAfterRestore, planAfterRestore, type RestoredSends } from '../outbox/afterRestore.ts';
import { holdSending, readGuard, releaseSending } from '../outbox/restoreGuardSql.ts';
import { databaseCommand, type Report, toggle } from './command.ts';
import { facts } from './layout.ts';

const NOT_NOTICED =
  'This database does not look restored: nothing was changed. If it is a snapshot, a copy of the files, or was recovered to a point in time, which cannot be noticed, run after-restore --unnoticed.';

export const afterRestore = databaseCommand({
  path: 'after-restore',
  about:
    'Ends the sends that may have gone out since a backup, so that none goes out twice, and lets sending go on',
  flags: {
    plan: toggle('only count them'),
    'nothing-sent': toggle('every process was stopped before the backup was made: end none of them'),
    unnoticed: toggle('the restore was not made by pg_restore or psql, so that Waypost cannot notice it'),
  },
  async run({ plan, 'nothing-sent': nothingSent, unnoticed }, { pool, clock }) {
    const [guard] = await readGuard(pool);
    if (guard?.held !== true && !unnoticed) throw new OperatorError(NOT_NOTICED);
    const before = guard?.held_since ?? clock.now();
    if (plan) return show(await planAfterRestore(pool, clock, before), 'would_end', false);
    if (nothingSent) await holdSending(pool, clock.now());
    const restored = nothingSent ? NOTHING : (await endAfterRestore(pool, clock)).restored;
    const detail = { ...restored.ended };
    await transaction(pool, (tx) =>
      recordPlatformAudit(tx, clock.now(), { actor: OPERATOR, action: 'outbox.restored', detail }),
    );
    await releaseSending(pool);
    await notifyChannel(pool, 'waypost_webhooks');
    await notifyChannel(pool, 'waypost_outbox');
    return show(restored, 'ended', true);
  },
});

const NOTHING: RestoredSends = { ended: { email: 0, sms: 0, whatsapp: 0 }, kept: 0 };

function show({ ended, kept }: RestoredSends, name: 'ended' | 'would_end', sending: boolean): Report {
  const byChannel = Object.entries(ended).map(([channel, count]) => [`${name}_${channel}`, count] as const);
  return {
    json: { [name]: ended, kept_for_later: kept, sending },
    text: facts([...byChannel, ['kept_for_later', kept], ['sending', sending]]),
  };
}
