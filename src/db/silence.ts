import type { Pool, PoolClient } from 'pg';

/**
 * A server that still speaks cancels a statement by itself. One that has said nothing for this much longer is out of
 * reach: a frozen host, a hung pooler, a NAT entry that was dropped. The connection is closed.
 */
const ANSWER_MARGIN_MS = 1_000;
const CHECK_EVERY_MS = 1_000;

class AnswerTimeout extends Error {
  override readonly name = 'AnswerTimeout';
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('the database did not answer in time');
  }
}

/** A statement had no answer in time, and its connection is closed. */
export const isAnswerTimeout = (error: unknown): boolean => error instanceof AnswerTimeout;

/** How long one statement may take on a connection where it is more than the pool's own limit. */
const longerStatements = new WeakMap<object, number>();

export const allowStatementsOf = (client: PoolClient, statementMs: number): void =>
  void longerStatements.set(client, statementMs);

export const restoreLimit = (client: PoolClient): void => void longerStatements.delete(client);

/** `waitingSince`: at which check the statement began that has no answer yet. */
interface Watched {
  client: PoolClient;
  waitingSince: number | null;
}

/**
 * Closes connections that do not answer. The driver can do it with a timer for each statement, but such a timer keeps the rows of
 * its statement alive into the old generation: a list of messages cost a tenth more (measured). Checking all connections
 * once a second costs nothing.
 */
export function closeSilentConnections(pool: Pool, statementMs: number): void {
  const watched = new Map<PoolClient, Watched>();
  let checks = 0;
  let timer: NodeJS.Timeout | undefined;

  const check = (): void => {
    checks += 1;
    for (const { client, waitingSince } of watched.values()) {
      if (waitingSince === null) continue;
      const limitMs = (longerStatements.get(client) ?? statementMs) + ANSWER_MARGIN_MS;
      if ((checks - waitingSince) * CHECK_EVERY_MS > limitMs) closeAtOnce(client, new AnswerTimeout());
    }
  };

  pool.on('connect', (client) => {
    const one: Watched = { client, waitingSince: null };
    watched.set(client, one);
    timer ??= setInterval(check, CHECK_EVERY_MS).unref();
    onSend(client, () => {
      one.waitingSince ??= checks;
    });
    // Statements that were sent together are answered one by one.
    client.connection.on('readyForQuery', () => {
      if (one.waitingSince !== null) one.waitingSince = checks;
    });
    client.on('drain', () => {
      one.waitingSince = null;
    });
  });
  pool.on('remove', (client) => {
    watched.delete(client);
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
  closeIdleAfterSilence(pool);
}

/**
 * Whatever silenced one connection has probably silenced the others. Those that are idle are closed at once, or each of them would
 * cost its next user the whole timeout; those in use have a timeout of their own.
 */
function closeIdleAfterSilence(pool: Pool): void {
  const idle = new Set<PoolClient>();
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('remove', (client) => idle.delete(client));
  pool.on('release', (error, client) => {
    if (!error) idle.add(client);
    if (isAnswerTimeout(error)) for (const one of idle) closeAtOnce(one);
  });
}

/** Without a farewell, which a silent connection would never answer. */
export const closeAtOnce = (
  { connection: { stream } }: Pick<PoolClient, 'connection'>,
  error?: Error,
): void => {
  stream.destroy(error);
};

function onSend({ connection: { stream } }: PoolClient, sent: () => void): void {
  const write = stream.write;
  stream.write = (...args: unknown[]): boolean => {
    sent();
    return Reflect.apply(write, stream, args);
  };
}
