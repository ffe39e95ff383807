import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { distributeDatabase } from '../src/db/cluster/distribute.ts';
import { recogniseCluster } from '../src/db/cluster/shards.ts';
import { accountForNewData } from '../src/db/embedded/account.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool, type Pool } from '../src/db/pool.ts';
import { claimPort } from '../src/server/listening.ts';
import { runStatements } from '../test/support/cluster.ts';
import { eventually } from '../test/support/waiting.ts';
import { registerCleanup } from './cleanup.ts';
import { processFamily, signalAll } from './processFamily.ts';

/** A coordinator and two workers with the schema, distributed. */
export interface CitusCluster {
  readonly url: string;
  readonly pool: Pool;
  /** The processes of the servers, the coordinator's first. */
  pids(): number[];
  placeOf(businessId: string): Promise<ShardPlace>;
  /** Kills a worker and each of its backends. */
  killWorker(port: number): void;
  /** Resolves when it accepts connections again. */
  startWorker(port: number): Promise<void>;
  /** Stops a worker and each of its backends where they are: connections stay open, and nothing is answered. */
  pauseWorker(port: number): void;
  resumeWorker(port: number): void;
  /** Moves a shard from the worker it is on to the other. */
  moveShard(shard: number, mode: 'block_writes' | 'force_logical'): Promise<void>;
  stop(): Promise<void>;
}

/** A shard, and the port of the worker it is on. */
export interface ShardPlace {
  readonly shard: number;
  readonly worker: number;
}

const USER = 'postgres';
const SHARDS = 8;
const CONNECTIONS = 8;
const SETTINGS = {
  shared_preload_libraries: 'citus',
  listen_addresses: '127.0.0.1',
  max_connections: '300',
  max_prepared_transactions: '600',
  // A shard moves by logical replication.
  wal_level: 'logical',
  'citus.node_conninfo': 'sslmode=disable',
};

/** Whether the programs in this folder have the extension. */
export function hasCitus(programs: string): boolean {
  const shared = execFileSync(join(programs, 'pg_config'), ['--sharedir'], { encoding: 'utf8' }).trim();
  return existsSync(join(shared, 'extension', 'citus.control'));
}

export async function startCitusCluster(
  programs: string,
  folder: string,
  connections = CONNECTIONS,
): Promise<CitusCluster> {
  const account = accountForNewData();
  const servers = new Map<number, ChildProcess>();
  const urlOf = (port: number): string => `postgresql://${USER}@127.0.0.1:${port}/${USER}?sslmode=disable`;

  const start = async (port: number): Promise<void> => {
    const own = join(folder, String(port));
    const all = { ...SETTINGS, port: String(port), unix_socket_directories: own };
    const flags = Object.entries(all).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]);
    const options = { ...account, stdio: 'ignore', cwd: own } as const;
    servers.set(port, spawn(join(programs, 'postgres'), ['-D', join(own, 'data'), ...flags], options));
    await eventually(() => runStatements(urlOf(port), 'select'));
  };

  const make = async (): Promise<number> => {
    const port = await claimPort('127.0.0.1');
    const own = join(folder, String(port));
    await mkdir(own);
    if (account) await chown(own, account.uid, account.gid);
    const initialise = ['-D', join(own, 'data'), '-U', USER, '--auth=trust', '--no-sync', '-E', 'UTF8'];
    await promisify(execFile)(join(programs, 'initdb'), initialise, { ...account, cwd: own });
    await start(port);
    await runStatements(urlOf(port), 'create extension citus');
    return port;
  };

  const stop = registerCleanup(async () => {
    await pool?.end().catch(() => {});
    for (const port of servers.keys()) kill(port);
  });
  const signal = (port: number, name: NodeJS.Signals): void => {
    const pid = servers.get(port)?.pid;
    if (pid !== undefined) signalAll(processFamily(pid), name);
  };
  const kill = (port: number): void => signal(port, 'SIGKILL');
  let pool: Pool | null = null;

  const coordinator = await make();
  const workers = [await make(), await make()];
  const url = urlOf(coordinator);
  await runStatements(
    url,
    `select citus_set_coordinator_host('127.0.0.1', ${coordinator})`,
    ...workers.map((port) => `select citus_add_node('127.0.0.1', ${port})`),
  );
  await migrate(url);
  await distributeDatabase(url, SHARDS);
  const opened = openPool(url, { max: connections, name: 'chaos', onError: () => {} });
  pool = opened;
  await recogniseCluster(opened);
  return {
    url,
    pool: opened,
    pids: () => [...servers.values()].map(({ pid = 0 }) => pid),
    async placeOf(businessId) {
      const { rows } = await opened.query<ShardPlace>(
        `select shardid as shard, nodeport as worker from citus_shards
         where shardid = get_shard_id_for_distribution_column('businesses', $1::text)`,
        [businessId],
      );
      return rows[0] ?? { shard: 0, worker: 0 };
    },
    killWorker: kill,
    async startWorker(port) {
      await eventually(() => start(port));
    },
    pauseWorker: (port) => signal(port, 'SIGSTOP'),
    resumeWorker: (port) => signal(port, 'SIGCONT'),
    async moveShard(shard, mode) {
      await runStatements(
        url,
        `select citus_move_shard_placement(shardid, nodename, nodeport, nodename, ${workers.join(' + ')} - nodeport, '${mode}')
         from citus_shards where shardid = ${shard}`,
      );
    },
    stop,
  };
}
