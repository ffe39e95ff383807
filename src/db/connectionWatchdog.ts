import pg, { type Pool, type PoolClient } from 'pg';
import { WORKING_BACKENDS } from './backendsSql.ts';
import { closeAtOnce, processIdOf, watchTraffic } from './driver.ts';
import { isReadOnlyServer } from './errors.ts';

/**
 * A live server cancels a slow statement itself. One that is silent for this much longer is unreachable: a frozen
 * host, a hung pooler, a dropped NAT entry. The connection is closed.
 */
const ANSWER_MARGIN_MS = 1_000;
const CHECK_EVERY_MS = 500;
const PROBE_TIMEOUT_MS = 1_000;

class AnswerTimeout extends Error {
  override readonly name = 'AnswerTimeout';
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('the database did not answer in time');
  }
}

/** Nothing more can be sent on the connection of this statement, which fell silent. */
export const isAnswerTimeout = (error: unknown): boolean => error instanceof AnswerTimeout;

/** The connection of this statement must not be used again: it fell silent, or leads to a server that is not the primary any more. */
export const endsConnection = (error: unknown): error is Error =>
  error instanceof Error && (isAnswerTimeout(error) || isReadOnlyServer(error));

/** Connections whose statements have a longer limit than the pool's. */
const longerStatements = new WeakMap<object, number>();

export const allowStatementsOf = (client: PoolClient, statementMs: number): void =>
  void longerStatements.set(client, statementMs);

export const restoreLimit = (client: PoolClient): void => void longerStatements.delete(client);

/** `waitingSince`: the check during which the unanswered statement began. */
interface Watched {
  client: PoolClient;
  waitingSince: number | null;
}

/** Of these backends, those that are at work or just were, as the server says on a new connection; rejects where it cannot be reached. */
type FindBackends = (processIds: readonly number[]) => Promise<ReadonlySet<number>>;

/** On a connection of its own, since every other may be waiting. */
export const findBackendsOf =
  (url: string): FindBackends =>
  async (processIds) => {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'waypost probe',
      connectionTimeoutMillis: PROBE_TIMEOUT_MS,
      query_timeout: PROBE_TIMEOUT_MS,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(WORKING_BACKENDS, [processIds]);
      return new Set(rows.map(({ pid }) => pid));
    } finally {
      await client.end().catch(() => {});
    }
  };

/** Of pools: the connections with a statement that waits for long. */
const suspectsOfPools = new WeakMap<Pool, () => Watched[]>();

export const hasSuspects = (pool: Pool): boolean => (suspectsOfPools.get(pool)?.() ?? []).length > 0;

/** Work that may take long is left alone. */
export const closeSuspects = (pool: Pool, error: Error): void => {
  for (const { client } of suspectsOfPools.get(pool)?.() ?? [])
    if (!longerStatements.has(client)) closeAtOnce(client, error);
};

/** A statement that waits this long is slow, or its server is gone: then a new connection can tell. */
const SUSPECT_AFTER_MS = 1_000;

/**
 * Closes connections that do not respond. The driver offers a timer per statement, but that timer keeps the
 * statement's rows alive into the old generation: a list of messages took a tenth longer (measured). Checking all
 * connections twice a second costs nothing.
 *
 * Where a new connection can be made, the server itself is asked: after a failover it does not know the backend of a statement
 * that waits, and where the network lost the statement or its answer, the backend is idle. Such a connection is closed long
 * before its time limit. Behind a pooler the process ids mean nothing, and `findBackends` is null.
 */
export function closeSilentConnections(
  pool: Pool,
  statementMs: number,
  findBackends: FindBackends | null,
): void {
  const watched = new Map<PoolClient, Watched>();
  let checks = 0;
  let timer: NodeJS.Timeout | undefined;
  let asking = false;

  const waitedLongerThan = ({ waitingSince }: Watched, milliseconds: number): boolean =>
    waitingSince !== null && (checks - waitingSince) * CHECK_EVERY_MS > milliseconds;

  const check = (): void => {
    checks += 1;
    for (const connection of watched.values()) {
      const limitMs = (longerStatements.get(connection.client) ?? statementMs) + ANSWER_MARGIN_MS;
      if (waitedLongerThan(connection, limitMs)) closeAtOnce(connection.client, new AnswerTimeout());
    }
    void closeThoseNobodyWorksFor();
  };

  const findSuspects = (): Watched[] =>
    [...watched.values()].filter((connection) => waitedLongerThan(connection, SUSPECT_AFTER_MS));
  suspectsOfPools.set(pool, findSuspects);

  const closeThoseNobodyWorksFor = async (): Promise<void> => {
    const suspects = findSuspects();
    if (findBackends === null || asking || suspects.length === 0) return;
    asking = true;
    const asked = suspects.map((connection) => ({ ...connection, pid: processIdOf(connection.client) }));
    const working = await findBackends(asked.map(({ pid }) => pid)).catch(() => null);
    asking = false;
    if (working === null) return;
    for (const { client, waitingSince, pid } of asked)
      if (!working.has(pid) && watched.get(client)?.waitingSince === waitingSince)
        closeAtOnce(client, new AnswerTimeout());
  };

  pool.on('connect', (client) => {
    const connection: Watched = { client, waitingSince: null };
    watched.set(client, connection);
    timer ??= setInterval(check, CHECK_EVERY_MS).unref();
    watchTraffic(client, {
      onSent: () => {
        connection.waitingSince ??= checks;
      },
      onAnswered: () => {
        if (connection.waitingSince !== null) connection.waitingSince = checks;
      },
      onIdle: () => {
        connection.waitingSince = null;
      },
    });
  });
  pool.on('remove', (client) => {
    watched.delete(client);
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
  closeIdleWithOne(pool);
}

/**
 * What ended one connection (silence, or a primary that was demoted) has probably ended the others. Idle ones are closed at
 * once, or each would cost its next user a timeout or an error; connections in use find out themselves.
 */
function closeIdleWithOne(pool: Pool): void {
  const idle = new Set<PoolClient>();
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('remove', (client) => idle.delete(client));
  pool.on('release', (error, client) => {
    if (!error) idle.add(client);
    if (endsConnection(error)) for (const connection of idle) closeAtOnce(connection);
  });
}
