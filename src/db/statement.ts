import { createHash } from 'node:crypto';
import type { ClientBase, Pool, QueryResultRow } from 'pg';
import { beginOf, type Client, isBehindPooler } from './pool.ts';
import { allowStatementsOf, endsConnection } from './silence.ts';

/** The pool, or a caller's transaction. */
export type Queryable = Pick<ClientBase, 'query'> | Pick<Pool, 'query'>;

export type Statement<Params extends readonly unknown[], Row> = (
  db: Queryable,
  ...params: Params
) => Promise<Row[]>;

/** The text of every statement that a module declared. */
const declared = new Set<string>();

/** For the test that plans every statement on a cluster. */
export const declaredStatements = (): ReadonlySet<string> => declared;

/**
 * An SQL statement with typed parameters and rows. It is prepared once per connection, under a name derived from
 * its text, so it is planned once.
 */
export function statement<
  Params extends readonly unknown[],
  Row extends QueryResultRow = Record<string, never>,
>(text: string): Statement<Params, Row> {
  declared.add(text);
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return (db, ...params) => send<Row>(db, { name, text, values: [...params] });
}

/** A statement that is sent once, and is not worth preparing. */
export function unnamedStatement<
  Params extends readonly unknown[],
  Row extends QueryResultRow = Record<string, never>,
>(text: string): Statement<Params, Row> {
  declared.add(text);
  return (db, ...params) => send<Row>(db, { text, values: [...params] });
}

type Query = { name?: string; text: string; values: unknown[] };

const send = async <Row extends QueryResultRow>(db: Queryable, query: Query): Promise<Row[]> =>
  isBehindPooler(db) ? sendInTransaction<Row>(db, query) : (await db.query<Row>(query)).rows;

/** Behind a pooler a statement needs a transaction for its settings. All of it leaves in one write. */
async function sendInTransaction<Row extends QueryResultRow>(pool: Pool, query: Query): Promise<Row[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    // A statement that failed turns the commit into a rollback: the connection is clean either way.
    const [begun, sent, committed] = await Promise.allSettled([
      client.query(beginOf(pool)),
      client.query<Row>(query),
      client.query('commit'),
    ]);
    for (const step of [begun, sent, committed]) if (step.status === 'rejected') throw step.reason;
    return sent.status === 'fulfilled' ? sent.value.rows : [];
  } catch (error) {
    if (endsConnection(error)) broken = error;
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

const setTimeouts = statement<[statementMs: string, lockMs: string], Record<string, string>>(`
  select set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true)`);

/** Until the transaction ends, raises the limits for statements and lock waits, on both sides of the connection. */
export async function allowLongStatements(
  tx: Client,
  { statementMs, lockMs }: { statementMs: number; lockMs: number },
): Promise<void> {
  allowStatementsOf(tx, statementMs);
  await setTimeouts(tx, String(statementMs), String(lockMs));
}
