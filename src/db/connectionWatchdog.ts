import type { Pool, PoolClient } from 'pg';
import { WORKING_BACKENDS } from './backendsSql.ts';
import { withClient } from './client.ts';
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
  (processIds) => {
    const limits = { connectionTimeoutMillis: PROBE_TIMEOUT_MS, query_timeout: PROBE_TIMEOUT_MS };
    const config = { connectionString: url, application_name: 'waypost probe', ...limits };
    return withClient(config, async (client) => {
      const { rows } = await client.query<{ pid: number }>(WORKING_BACKENDS, [processIds]);
      return new Set(rows.map(({ pid }) => pid));
    });
  };

const watchedOfPools = new WeakMap<Pool, WatchedConnections>();

/** The connections with a statement that waits for long. */
const suspectsOf = (pool: Pool): Watched[] => watchedOfPools.get(pool)?.suspects() ?? [];

export const hasSuspects = (pool: Pool): boolean => suspectsOf(pool).length > 0;

/** Work that may take long is left alone. */
export const closeSuspects = (pool: Pool, error: Error): void => {
  for (const { client } of suspectsOf(pool)) if (!longerStatements.has(client)) closeAtOnce(client, error);
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
  const watched = new WatchedConnections(statementMs, findBackends);
  watchedOfPools.set(pool, watched);
  pool.on('connect', (client) => watched.add(client));
  pool.on('remove', (client) => watched.remove(client));
  closeIdleWithOne(pool);
}

class WatchedConnections {
  readonly #statementMs: number;
  readonly #findBackends: FindBackends | null;
  readonly #watched = new Map<PoolClient, Watched>();
  #checks = 0;
  #timer: NodeJS.Timeout | undefined;
  #asking = false;

  constructor(statementMs: number, findBackends: FindBackends | null) {
    this.#statementMs = statementMs;
    this.#findBackends = findBackends;
  }

  add(client: PoolClient): void {
    const connection: Watched = { client, waitingSince: null };
    this.#watched.set(client, connection);
    this.#timer ??= setInterval(this.#check, CHECK_EVERY_MS).unref();
    watchTraffic(client, {
      onSent: () => {
        connection.waitingSince ??= this.#checks;
      },
      onAnswered: () => {
        if (connection.waitingSince !== null) connection.waitingSince = this.#checks;
      },
      onIdle: () => {
        connection.waitingSince = null;
      },
    });
  }

  remove(client: PoolClient): void {
    this.#watched.delete(client);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  suspects(): Watched[] {
    return [...this.#watched.values()].filter((connection) => this.#hasWaited(connection, SUSPECT_AFTER_MS));
  }

  #hasWaited({ waitingSince }: Watched, milliseconds: number): boolean {
    return waitingSince !== null && (this.#checks - waitingSince) * CHECK_EVERY_MS > milliseconds;
  }

  readonly #check = (): void => {
    this.#checks += 1;
    for (const connection of this.#watched.values()) {
      const limitMs = (longerStatements.get(connection.client) ?? this.#statementMs) + ANSWER_MARGIN_MS;
      if (this.#hasWaited(connection, limitMs)) closeAtOnce(connection.client, new AnswerTimeout());
    }
    void this.#closeThoseNobodyWorksFor();
  };

  async #closeThoseNobodyWorksFor(): Promise<void> {
    const suspects = this.suspects();
    if (this.#findBackends === null || this.#asking || suspects.length === 0) return;
    this.#asking = true;
    const asked = suspects.map((connection) => ({ ...connection, pid: processIdOf(connection.client) }));
    const working = await this.#findBackends(asked.map(({ pid }) => pid)).catch(() => null);
    this.#asking = false;
    if (working === null) return;
    for (const { client, waitingSince, pid } of asked)
      if (!working.has(pid) && this.#watched.get(client)?.waitingSince === waitingSince)
        closeAtOnce(client, new AnswerTimeout());
  }
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
