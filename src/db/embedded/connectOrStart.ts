import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { monotonicMs } from '../../kit/clock.ts';
import { OperatorError } from '../../kit/errors.ts';
import type { Cluster } from './cluster.ts';
import { asAdministrator, connectionConfig } from './connection.ts';
import { isCode } from './files.ts';
import { ADMINISTRATOR_FILE } from './passwords.ts';
import { runningPostmaster } from './postmaster.ts';
import { type Launch, launch, stopServer } from './server.ts';
import type { ServerSettings } from './settings.ts';
import { keepSocketFolder, makeSocketFolder } from './socketFolder.ts';

export interface AdministratorConnection {
  readonly client: Client;
  readonly socketDirectory: string;
  /** The administrator's password that the server accepted. */
  readonly password: string;
}

/** Recovery after a crash replays up to a gigabyte, which takes minutes on slow disks. */
const START_TIMEOUT_MS = 300_000;
/** A running server without a socket for this long has lost it, as when a cleanup empties the temporary folder. */
const SOCKET_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** It only runs lock statements that never wait. */
const QUERY_TIMEOUT_MS = 5_000;
const POLL_MS = 20;
/** More than one: ours can lose to another start's server, which is then stopped. */
const LAUNCHES_MAX = 3;
const INVALID_PASSWORD = '28P01';

/** Connects to the server of this data: the running one, or one that we start with the previous socket folder. */
export async function connectOrStart(
  cluster: Cluster,
  settings: ServerSettings,
  socketBefore: string | null,
): Promise<AdministratorConnection> {
  const deadline = monotonicMs() + START_TIMEOUT_MS;
  let launched: Launch | null = null;
  let launches = 0;
  let silentSince: number | null = null;
  while (monotonicMs() < deadline) {
    const server = runningPostmaster(cluster.data);
    if (server === null && (launched === null || launched.exited)) {
      if (launched !== null && launches === LAUNCHES_MAX) throw startFailure(cluster, launched.lastOutput());
      launches += 1;
      launched = launch(cluster, settings, socketFolder(cluster, socketBefore));
    }
    if (server !== null && server.socketDirectory !== null) {
      const answer = await tryConnect(cluster, server.socketDirectory);
      if (typeof answer === 'object') return answer;
      silentSince = answer === 'no socket' ? (silentSince ?? monotonicMs()) : null;
      if (silentSince !== null && monotonicMs() - silentSince > SOCKET_TIMEOUT_MS) await stopServer(cluster);
    }
    await sleep(POLL_MS);
  }
  throw startFailure(cluster, 'it does not answer');
}

type Refused = 'no socket' | 'not ready' | 'wrong password';

/** Tries the administrator's own password, then the one that both roles share on older data. */
async function tryConnect(
  cluster: Cluster,
  socketDirectory: string,
): Promise<AdministratorConnection | Refused> {
  for (const password of [cluster.passwords.administrator, cluster.passwords.waypost]) {
    const answer = await connectWith(password, socketDirectory);
    if (answer !== 'wrong password') return answer;
  }
  throw lockedOut(cluster);
}

async function connectWith(
  password: string,
  socketDirectory: string,
): Promise<AdministratorConnection | Refused> {
  const client = new Client({
    ...connectionConfig(asAdministrator(password, socketDirectory)),
    application_name: 'waypost embedded',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  client.on('error', () => {}); // the server can end it at any time: 'end' follows, or the next statement fails
  try {
    await client.connect();
    return { client, socketDirectory, password };
  } catch (error) {
    await client.end().catch(() => {});
    if (isCode(error, 'ENOENT', 'ECONNREFUSED')) return 'no socket';
    if (isCode(error, INVALID_PASSWORD)) return 'wrong password';
    return 'not ready'; // starting, recovering, stopping, or gone during the handshake
  }
}

function socketFolder(cluster: Cluster, before: string | null): string {
  if (before === null) return makeSocketFolder(cluster);
  keepSocketFolder(cluster, before);
  return before;
}

const lockedOut = (cluster: Cluster): OperatorError =>
  new OperatorError(
    `The embedded Postgres refuses the password in ${join(cluster.home, ADMINISTRATOR_FILE)}: restore that file.`,
  );

const startFailure = (cluster: Cluster, reason: string): OperatorError =>
  new OperatorError(
    `The embedded Postgres did not start: ${reason.replace(/\.$/, '')} (more in ${cluster.log}).`,
  );
