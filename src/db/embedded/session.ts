import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { monotonicMs } from '../../kit/clock.ts';
import { ADMINISTRATOR, type Cluster } from './cluster.ts';
import { type AdministratorConnection, connectOrStart } from './connectOrStart.ts';
import type { ServerSettings } from './settings.ts';
import { acquireServing, closeUse, joinUse, leaveUse, setPassword } from './sql.ts';

/** A connection that holds the locks which show other processes that we use the cluster. */
export interface ClusterSession {
  readonly socketDirectory: string;
  readonly administratorPassword: string;
  /** True if no other process uses the cluster; then none can join any more, and the server can be stopped. */
  leave(): Promise<boolean>;
  close(): Promise<void>;
}

interface Options {
  readonly cluster: Cluster;
  readonly settings: ServerSettings;
  readonly serving: boolean;
}

/** A killed server's session ends within milliseconds; a busy machine may need a little longer. */
const SERVING_TIMEOUT_MS = 2_000;
const RETRY_MS = 50;
const RECONNECT_MS = 500;

/** Null if `serving` is wanted and another server serves. */
export async function openSession(options: Options): Promise<ClusterSession | null> {
  const first = await connectAndLock(options, null);
  if (first === null) return null;
  const { socketDirectory, password: administratorPassword } = first;
  let client: Client = first.client;
  let open = true;
  let reconnecting = Promise.resolve();

  /** If the server crashes, our session ends with it: start it again if necessary, and reconnect. */
  const reconnect = async (): Promise<void> => {
    while (open) {
      const again = await connectAndLock(options, socketDirectory).catch(() => null);
      if (again !== null) {
        client = again.client;
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
    socketDirectory,
    administratorPassword,
    leave: async () => {
      open = false;
      await reconnecting; // or it would start the server that was just stopped
      await leaveUse(client);
      const [answer] = await closeUse(client);
      return answer?.alone === true;
    },
    close: () => client.end(),
  };
}

/** Connects and takes the locks. */
async function connectAndLock(
  options: Options,
  socketDirectory: string | null,
): Promise<AdministratorConnection | null> {
  for (;;) {
    const connected = await connectOrStart(options.cluster, options.settings, socketDirectory);
    const outcome = await acquireLocks(connected.client, options.serving).catch(() => 'stopping' as const);
    if (outcome === 'in') return options.serving ? withOwnPassword(options.cluster, connected) : connected;
    await connected.client.end().catch(() => {});
    if (outcome === 'taken') return null;
    await sleep(RETRY_MS);
  }
}

/**
 * On older data, where both roles share a password, the new server sets the administrator's. The file exists
 * already, so a start that is killed before or after this finds a password that works.
 */
async function withOwnPassword(
  { passwords }: Cluster,
  connected: AdministratorConnection,
): Promise<AdministratorConnection> {
  const password = passwords.administrator;
  if (connected.password !== password) await setPassword(connected.client, ADMINISTRATOR, password);
  return { ...connected, password };
}

async function acquireLocks(client: Client, serving: boolean): Promise<'in' | 'taken' | 'stopping'> {
  const [use] = await joinUse(client);
  if (use?.joined !== true) return 'stopping';
  const deadline = monotonicMs() + SERVING_TIMEOUT_MS;
  while (serving) {
    const [serving_lock] = await acquireServing(client);
    if (serving_lock?.acquired === true) return 'in';
    if (monotonicMs() > deadline) return 'taken';
    await sleep(RETRY_MS);
  }
  return 'in';
}
