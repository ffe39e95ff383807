import type { Client, Pool } from './pool.ts';
import { isAnswerTimeout, restoreLimit } from './silence.ts';

/**
 * How a transaction's statements are planned. `by_key`: for lists that name every row by its key. A plan made
 * while the tables are empty would scan them forever, so these settings force index plans, made once.
 */
type Planning = 'as_usual' | 'by_key';

const BEGIN: Record<Planning, string> = {
  as_usual: 'begin',
  by_key: `begin; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off;
    set local plan_cache_mode = force_generic_plan`,
};

/**
 * Runs `work` in one transaction: commits when it returns, rolls back when it throws. A connection whose rollback
 * fails is discarded.
 * Independent statements can be sent without waiting (`Promise.all`): they run in order, and after one fails,
 * those behind it fail too. Only the last of them may send further statements.
 */
export const transaction = <T>(
  pool: Pool,
  work: (tx: Client) => Promise<T>,
  planning: Planning = 'as_usual',
): Promise<T> => pipelinedTransaction(pool, async (tx) => noFinalWrites(await work(tx)), planning);

/** How work ends: with its last statements, or with a result and no change. */
export type TransactionEnd<T> = { finalWrites: () => Promise<T> } | { readOnly: T };

/** Every statement has already been sent and answered. */
export const noFinalWrites = <T>(result: T): TransactionEnd<T> => ({
  finalWrites: () => Promise.resolve(result),
});

/**
 * A transaction whose last statements need no look at their results: the commit is sent together with them, and
 * does nothing if one fails. `finalWrites` must send all of them before it awaits anything. Read-only work does
 * not wait for the commit; its locks are released soon after.
 */
export async function pipelinedTransaction<T>(
  pool: Pool,
  work: (tx: Client) => Promise<TransactionEnd<T>>,
  planning: Planning = 'as_usual',
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  let committing: Promise<unknown> = Promise.resolve();
  // A checked-out connection has no other error listener, and an unhandled error would crash the process; the
  // next statement fails by itself.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    // `begin` is sent with the first statement. If it fails, the connection is gone, and that statement fails as
    // well.
    const begun = client.query(BEGIN[planning]);
    begun.catch(() => {});
    const end = await work(client);
    if ('readOnly' in end) {
      await begun;
      committing = client.query('commit').catch(onError);
      return end.readOnly;
    }
    const [start, result, commit] = await Promise.allSettled([
      begun,
      end.finalWrites(),
      client.query('commit'),
    ]);
    if (start.status === 'rejected') throw start.reason;
    if (result.status === 'rejected') throw result.reason;
    if (commit.status === 'rejected') throw commit.reason;
    return result.value;
  } catch (error) {
    // A silent connection is already closed, so no rollback can be sent.
    if (error instanceof Error && isAnswerTimeout(error)) broken = error;
    else
      await client.query('rollback').catch((rollbackError: Error) => {
        broken = rollbackError;
      });
    throw error;
  } finally {
    void committing.then(() => {
      client.off('error', onError);
      restoreLimit(client);
      client.release(broken);
    });
  }
}

const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

const constraintOf = (error: unknown): string | null =>
  error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : null;

/** Two writers raced for the same row or deadlocked: a retry sees the winner's commit. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === '23505' || code === '23503' || code === '40P01' || code === '40001';
}

export const violates = (error: unknown, constraint: string): boolean => constraintOf(error) === constraint;

/** Postgres refused the text itself: a NUL, or bytes that are not UTF-8. */
export const isUnstorable = (error: unknown): boolean => ['22021', '22P05'].includes(codeOf(error) ?? '');

/** Another transaction held a row for too long. Work that does not need the row can continue. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/** The database is unreachable or shutting down; the request itself may be fine. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (code === null) return error instanceof Error && /connection|timeout/i.test(error.message);
  return (
    /^(08|53|57P|58)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', '25006', '55P03'].includes(code)
  );
}
