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
import { haproxySettings, type PatroniNode, patroniSettings, SCOPE, SUPERUSER } from './patroniSettings.ts';
import { openChaosPool } from './postgres.ts';

export type PatroniCluster = Awaited<ReturnType<typeof startPatroniCluster>>;

/** Where they are. */
export type PatroniPrograms = Record<'postgres' | 'patroni' | 'patronictl' | 'etcd' | 'haproxy', string>;

const HOST = '127.0.0.1';
const WITHIN_MS = 3 * MINUTE;
const CHECK_TIMEOUT_MS = 1_000;
const LOG_SHOWN = 1_000;

/** Whether the node's Patroni answers a health check (`primary`, `synchronous`) with 200. */
async function isHealthy({ restPort }: PatroniNode, as: 'primary' | 'synchronous'): Promise<boolean> {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  // OPTIONS, as from HAProxy: Patroni logs every GET.
  const request = { method: 'OPTIONS', signal };
  const response = await fetch(`http://${HOST}:${restPort}/${as}`, request).catch(() => null);
  await response?.body?.cancel();
  return response?.status === 200;
}

/** Two nodes under Patroni with `synchronous_mode`, and an etcd: Patroni decides which node is the primary. */
export async function startPatroniCluster(programs: PatroniPrograms, folder: string) {
  const account = accountForNewData();
  const patronis = new Map<PatroniNode, ChildProcess>();
  let etcd: ChildProcess | null = null;
  let frozen: number[] = [];
  atEnd(() => {
    // Each Patroni first: it would start its Postgres again.
    for (const patroni of patronis.values()) patroni.kill('SIGKILL');
    signalAll(frozen, 'SIGKILL');
    for (const node of patronis.keys()) signalAll(postgresOf(node), 'SIGKILL');
    etcd?.kill('SIGKILL');
  });

  const ownFolder = async (name: string): Promise<string> => {
    const path = join(folder, name);
    await mkdir(path);
    if (account) await chown(path, account.uid, account.gid);
    return path;
  };
  const startEtcd = async (): Promise<number> => {
    const [clients, peers] = [await claimPort(HOST), await claimPort(HOST)];
    const cwd = await ownFolder('etcd');
    const flags = {
      'data-dir': join(cwd, 'data'),
      'listen-client-urls': `http://${HOST}:${clients}`,
      'advertise-client-urls': `http://${HOST}:${clients}`,
      'listen-peer-urls': `http://${HOST}:${peers}`,
      'initial-advertise-peer-urls': `http://${HOST}:${peers}`,
      'initial-cluster': `default=http://${HOST}:${peers}`,
    };
    etcd = spawn(
      programs.etcd,
      Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`),
      // It refuses to run on other processors than amd64 unless they are named.
      { ...account, stdio: 'ignore', cwd, env: { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch } },
    );
    return clients;
  };
  const makeNode = async (name: string, etcdPort: number): Promise<PatroniNode> => {
    const own = await ownFolder(name);
    const address = { host: HOST, port: await claimPort(HOST) };
    const url = `postgresql://${SUPERUSER}@${HOST}:${address.port}/${SUPERUSER}?sslmode=disable`;
    const restPort = await claimPort(HOST);
    const node = { name, folder: own, data: join(own, 'data'), address, url, restPort };
    await writeFile(settingsOf(node), patroniSettings(node, programs.postgres, etcdPort));
    return node;
  };
  const start = (node: PatroniNode): void => {
    const patroni = spawn(programs.patroni, [settingsOf(node)], {
      ...account,
      stdio: 'ignore',
      cwd: node.folder,
    });
    patronis.set(node, patroni);
  };
  const untilHealthy = (node: PatroniNode, as: 'primary' | 'synchronous'): Promise<void> =>
    eventually(async () => {
      if (!(await isHealthy(node, as))) throw new Error(`node ${node.name} is not ${as}: ${endOfLog(node)}`);
    }, WITHIN_MS);

  const etcdPort = await startEtcd();
  const nodes = [await makeNode('a', etcdPort), await makeNode('b', etcdPort)] as const;
  let [primary, standby]: readonly [PatroniNode, PatroniNode] = nodes;
  start(primary);
  await untilHealthy(primary, 'primary');
  await migrate(primary.url);
  start(standby);
  await untilHealthy(standby, 'synchronous');
  let pool = openChaosPool(primary.url);
  /**
   * A watchdog would have ended it long ago. Before 3.0.3, Patroni that is woken in the middle of its step writes its
   * name over the new primary's lock in etcd, and leads again: what the other took meanwhile is lost.
   */
  const endFrozenPatroni = async (node: PatroniNode): Promise<void> => {
    const patroni = patronis.get(node);
    if (patroni?.pid === undefined || !frozen.includes(patroni.pid)) return;
    const ended = once(patroni, 'exit');
    patroni.kill('SIGKILL');
    await ended;
  };
  const processesOf = (node: PatroniNode): number[] => [patronis.get(node)?.pid ?? 0, ...postgresOf(node)];
  return {
    nodes,
    /** To whichever is the primary, around the proxy; opened anew after a promotion. */
    pool: () => pool,
    urlThrough: (port: number): string =>
      `postgresql://${SUPERUSER}@${HOST}:${port}/${SUPERUSER}?sslmode=disable`,
    /** Kills the primary, each of its backends, and its Patroni. */
    killPrimary: (): void => signalAll(processesOf(primary), 'SIGKILL'),
    /** Stops all of them in the middle of what they do: their connections stay open. */
    freezePrimary(): void {
      frozen = processesOf(primary);
      signalAll(frozen, 'SIGSTOP');
    },
    /** `patronictl switchover`. */
    async switchOver(): Promise<void> {
      const to = ['switchover', '--candidate', standby.name, '--force', SCOPE];
      await promisify(execFile)(programs.patronictl, ['-c', settingsOf(primary), ...to]);
    },
    /** Resolves when the other node accepts writes; then it is the primary. */
    async promoted(): Promise<void> {
      await eventually(() => runStatements(standby.url, 'create temporary table written ()'), WITHIN_MS);
      [primary, standby] = [standby, primary];
      pool = openChaosPool(primary.url);
    },
    /** Brings the former primary back if it was killed or frozen. Resolves when it is the synchronous standby. */
    async rejoin(): Promise<void> {
      await endFrozenPatroni(standby);
      signalAll(frozen, 'SIGCONT');
      frozen = [];
      if (patronis.get(standby)?.signalCode) start(standby);
      await untilHealthy(standby, 'synchronous');
    },
  };
}

/** The port of HAProxy itself, which leads to the node whose Patroni says that it is the primary. */
export async function startHaproxy(
  program: string,
  folder: string,
  nodes: readonly PatroniNode[],
): Promise<number> {
  const port = await claimPort('127.0.0.1');
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, haproxySettings(port, nodes));
  const haproxy = spawn(program, ['-db', '-f', file], { stdio: 'ignore' });
  atEnd(() => haproxy.kill('SIGKILL'));
  return port;
}

const settingsOf = ({ folder }: PatroniNode): string => join(folder, 'patroni.yml');

/** The folder is deleted after a run that fails too, so the message has to tell why. */
function endOfLog({ folder }: PatroniNode): string {
  const file = join(folder, 'patroni.log');
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-LOG_SHOWN) : 'its Patroni has written no log';
}

/** The node's Postgres with each of its backends; none while it does not run. */
function postgresOf({ data }: PatroniNode): number[] {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return [];
  const [pid = ''] = readFileSync(file, 'utf8').split('\n');
  return processFamily(Number(pid));
}
