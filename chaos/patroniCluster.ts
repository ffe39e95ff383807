import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atEnd } from '../bench/cleanup.ts';
import { accountForNewData } from '../src/db/embedded/account.ts';
import { migrate } from '../src/db/migrate.ts';
import { MINUTE } from '../src/kit/clock.ts';
import { claimPort } from '../src/server/listening.ts';
import { runStatements } from '../test/support/cluster.ts';
import { processFamily, signalAll } from '../test/support/processFamily.ts';
import { eventually } from '../test/support/waiting.ts';
import { HOST, haproxySettings, type PatroniNode, patroniSettings, SCOPE } from './patroniSettings.ts';
import { openChaosPool, superuserUrl } from './postgres.ts';

export type PatroniCluster = Awaited<ReturnType<typeof startPatroniCluster>>;

/** Where they are. */
export type PatroniPrograms = Record<'postgres' | 'patroni' | 'patronictl' | 'etcd' | 'haproxy', string>;

type Role = 'primary' | 'synchronous';

const WITHIN_MS = 3 * MINUTE;
const CHECK_TIMEOUT_MS = 1_000;
const LOG_SHOWN = 1_000;

/** Two nodes under Patroni with `synchronous_mode`, and an etcd: Patroni decides which node is the primary. */
export async function startPatroniCluster(programs: PatroniPrograms, folder: string) {
  const etcdPort = await startEtcd(programs.etcd, folder);
  const nodes = [
    await openNode(programs, folder, 'a', etcdPort),
    await openNode(programs, folder, 'b', etcdPort),
  ] as const;
  let [primary, standby] = nodes;
  primary.start();
  await primary.untilHealthy('primary');
  await migrate(primary.url);
  standby.start();
  await standby.untilHealthy('synchronous');
  let pool = openChaosPool(primary.url);
  return {
    nodes,
    /** To whichever is the primary, around the proxy; opened anew after a promotion. */
    pool: () => pool,
    /** Kills the primary, each of its backends, and its Patroni. */
    killPrimary: (): void => primary.kill(),
    /** Stops all of them in the middle of what they do: their connections stay open. */
    freezePrimary: (): void => primary.freeze(),
    /** `patronictl switchover`. */
    async switchOver(): Promise<void> {
      const to = ['switchover', '--candidate', standby.name, '--force', SCOPE];
      await promisify(execFile)(programs.patronictl, ['-c', primary.settings, ...to]);
    },
    /** Resolves when the other node accepts writes; then it is the primary. */
    async promoted(): Promise<void> {
      await eventually(() => runStatements(standby.url, 'create temporary table written ()'), WITHIN_MS);
      [primary, standby] = [standby, primary];
      pool = openChaosPool(primary.url);
    },
    /** Brings the former primary back if it was killed or frozen. Resolves when it is the synchronous standby. */
    rejoin: (): Promise<void> => standby.rejoin(),
  };
}

/** Answers the port for clients. */
async function startEtcd(program: string, folder: string): Promise<number> {
  const [clients, peers] = [await claimPort(HOST), await claimPort(HOST)];
  const { account, path: cwd } = await ownFolder(folder, 'etcd');
  const flags = {
    'data-dir': join(cwd, 'data'),
    'listen-client-urls': `http://${HOST}:${clients}`,
    'advertise-client-urls': `http://${HOST}:${clients}`,
    'listen-peer-urls': `http://${HOST}:${peers}`,
    'initial-advertise-peer-urls': `http://${HOST}:${peers}`,
    'initial-cluster': `default=http://${HOST}:${peers}`,
  };
  const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  // It refuses to run on other processors than amd64 unless they are named.
  const env = { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch };
  const etcd = spawn(program, args, { ...account, stdio: 'ignore', cwd, env });
  atEnd(() => etcd.kill('SIGKILL'));
  return clients;
}

async function openNode(programs: PatroniPrograms, folder: string, name: string, etcdPort: number) {
  const { account, path } = await ownFolder(folder, name);
  const node: PatroniNode = {
    name,
    folder: path,
    port: await claimPort(HOST),
    restPort: await claimPort(HOST),
  };
  const settings = join(path, 'patroni.yml');
  await writeFile(settings, patroniSettings(node, programs.postgres, etcdPort));
  let patroni: ChildProcess | null = null;
  let frozen: number[] = [];
  const start = (): void => {
    patroni = spawn(programs.patroni, [settings], { ...account, stdio: 'ignore', cwd: path });
  };
  // Patroni first: it would start its Postgres again.
  const processes = (): number[] => [patroni?.pid ?? 0, ...frozen, ...postgresOf(node)];
  const kill = (): void => signalAll(processes(), 'SIGKILL');
  atEnd(kill);
  const untilHealthy = (as: Role): Promise<void> =>
    eventually(async () => {
      if (!(await isHealthy(node, as))) throw new Error(`node ${name} is not ${as}: ${endOfLog(node)}`);
    }, WITHIN_MS);
  return {
    ...node,
    settings,
    url: superuserUrl(node.port),
    start,
    kill,
    untilHealthy,
    freeze(): void {
      frozen = processes();
      signalAll(frozen, 'SIGSTOP');
    },
    async rejoin(): Promise<void> {
      /*
       * A watchdog would have ended a frozen Patroni long ago. Before 3.0.3, Patroni that is woken in the middle of its step writes
       * its name over the new primary's lock in etcd, and leads again: what the other took meanwhile is lost.
       */
      if (patroni && frozen.length > 0) {
        const ended = once(patroni, 'exit');
        patroni.kill('SIGKILL');
        await ended;
      }
      signalAll(frozen, 'SIGCONT');
      frozen = [];
      if (patroni?.signalCode) start();
      await untilHealthy('synchronous');
    },
  };
}

/** Whether the node's Patroni answers a health check with 200. */
async function isHealthy({ restPort }: PatroniNode, as: Role): Promise<boolean> {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  // OPTIONS, as from HAProxy: Patroni logs every GET.
  const request = { method: 'OPTIONS', signal };
  const response = await fetch(`http://${HOST}:${restPort}/${as}`, request).catch(() => null);
  await response?.body?.cancel();
  return response?.status === 200;
}

/** A folder of the account that everything of the cluster runs as. */
async function ownFolder(folder: string, name: string) {
  const account = accountForNewData();
  const path = join(folder, name);
  await mkdir(path);
  if (account) await chown(path, account.uid, account.gid);
  return { account, path };
}

/** The port of HAProxy itself, which leads to the node whose Patroni says that it is the primary. */
export async function startHaproxy(
  program: string,
  folder: string,
  nodes: readonly PatroniNode[],
): Promise<number> {
  const port = await claimPort(HOST);
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, haproxySettings(port, nodes));
  const haproxy = spawn(program, ['-db', '-f', file], { stdio: 'ignore' });
  atEnd(() => haproxy.kill('SIGKILL'));
  return port;
}

/** The folder is deleted after a run that fails too, so the message has to tell why. */
function endOfLog({ folder }: PatroniNode): string {
  const file = join(folder, 'patroni.log');
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-LOG_SHOWN) : 'its Patroni has written no log';
}

/** The node's Postgres with each of its backends; none while it does not run. */
function postgresOf({ folder }: PatroniNode): number[] {
  const file = join(folder, 'data', 'postmaster.pid');
  return existsSync(file) ? processFamily(Number(readFileSync(file, 'utf8').split('\n')[0])) : [];
}
