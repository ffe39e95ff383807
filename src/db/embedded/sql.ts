import type { Client } from 'pg';
import { statement } from '../statement.ts';

/*
 * Two advisory locks of the embedded cluster's `postgres` database. They belong to a session, so the death of
 * whoever holds them frees them: after a kill -9 there is nothing to clean up and nothing to time out.
 *   (CLASS, 1) "serving": held alone by the one server.
 *   (CLASS, 2) "in use":  shared by the server and every command; the last one out takes it alone and stops Postgres.
 */
const CLASS = 0x57415950;

/** False while Postgres is being stopped by the last one who used it. */
export const joinUse = statement<[], { joined: boolean }>(
  `SELECT pg_try_advisory_lock_shared(${CLASS}, 2) AS joined`,
);

/** False while another server holds it. */
export const takeServing = statement<[], { taken: boolean }>(
  `SELECT pg_try_advisory_lock(${CLASS}, 1) AS taken`,
);

export const leaveUse = statement<[]>(`SELECT pg_advisory_unlock_shared(${CLASS}, 2)`);

/** After leaving: true when nobody else is in. From then on nobody can join. */
export const closeUse = statement<[], { alone: boolean }>(
  `SELECT pg_try_advisory_lock(${CLASS}, 2) AS alone`,
);

/** A role's password takes no parameter: it is quoted here. */
export const setPassword = (client: Client, role: string, password: string): Promise<unknown> =>
  client.query(`ALTER ROLE ${client.escapeIdentifier(role)} PASSWORD ${client.escapeLiteral(password)}`);
