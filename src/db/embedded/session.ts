import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { monotonicMs } from '../../kit/clock.ts';
import { OperatorError } from '../../kit/errors.ts';
import { type DataDirectory, passwordFile } from './dataDirectory.ts';
import { isCode } from './files.ts';
import { type Launch, launch, makeSocketFolder, runningServer, stopServer } from './server.ts';
import { connectionUrl, type ServerSettings } from './settings.ts';
import { acquireServing, countOthers, joinUse, leaveUse } from './sql.ts';

/** Recovery after a crash replays up to a gigabyte, which takes minutes on slow disks. */
const START_TIMEOUT_MS = 300_000;
/** A killed program's session ends within milliseconds; a busy machine may need a little longer. */
const SERVING_TIMEOUT_MS = 2_000;
const CLOSING_TIMEOUT_MS = 500;
const CONNECT_TIMEOUT_MS = 5_000;
/** Our session only runs statements that never wait. */
const QUERY_TIMEOUT_MS = 5_000;
const POLL_MS = 20;
const RETRY_MS = 50;
const RECONNECT_MS = 500;
/** More than one: ours can lose to another start's server, which is then stopped. */
const LAUNCHES_MAX = 3;
const INVALID_PASSWORD = '28P01';

interface SessionOptions {
  readonly directory: DataDirectory;
  readonly settings: ServerSettings;
  readonly serving: boolean;
}

/**
 * A connection that holds the locks which show other processes that we use the server. Throws if `serving` is wanted and another
 * program serves.
 */
export async function openSession(options: SessionOptions) {
  let { client, socketFolder } = await connectAndLock(options, null);
  let isOpen = true;
  let reconnecting = Promise.resolve();

  /** If the server crashes, our session ends with it: start it again if necessary, and reconnect. */
  const reconnect = async (): Promise<void> => {
    while (isOpen) {
      const again = await connectAndLock(options, socketFolder).catch(() => null);
      if (again !== null) {
        ({ client } = again);
        return watch();
      }
      await sleep(RECONNECT_MS, undefined, { ref: false });
    }
  };
  const watch = (): void => {
    client.once('end', () => {
      reconnecting = reconnect();
    });
  };
  watch();

  return {
    socketFolder,
    /** Stops the server unless another process uses it. */
    async end(): Promise<void> {
      isOpen = false;
      await reconnecting; // or it would start the server that was just stopped
      // A session whose connection broke cannot see other users; then the running server is ours to stop.
      const [left] = await leaveUse(client).catch(() => [{ alone: true }]);
      const server = left?.alone === true ? runningServer(options.directory) : null;
      if (server !== null) {
        await untilOthersClosed(client).catch(() => {});
        await stopServer(options.directory, server);
      }
      await client.end().catch(() => {});
    },
  };
}

/** Our pools' connections are being closed: what still has one when the server stops logs an error. */
async function untilOthersClosed(client: Client): Promise<void> {
  const deadline = monotonicMs() + CLOSING_TIMEOUT_MS;
  while (monotonicMs() < deadline) {
    const [connections] = await countOthers(client);
    if (connections?.others === 0) return;
    await sleep(POLL_MS);
  }
}

async function connectAndLock(options: SessionOptions, socketBefore: string | null) {
  for (;;) {
    const connected = await connectOrStart(options, socketBefore);
    const outcome = await acquireLocks(connected.client, options.serving).catch(() => 'stopping');
    if (outcome === 'in') return connected;
    await connected.client.end().catch(() => {});
    if (outcome === 'taken')
      throw new OperatorError(
        `Waypost is already running on these data (DATA_DIR ${options.directory.dataDir}): stop it first, or set another DATA_DIR and PORT.`,
      );
    await sleep(RETRY_MS);
  }
}

async function acquireLocks(client: Client, serving: boolean): Promise<'in' | 'taken' | 'stopping'> {
  const [use] = await joinUse(client);
  if (use?.joined !== true) return 'stopping';
  const deadline = monotonicMs() + SERVING_TIMEOUT_MS;
  while (serving) {
    const [lock] = await acquireServing(client);
    if (lock?.acquired === true) return 'in';
    if (monotonicMs() > deadline) return 'taken';
    await sleep(RETRY_MS);
  }
  return 'in';
}

/** The running server, or one that we start with the previous socket folder. */
async function connectOrStart({ directory, settings }: SessionOptions, socketBefore: string | null) {
  const deadline = monotonicMs() + START_TIMEOUT_MS;
  const launches: Launch[] = [];
  for (; monotonicMs() < deadline; await sleep(POLL_MS)) {
    const server = runningServer(directory);
    const last = launches.at(-1);
    if (server === null && last?.hasExited() !== false) {
      if (last && launches.length === LAUNCHES_MAX) throw startFailure(directory, last.lastOutput());
      launches.push(launch(directory, settings, makeSocketFolder(directory, socketBefore)));
    } else if (server?.socketFolder) {
      const answer = await tryConnect(directory, server.socketFolder);
      if (answer instanceof Client) return { client: answer, socketFolder: server.socketFolder };
      // It has lost its socket, as when a cleanup empties the temporary folder.
      if (server.isReady && answer === 'no socket') await stopServer(directory, server);
    }
  }
  throw startFailure(directory, 'it does not answer');
}

async function tryConnect(directory: DataDirectory, socketFolder: string) {
  const client = new Client({
    connectionString: connectionUrl('postgres', directory.passwords.postgres, socketFolder),
    application_name: 'waypost embedded',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  client.on('error', () => {}); // the server can end it at any time: 'end' follows, or the next statement fails
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    if (isCode(error, INVALID_PASSWORD)) {
      const file = passwordFile(directory.home, 'postgres');
      throw new OperatorError(`The embedded Postgres refuses the password in ${file}: restore that file.`);
    }
    if (isCode(error, 'ENOENT', 'ECONNREFUSED')) return 'no socket';
    return 'not ready'; // starting, recovering, stopping, or gone during the handshake
  }
}

const startFailure = ({ log }: DataDirectory, reason: string): OperatorError =>
  new OperatorError(
    `The embedded Postgres did not start: ${reason.replace(/\.$/, '') || 'it printed nothing'} (more in ${log}).`,
  );
