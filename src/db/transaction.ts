import { flushCommitListeners } from './committedEvents.ts';
import { endsConnection, isAnswerTimeout, restoreLimit } from './connectionWatchdog.ts';
import { isConflict } from './errors.ts';
import type { Client, Planning, Pool } from './pool.ts';
import { begin, checkOut, type Queryable, type Statement } from './statement.ts';

interface TransactionOptions {
  planning?: Planning;
  /** How often the work is run in all when it loses a race. It must therefore change nothing but the database. */
  attempts?: number;
  /** What counts as losing a race. */
  isRace?: (error: unknown) => boolean;
}

/** For groups of sends or pushes: rows named by key, and as many attempts as a crowd of writers may cost. */
export const GROUP_TRANSACTION = { planning: 'by_key', attempts: 5 } as const satisfies TransactionOptions;

/** For what a member or an operator does: others may write the same rows, but no crowd does. */
export const ACTION_TRANSACTION = { attempts: 3 } as const satisfies TransactionOptions;

/** Sends a statement together with the commit. Its rows can be read once everything has succeeded. */
export type SendWrite = <Params extends readonly unknown[], Row>(
  statement: Statement<Params, Row>,
  ...params: Params
) => () => Row[];

/**
 * The last statements of a transaction. The function is not asynchronous, so it cannot wait for one of them before it has
 * sent the next: all of them and the commit leave in one round trip. It returns how to read the result from their rows.
 */
export type FinalWrites<T> = (send: SendWrite) => () => T;

/** How work may end instead of with a plain result. */
export class TransactionEnd<T> {
  readonly writes: FinalWrites<T>;
  /** Nothing was changed: the caller need not wait for the commit, which only releases locks. */
  readonly isReadOnly: boolean;

  private constructor(writes: FinalWrites<T>, isReadOnly: boolean) {
    this.writes = writes;
    this.isReadOnly = isReadOnly;
  }

  static finalWrites<T>(writes: FinalWrites<T>): TransactionEnd<T> {
    return new TransactionEnd(writes, false);
  }

  static readOnly<T>(result: T): TransactionEnd<T> {
    return new TransactionEnd(() => () => result, true);
  }

  static noFinalWrites<T>(result: T): TransactionEnd<T> {
    return new TransactionEnd(() => () => result, false);
  }
}

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws, run again when it lost a race. A
 * connection whose rollback fails is broken and is closed instead of returned to the pool.
 *
 * Statements that need no answer of one another may be sent together (`Promise.all`): they run in the order they were
 * sent, and after one that fails, the ones behind it fail too. Only the last of them may send more by itself.
 */
export async function transaction<T>(
  pool: Pool,
  work: (tx: Client) => Promise<T | TransactionEnd<T>>,
  { planning = 'as_usual', attempts = 1, isRace = isConflict }: TransactionOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(pool, work, planning);
    } catch (error) {
      if (attempt >= attempts || !isRace(error)) throw error;
    }
  }
}

/** Sends these statements now and waits for them, in a transaction that goes on. */
export async function writeNow<T>(tx: Queryable, writes: FinalWrites<T>): Promise<T> {
  const { answered, result } = sendAll(tx, writes);
  await answered;
  return result();
}

async function runOnce<T>(
  pool: Pool,
  work: (tx: Client) => Promise<T | TransactionEnd<T>>,
  planning: Planning,
): Promise<T> {
  const { client, breaks, release } = await checkOut(pool);
  let released: Promise<unknown> = Promise.resolve();
  try {
    // `begin` leaves with the first statement. Where it fails, the connection is gone, and that statement fails as well.
    const begun = begin(client, pool, planning);
    begun.catch(() => {});
    const ended = await work(client);
    const end = ended instanceof TransactionEnd ? ended : TransactionEnd.noFinalWrites(ended);
    const { answered, result } = sendAll(client, end.writes);
    const committed = client.query('commit');
    if (end.isReadOnly) {
      released = committed.catch(breaks);
      await begun;
      return result();
    }
    // After a statement that failed, `commit` rolls back and succeeds: the statements are looked at first.
    for (const outcome of await Promise.allSettled([begun, answered, committed]))
      if (outcome.status === 'rejected') throw outcome.reason;
    flushCommitListeners(pool, client, 'committed');
    return result();
  } catch (error) {
    flushCommitListeners(pool, client, 'rolled back');
    if (endsConnection(error)) breaks(error);
    if (!isAnswerTimeout(error)) await client.query('rollback').catch(breaks);
    throw error;
  } finally {
    void released.then(() => {
      restoreLimit(client);
      release();
    });
  }
}

function sendAll<T>(tx: Queryable, writes: FinalWrites<T>): { answered: Promise<unknown>; result: () => T } {
  const sent: Promise<void>[] = [];
  const result = writes((statement, ...params) => {
    let rows: Awaited<ReturnType<typeof statement>> | null = null;
    sent.push(
      statement(tx, ...params).then((answer) => {
        rows = answer;
      }),
    );
    return () => {
      if (rows === null) throw new Error('the rows of a final write were read before the commit');
      return rows;
    };
  });
  return { answered: Promise.all(sent), result };
}
