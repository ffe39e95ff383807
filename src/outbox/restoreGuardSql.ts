import { statement } from '../db/statement.ts';

/*
 * After a restore the database is older than reality: what waits in it may have gone out since the backup. The guard keeps
 * workers from sending until an operator has said so with the command `after-restore` (docs/adr/0015).
 */

const FITS = 'g.xmin::text::bigint = g.transaction_id';
const THIS_TRANSACTION = 'pg_current_xact_id()::text::bigint & 4294967295';

/** For the claim of due sends, so that not even a worker that kept running sends from a restored database. */
export const NOTHING_HELD = `not exists (select from restore_guard g where g.held_since is not null or not (${FITS}))`;

/** Whether sending is held, and since when; a restore that no start has noticed yet has no time. */
export const readGuard = statement<[], { held: boolean; held_since: Date | null }>(`
  select g.held_since is not null or not (${FITS}) as held, g.held_since from restore_guard g`);

/** At the start of every process: from now on, new sends can be told from those of the backup. */
export const noticeRestore = statement<[now: Date], { held_since: Date }>(`
  update restore_guard g set held_since = $1, transaction_id = ${THIS_TRANSACTION}
  where g.held_since is null and not (${FITS}) returning g.held_since`);

/** Holds all sending. A hold that is there already stays as it is. */
export const holdSending = statement<[now: Date], { held_since: Date }>(`
  update restore_guard g set held_since = coalesce(g.held_since, $1), transaction_id = ${THIS_TRANSACTION}
  returning g.held_since`);

export const releaseSending = statement<[]>(`
  update restore_guard g set held_since = null, transaction_id = ${THIS_TRANSACTION}`);

export const HELD_SENTENCE =
  'The database was restored from a backup, and nothing is sent: run the command after-restore, which ends what may have gone out already.';
