import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { monotonicMs } from '../../kit/clock.ts';
import { ADMINISTRATOR, type Cluster } from './cluster.ts';
import { type AdministratorConnection, connectOrStart } from './connectOrStart.ts';
import type { ServerSettings } from './settings.ts';
import { closeUse, joinUse, leaveUse, setPassword, takeServing } from './sql.ts';

/** Our presence at the cluster: a connection of its own that holds the locks which tell others we are there. */
export interface ClusterSession {
  readonly socketDirectory: string;
  readonly administratorPassword: string;
  /** True when nobody else is in; then nobody can join any more, and the server may be stopped. */
  leave(): Promise<boolean>;
  close(): Promise<void>;
}

interface Options {
  readonly cluster: Cluster;
  readonly settings: ServerSettings;
  readonly serving: boolean;
}

/** A killed server's session ends within milliseconds; a busy machine may take a little longer. */
const SERVING_PATIENCE_MS = 2_000;
const TRY_AGAIN_MS = 50;
const COME_BACK_MS = 500;

/** Null when we want to serve and another server does. */
export async function openSession(options: Options): Promise<ClusterSession | null> {
  const first = await enter(options, null);
  if (first === null) return null;
  const { socketDirectory, password: administratorPassword } = first;
  let client: Client = first.client;
  let open = true;
  let returning = Promise.resolve();

  /** When the server crashes our presence ends with it: we start it again if need be, and come back. */
  const comeBack = async (): Promise<void> => {
    while (open) {
      const again = await enter(options, socketDirectory).catch(() => null);
      if (again !== null) {
        client = again.client;
        return watch();
      }
      await sleep(COME_BACK_MS, undefined, { ref: false });
    }
  };
  const watch = (): void => {
    client.once('end', () => {
      returning = comeBack();
    });
  };
  watch();

  return {
    socketDirectory,
    administratorPassword,
    leave: async () => {
      open = false;
      await returning; // or we would start what was just stopped
      await leaveUse(client);
      const [answer] = await closeUse(client);
      return answer?.alone === true;
    },
    close: () => client.end(),
  };
}

/** Comes in, and takes the server's place if that is what we want. */
async function enter(
  options: Options,
  socketDirectory: string | null,
): Promise<AdministratorConnection | null> {
  for (;;) {
    const reached = await connectOrStart(options.cluster, options.settings, socketDirectory);
    const outcome = await takeLocks(reached.client, options.serving).catch(() => 'stopping' as const);
    if (outcome === 'in') return options.serving ? withOwnPassword(options.cluster, reached) : reached;
    await reached.client.end().catch(() => {});
    if (outcome === 'taken') return null;
    await sleep(TRY_AGAIN_MS);
  }
}

/**
 * On data from before each role had a password of its own, the server that now has the place sets the administrator's.
 * It lies in its file already, so a start that is killed before or after this finds one that works.
 */
async function withOwnPassword(
  { passwords }: Cluster,
  reached: AdministratorConnection,
): Promise<AdministratorConnection> {
  const password = passwords.administrator;
  if (reached.password !== password) await setPassword(reached.client, ADMINISTRATOR, password);
  return { ...reached, password };
}

async function takeLocks(client: Client, serving: boolean): Promise<'in' | 'taken' | 'stopping'> {
  const [use] = await joinUse(client);
  if (use?.joined !== true) return 'stopping';
  const deadline = monotonicMs() + SERVING_PATIENCE_MS;
  while (serving) {
    const [place] = await takeServing(client);
    if (place?.taken === true) return 'in';
    if (monotonicMs() > deadline) return 'taken';
    await sleep(TRY_AGAIN_MS);
  }
  return 'in';
}
