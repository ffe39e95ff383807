import { createHash } from 'node:crypto';
import type { ClientBase, Pool, QueryResultRow } from 'pg';
import type { Client } from './pool.ts';
import { allowStatementsOf } from './silence.ts';

/** The pool, or a caller's transaction. */
export type Queryable = Pick<ClientBase, 'query'> | Pick<Pool, 'query'>;

export type Statement<Params extends readonly unknown[], Row> = (
  db: Queryable,
  ...params: Params
) => Promise<Row[]>;

/**
 * An SQL statement with typed parameters and rows. It is prepared once per connection, under a name derived from
 * its text, so it is planned once.
 */
export function statement<
  Params extends readonly unknown[],
  Row extends QueryResultRow = Record<string, never>,
>(text: string): Statement<Params, Row> {
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return async (db, ...params) => (await db.query<Row>({ name, text, values: [...params] })).rows;
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
