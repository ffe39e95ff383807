import type { Pool, PoolClient } from 'pg';

/**
 * A live server cancels a slow statement itself. One that is silent for this much longer is unreachable: a frozen
 * host, a hung pooler, a dropped NAT entry. The connection is closed.
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

/** A statement got no response in time, and its connection is closed. */
export const isAnswerTimeout = (error: unknown): boolean => error instanceof AnswerTimeout;

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

/**
 * Closes connections that do not respond. The driver offers a timer per statement, but that timer keeps the
 * statement's rows alive into the old generation: a list of messages took a tenth longer (measured). Checking all
 * connections once a second costs nothing.
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
    const connection: Watched = { client, waitingSince: null };
    watched.set(client, connection);
    timer ??= setInterval(check, CHECK_EVERY_MS).unref();
    onSend(client, () => {
      connection.waitingSince ??= checks;
    });
    // Pipelined statements are answered one by one.
    client.connection.on('readyForQuery', () => {
      if (connection.waitingSince !== null) connection.waitingSince = checks;
    });
    client.on('drain', () => {
      connection.waitingSince = null;
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
 * A network fault that silences one connection has probably silenced the others. Idle ones are closed at once, or
 * each would cost its next user the whole timeout; connections in use have their own timeout.
 */
function closeIdleAfterSilence(pool: Pool): void {
  const idle = new Set<PoolClient>();
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('remove', (client) => idle.delete(client));
  pool.on('release', (error, client) => {
    if (!error) idle.add(client);
    if (isAnswerTimeout(error)) for (const connection of idle) closeAtOnce(connection);
  });
}

/** Without the Terminate message, which a silent server would never answer. */
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
