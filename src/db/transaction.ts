import type { Client, Pool } from './pool.ts';

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. A connection whose
 * rollback fails is broken and is thrown away rather than given back.
 */
export async function transaction<T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Out of the pool nobody else hears of a connection that ends between two statements, and an unheard error
  // would end the process; the next statement fails by itself.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

const constraintOf = (error: unknown): string | null =>
  error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : null;

/** Two writers raced for the same row or waited for each other: the same work, run again, sees the winner. */
export function isRace(error: unknown): boolean {
  const code = codeOf(error);
  return code === '23505' || code === '23503' || code === '40P01' || code === '40001';
}

export const violates = (error: unknown, constraint: string): boolean => constraintOf(error) === constraint;

/** The store refused the text itself: a NUL, or bytes that are not UTF-8. */
export const isUnstorable = (error: unknown): boolean => ['22021', '22P05'].includes(codeOf(error) ?? '');

/** Somebody held a row for too long: whoever does not need that row is none the worse. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/** The store is out of reach or going down; nothing is known to be wrong with the request. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (code === null) return error instanceof Error && /connection|timeout/i.test(error.message);
  return (
    /^(08|53|57P|58)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', '25006', '55P03'].includes(code)
  );
}
