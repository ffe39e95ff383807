import { OPERATOR, recordPlatformAudit } from '../businesses/audit.ts';
import { notifyChannel } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { OperatorError } from '../kit/errors.ts';
import { endAfterRestore, planAfterRestore, type RestoredSends } from '../outbox/afterRestore.ts';
import { holdSending, readGuard, releaseSending } from '../outbox/restoreGuardSql.ts';
import { command, type Report } from './command.ts';
import { facts } from './layout.ts';

const NOT_NOTICED =
  'This database does not look restored: nothing was changed. If it is a snapshot, a copy of the files, or was recovered to a point in time, which cannot be noticed, run after-restore --unnoticed.';

const afterRestore = command({
  path: 'after-restore',
  about:
    'Ends the sends that may have gone out since a backup, so that none goes out twice, and lets sending go on',
  arguments: {},
  flags: {
    plan: { about: 'only count them' },
    'nothing-sent': { about: 'every process was stopped before the backup was made: end none of them' },
    unnoticed: { about: 'the restore was not made by pg_restore or psql, so that Waypost cannot notice it' },
  },
  async run(input, cli) {
    const { pool, clock } = await cli.open();
    const [guard] = await readGuard(pool);
    if (guard?.held !== true && !input.isGiven('unnoticed')) throw new OperatorError(NOT_NOTICED);
    const before = guard?.held_since ?? clock.now();
    if (input.isGiven('plan')) return show(await planAfterRestore(pool, clock, before), 'would_end', false);
    if (input.isGiven('nothing-sent')) await holdSending(pool, clock.now());
    const { restored } = input.isGiven('nothing-sent')
      ? { restored: NOTHING }
      : await endAfterRestore(pool, clock);
    await transaction(pool, (tx) =>
      recordPlatformAudit(tx, clock.now(), {
        actor: OPERATOR,
        action: 'outbox.restored',
        detail: { ...restored.ended },
      }),
    );
    await releaseSending(pool);
    await notifyChannel(pool, 'waypost_webhooks');
    await notifyChannel(pool, 'waypost_outbox');
    return show(restored, 'ended', true);
  },
});

const NOTHING: RestoredSends = { ended: { email: 0, sms: 0, whatsapp: 0 }, kept: 0 };

function show({ ended, kept }: RestoredSends, name: 'ended' | 'would_end', isSending: boolean): Report {
  const json = { [name]: ended, kept_for_later: kept, sending: isSending };
  const lines = Object.entries(ended).map(([channel, count]): [string, number] => [
    `${name}_${channel}`,
    count,
  ]);
  return { json, text: facts([...lines, ['kept_for_later', kept], ['sending', isSending]]) };
}

export const afterRestoreCommands = [afterRestore];
