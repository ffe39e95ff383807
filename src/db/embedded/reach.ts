import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { monotonicMs } from '../../kit/clock.ts';
import { OperatorError } from '../../kit/errors.ts';
import type { Cluster } from './cluster.ts';
import { asAdministrator, connectionConfig } from './connection.ts';
import { runningPostmaster } from './postmaster.ts';
import { isCode } from './refusal.ts';
import { type Launch, launch, stopServer } from './server.ts';
import type { Settings } from './settings.ts';
import { keepSocketFolder, makeSocketFolder } from './socketFolder.ts';

export interface Reached {
  readonly client: Client;
  readonly socketDirectory: string;
}

/** A recovery after a crash replays up to a gigabyte; slow disks take minutes for that. */
const PATIENCE_MS = 300_000;
/** A live server whose socket stays away this long has lost it: something cleaned up the temporary folder. */
const SOCKET_PATIENCE_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** It only ever asks for locks that are there or not. */
const QUERY_TIMEOUT_MS = 5_000;
const LOOK_AGAIN_MS = 20;
/** More than one, for ours may lose to another start's that is then stopped. */
const LAUNCHES = 3;
const INVALID_PASSWORD = '28P01';

/** Connects to the server of these data: the one that runs, else one we start, with its socket where it was before. */
export async function reach(
  cluster: Cluster,
  settings: Settings,
  socketBefore: string | null,
): Promise<Reached> {
  const deadline = monotonicMs() + PATIENCE_MS;
  let launched: Launch | null = null;
  let launches = 0;
  let silentSince: number | null = null;
  while (monotonicMs() < deadline) {
    const server = runningPostmaster(cluster.data);
    if (server === null && (launched === null || launched.exited)) {
      if (launched !== null && launches === LAUNCHES) throw startFailure(cluster, launched.lastWords());
      launches += 1;
      launched = launch(cluster, settings, socketFolder(cluster, socketBefore));
    }
    if (server !== null && server.socketDirectory !== null) {
      const answer = await knock(cluster, server.socketDirectory);
      if (answer instanceof Client) return { client: answer, socketDirectory: server.socketDirectory };
      silentSince = answer === 'not there' ? (silentSince ?? monotonicMs()) : null;
      if (silentSince !== null && monotonicMs() - silentSince > SOCKET_PATIENCE_MS) await stopServer(cluster);
    }
    await sleep(LOOK_AGAIN_MS);
  }
  throw startFailure(cluster, 'it does not answer');
}

async function knock(cluster: Cluster, socketDirectory: string): Promise<Client | 'not there' | 'not ready'> {
  const client = new Client({
    ...connectionConfig(asAdministrator(cluster, socketDirectory)),
    application_name: 'waypost embedded',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  client.on('error', () => {}); // the server may end it at any time: 'end' follows, or the next statement fails
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    if (isCode(error, 'ENOENT', 'ECONNREFUSED')) return 'not there';
    if (isCode(error, INVALID_PASSWORD)) throw lockedOut(cluster);
    return 'not ready'; // starting, recovering, stopping, or gone in the middle of our greeting
  }
}

function socketFolder(cluster: Cluster, before: string | null): string {
  if (before === null) return makeSocketFolder(cluster);
  keepSocketFolder(cluster, before);
  return before;
}

const lockedOut = (cluster: Cluster): OperatorError =>
  new OperatorError(
    `The embedded Postgres refuses the password in ${cluster.home}/password: restore that file.`,
  );

const startFailure = (cluster: Cluster, reason: string): OperatorError =>
  new OperatorError(
    `The embedded Postgres did not start: ${reason.replace(/\.$/, '')} (more in ${cluster.log}).`,
  );
