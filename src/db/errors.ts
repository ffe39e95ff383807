import { codeOf, messageOf } from '../kit/errors.ts';

/**
 * Citus passes on the words of some errors of a shard without their code: while it copies rows there, and when its connection to the
 * worker breaks.
 */
const CODES_OF_SHARDS: readonly [RegExp, string][] = [
  [/duplicate key value violates unique constraint/, '23505'],
  [/violates foreign key constraint/, '23503'],
  [/violates check constraint/, '23514'],
  [
    /^(?:server closed the connection|no connection to the server|connection not open|could not (?:send data to|receive data from) server)/,
    '08006',
  ],
];
const INTERNAL_ERROR = 'XX000';

/** SQLSTATE, or a code of Node. */
function databaseCodeOf(error: unknown): string | null {
  const code = codeOf(error);
  if (code !== INTERNAL_ERROR) return code;
  return CODES_OF_SHARDS.find(([words]) => words.test(messageOf(error)))?.[1] ?? code;
}

const constraintOf = (error: unknown): string | null =>
  error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : null;

/** Work found out by itself that another transaction came first: it is to be run again. */
export class LostRace extends Error {
  override readonly name = 'LostRace';
}

/** The shard of a business is on a server that does not answer. */
export class SilentShard extends Error {
  override readonly name = 'SilentShard';
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('part of the database does not answer');
  }
}

/** Two writers raced for the same row or deadlocked: a retry sees the winner's commit. */
export function isConflict(error: unknown): boolean {
  if (error instanceof LostRace) return true;
  const code = databaseCodeOf(error);
  return code === '23505' || code === '23503' || code === '40P01' || code === '40001';
}

/** A shard has the number of the shard behind the constraint's name. */
export const violates = (error: unknown, constraint: string): boolean =>
  constraintOf(error)?.replace(/_\d+$/, '') === constraint;

/** Postgres refused the text itself: a NUL, or bytes that are not UTF-8. */
export const isUnstorable = (error: unknown): boolean =>
  ['22021', '22P05'].includes(databaseCodeOf(error) ?? '');

/** Another transaction held a row for too long. Work that does not need the row can continue. */
export const isLockTimeout = (error: unknown): boolean => databaseCodeOf(error) === '55P03';

/** A standby, or a primary that was demoted after the connection was made. */
export const isReadOnlyServer = (error: unknown): boolean => databaseCodeOf(error) === '25006';

/**
 * The database is unreachable, shutting down, or so slow that a statement ran out of its time (57014); the request itself may be
 * fine.
 */
export function isUnavailable(error: unknown): boolean {
  const code = databaseCodeOf(error);
  if (code === null) return error instanceof Error && /connection|timeout/i.test(error.message);
  return (
    /^(08|53|57P|58)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', '25006', '55P03', '57014'].includes(code)
  );
}
