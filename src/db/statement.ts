import { createHash } from 'node:crypto';
import pg, { type ClientBase, type Pool, type QueryResult, type QueryResultRow } from 'pg';
import { beginHolding, holdShards, refuseSilentShards, suspectShards } from './cluster/guardShardsSql.ts';
import { allowStatementsOf, endsConnection } from './connectionWatchdog.ts';
import { beginOf, type Client, isBehindPooler, type Planning } from './pool.ts';

/** The pool, or a caller's transaction. */
export type Queryable = Pick<ClientBase, 'query'> | Pick<Pool, 'query'>;

export type Statement<Params extends readonly unknown[], Row> = (
  db: Queryable,
  ...params: Params
) => Promise<Row[]>;

interface Declared {
  /** As it runs on a cluster, perhaps in steps. */
  cluster: string[];
  statement: unknown;
}
/** By text: one that is made again and again is there once. */
const declared = new Map<string, Declared>();

/** For the test that plans every statement on a cluster. */
export const declaredStatements = (): Declared[] => [...declared.values()];

type Declare = <Params extends readonly unknown[], Row extends QueryResultRow = Record<string, never>>(
  text: string,
) => Statement<Params, Row>;

/**
 * An SQL statement with typed parameters and rows. It is prepared once per connection, under a name derived from
 * its text, so it is planned once.
 */
export const statement: Declare = (text) => declare([{ text }], sending(text, nameOf(text)));

/** A statement that is sent once, and is not worth preparing. */
export const unnamedStatement: Declare = (text) => declare([{ text }], sending(text));

/** A statement that is never sent to a cluster, where something else does its work. */
export const statementOnOnePostgres: Declare = (text) => sending(text, nameOf(text));

/** A statement that is only sent to a cluster. */
export const statementOnCluster = statement;

const sending =
  <Params extends readonly unknown[], Row extends QueryResultRow>(
    text: string,
    name?: string,
  ): Statement<Params, Row> =>
  (db, ...params) =>
    send<Row>(db, { name, text, values: [...params] });

export function declare<S>(steps: readonly { text: string }[], made: S): S {
  const cluster = steps.map(({ text }) => text);
  declared.set(cluster.join(';'), { cluster, statement: made });
  return made;
}

const nameOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** A text that is sent with some of the parameters of a whole: Postgres refuses those that it does not use. */
export function asStep(written: string) {
  const used = [...new Set([...written.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))].sort(
    (a, b) => a - b,
  );
  const text = written.replace(/\$(\d+)/g, (_, number) => `$${used.indexOf(Number(number)) + 1}`);
  const name = nameOf(text);
  return {
    text,
    query: (values: readonly unknown[]): Query => ({
      name,
      text,
      values: used.map((parameter) => values[parameter - 1]),
    }),
  };
}

/** Sends statements one after another, outside of a transaction in one of their own. */
export async function sendSteps<Row extends QueryResultRow>(
  db: Queryable,
  steps: readonly Query[],
): Promise<QueryResult<Row>[]> {
  refuseSilentShards(db, steps);
  if (db instanceof pg.Pool)
    return onConnection(db, (client) =>
      steps.length > 1 || isBehindPooler(db)
        ? sendInTransaction<Row>(client, db, steps)
        : sendHolding<Row>(client, steps),
    );
  return sendHolding<Row>(db, steps);
}

async function sendHolding<Row extends QueryResultRow>(
  db: Queryable,
  steps: readonly Query[],
): Promise<QueryResult<Row>[]> {
  const held = holdShards(db, steps);
  const sent = Promise.all(steps.map((step) => db.query<Row>(step)));
  // If a shard cannot be held, the statements behind it fail too, and say less.
  return Promise.all([...held, sent]).then(
    () => sent,
    (error) => {
      suspectShards(db, error);
      throw error;
    },
  );
}

export type Query = { name?: string | undefined; text: string; values: unknown[] };

export const send = async <Row extends QueryResultRow>(db: Queryable, query: Query): Promise<Row[]> =>
  (await sendSteps<Row>(db, [query])).flatMap(({ rows }) => rows);

export function begin(client: Client, pool: Pool, planning?: Planning): Promise<unknown> {
  const begun = client.query(beginOf(pool, planning));
  beginHolding(client);
  return begun;
}

/**
 * The pool's own `query` closes the connection of a statement that failed. A new one plans every statement again, so that a database
 * in which some statements fail would become slow for all.
 */
async function onConnection<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const { client, breaks, release } = await checkOut(pool);
  try {
    return await work(client);
  } catch (error) {
    if (endsConnection(error)) breaks(error);
    throw error;
  } finally {
    release();
  }
}

/** A connection of the pool. Its release closes it if it broke meanwhile. */
export async function checkOut(pool: Pool) {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A checked-out connection has no other error listener, and an unhandled error would crash the process; the next
  // statement fails by itself.
  const breaks = (error: Error): void => {
    broken = error;
  };
  client.on('error', breaks);
  const release = (): void => {
    client.off('error', breaks);
    client.release(broken);
  };
  return { client, breaks, release };
}

/** Behind a pooler a statement needs a transaction for its settings. All of it leaves in one write. */
async function sendInTransaction<Row extends QueryResultRow>(
  client: Client,
  pool: Pool,
  queries: readonly Query[],
): Promise<QueryResult<Row>[]> {
  const begun = begin(client, pool);
  const sent = sendHolding<Row>(client, queries);
  // A statement that failed turns the commit into a rollback: the connection is clean either way.
  for (const step of await Promise.allSettled([begun, sent, client.query('commit')]))
    if (step.status === 'rejected') throw step.reason;
  return sent;
}

/** Citus sets on the workers what the transaction sets after this with `set local`. Elsewhere the setting means nothing. */
export const PASS_ON_SETTINGS = 'citus.propagate_set_commands = local';

/** Until the transaction ends, raises the limits for statements and lock waits, on both sides of the connection. */
export async function allowLongStatements(
  tx: Client,
  { statementMs, lockMs }: { statementMs: number; lockMs: number },
): Promise<void> {
  allowStatementsOf(tx, statementMs);
  await Promise.all(
    [PASS_ON_SETTINGS, `statement_timeout = ${statementMs}`, `lock_timeout = ${lockMs}`].map((setting) =>
      tx.query(`set local ${setting}`),
    ),
  );
}
