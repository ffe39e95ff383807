import type { Client, Pool } from './pool.ts';
import { isAnswerTimeout, restoreLimit } from './silence.ts';

/**
 * How a transaction's statements are planned. `by_key`: for lists that name every row by its key. A plan made while the
 * tables were empty would scan them ever after, so plans are made for the indexes, once, and kept.
 */
export type Planning = 'as_usual' | 'by_key';

const BEGIN: Record<Planning, string> = {
  as_usual: 'begin',
  by_key: `begin; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off;
    set local plan_cache_mode = force_generic_plan`,
};

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. A connection whose
 * rollback fails is broken and is thrown away rather than given back.
 *
 * Statements that need no answer of one another may be sent together (`Promise.all`): they run in the order they were
 * sent, and after one that fails, those behind it fail too. Only the last of them may have more to send by itself.
 */
export const transaction = <T>(
  pool: Pool,
  work: (tx: Client) => Promise<T>,
  planning: Planning = 'as_usual',
): Promise<T> => pipelinedTransaction(pool, async (tx) => noFinalWrites(await work(tx)), planning);

/** How work ends: with its last statements, or with what it has read, having changed nothing. */
export type TransactionEnd<T> = { finalWrites: () => Promise<T> } | { readOnly: T };

/** Every statement has been asked for and answered. */
export const noFinalWrites = <T>(result: T): TransactionEnd<T> => ({
  finalWrites: () => Promise.resolve(result),
});

/**
 * The same for work whose last statements need no look at their answers: the commit goes out with them, and does nothing
 * when one fails; `finalWrites` must ask for all of them before it waits for anything. Work that has changed nothing is not kept
 * waiting for the commit at all; its locks are let go soon after.
 */
export async function pipelinedTransaction<T>(
  pool: Pool,
  work: (tx: Client) => Promise<TransactionEnd<T>>,
  planning: Planning = 'as_usual',
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  let parting: Promise<unknown> = Promise.resolve();
  // Out of the pool nobody else hears of a connection that ends between two statements, and an unheard error
  // would end the process; the next statement fails by itself.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    // `begin` goes out with the first statement. Where it fails, the connection is gone, and that one fails as well.
    const begun = client.query(BEGIN[planning]);
    begun.catch(() => {});
    const ending = await work(client);
    if ('readOnly' in ending) {
      await begun;
      parting = client.query('commit').catch(onError);
      return ending.readOnly;
    }
    const [start, result, commit] = await Promise.allSettled([
      begun,
      ending.finalWrites(),
      client.query('commit'),
    ]);
    if (start.status === 'rejected') throw start.reason;
    if (result.status === 'rejected') throw result.reason;
    if (commit.status === 'rejected') throw commit.reason;
    return result.value;
  } catch (error) {
    // A connection that fell silent is closed: nothing more can be said on it.
    if (error instanceof Error && isAnswerTimeout(error)) broken = error;
    else
      await client.query('rollback').catch((rollbackError: Error) => {
        broken = rollbackError;
      });
    throw error;
  } finally {
    void parting.then(() => {
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

/** Two writers raced for the same row or waited for each other: the same work, run again, sees the winner. */
export function isConflict(error: unknown): boolean {
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
