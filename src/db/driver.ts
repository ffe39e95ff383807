import type { Client, PoolClient } from 'pg';

/*
 * Everything that reaches into the driver, pg, beyond what it documents. test/db/driver.test.ts shows what it relies on, so that an
 * upgrade of the driver fails there.
 */

/** As the server knows the connection; 0 before it is connected. */
export const processIdOf = (client: Client | PoolClient): number =>
  Number(Reflect.get(client, 'processID') ?? 0);

/** Without the Terminate message, which a silent server would never answer. Statements that wait fail with `error`. */
export const closeAtOnce = (
  { connection: { stream } }: Pick<PoolClient, 'connection'>,
  error?: Error,
): void => {
  stream.destroy(error);
};

interface Traffic {
  onSent: () => void;
  /** Once per statement: pipelined ones are answered one by one. */
  onAnswered: () => void;
  /** No statement waits for its answer any more. */
  onIdle: () => void;
}

export function watchTraffic(client: PoolClient, { onSent, onAnswered, onIdle }: Traffic): void {
  const { stream } = client.connection;
  const write = stream.write;
  stream.write = (...args: unknown[]): boolean => {
    onSent();
    return Reflect.apply(write, stream, args);
  };
  client.connection.on('readyForQuery', onAnswered);
  client.on('drain', onIdle);
}

/** Sends everything of one event loop turn in one write: each separate write would wake the database once more. */
export function writeOncePerTurn({ connection: { stream } }: PoolClient): void {
  const write = stream.write;
  let gathering = false;
  stream.write = (...sent: unknown[]): boolean => {
    if (!gathering) {
      gathering = true;
      stream.cork();
      process.nextTick(() => {
        gathering = false;
        stream.uncork();
      });
    }
    return Reflect.apply(write, stream, sent);
  };
}

/** A pooler that does not know names would mix up the statements of different clients. */
export function sendWithoutNames(client: PoolClient): void {
  const { query } = client;
  const unnamed = (config: unknown, ...rest: unknown[]): unknown => {
    const isNamed = typeof config === 'object' && config !== null && 'name' in config;
    return Reflect.apply(query, client, [isNamed ? { ...config, name: undefined } : config, ...rest]);
  };
  Reflect.set(client, 'query', unnamed);
}
