import { statement } from '../statement.ts';

/**
 * Two advisory locks of the embedded server's database `postgres`. They belong to a session, so the holder's
 * death releases them: after a kill -9 there is nothing to clean up.
 *   (CLASS, 1) "serving": exclusive, held by the one program that serves.
 *   (CLASS, 2) "in use": shared by that program and every command; the last one to leave takes it exclusively and
 * stops Postgres.
 */
const CLASS = 0x57415950;

/** False while the last user is stopping Postgres. */
export const joinUse = statement<[], { joined: boolean }>(
  `SELECT pg_try_advisory_lock_shared(${CLASS}, 2) AS joined`,
);

/** False while another program holds it. */
export const acquireServing = statement<[], { acquired: boolean }>(
  `SELECT pg_try_advisory_lock(${CLASS}, 1) AS acquired`,
);

/** Returns true if no other process is in. From then on none can join. */
export const leaveUse = statement<[], { alone: boolean }>(
  `SELECT pg_advisory_unlock_shared(${CLASS}, 2), pg_try_advisory_lock(${CLASS}, 2) AS alone`,
);

export const countOthers = statement<[], { others: number }>(`
  SELECT count(*)::int AS others FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`);
