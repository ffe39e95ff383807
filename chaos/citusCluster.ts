import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { recogniseCluster } from '../src/db/cluster/shards.ts';
import { claimPort } from '../src/server/listening.ts';
import { distributeSchema, joinNodes } from '../test/support/citus.ts';
import { runStatements } from '../test/support/cluster.ts';
import { type SystemPostgres, systemPostgresFolder } from '../test/support/systemPostgres.ts';
import { openChaosPool, startServer } from './postgres.ts';

/** A shard, and the worker it is on. */
export interface ShardPlace {
  readonly shard: number;
  readonly worker: SystemPostgres;
}

export type CitusCluster = Awaited<ReturnType<typeof startCitusCluster>>;

const HOST = '127.0.0.1';
const SETTINGS = {
  shared_preload_libraries: 'citus',
  max_connections: '300',
  max_prepared_transactions: '600',
  // A shard moves by logical replication.
  wal_level: 'logical',
  'citus.node_conninfo': 'sslmode=disable',
};

/** The programs of a Postgres of the operating system that has the extension, or null. */
export function citusProgramsFolder(): string | null {
  const programs = systemPostgresFolder();
  if (programs === null) return null;
  const shared = execFileSync(join(programs, 'pg_config'), ['--sharedir'], { encoding: 'utf8' }).trim();
  return existsSync(join(shared, 'extension', 'citus.control')) ? programs : null;
}

/** A coordinator and two workers with the schema, distributed. */
export async function startCitusCluster(programs: string, connections?: number) {
  const start = async (): Promise<SystemPostgres & { port: number }> => {
    const port = await claimPort(HOST);
    const server = await startServer(programs, { ...SETTINGS, port: String(port) });
    await runStatements(server.url, 'create extension citus');
    return { ...server, port };
  };
  const coordinator = await start();
  const workers = [await start(), await start()];
  const { url } = coordinator;
  const nodes = [coordinator, ...workers];
  await joinNodes(
    url,
    nodes.map(({ port }) => ({ nodename: HOST, nodeport: port })),
  );
  await distributeSchema(url);
  const pool = openChaosPool(url, connections);
  await recogniseCluster(pool);
  return {
    url,
    pool,
    /** The processes of the servers, the coordinator's first. */
    pids: nodes.map(({ pid }) => pid()),
    async placeOf(businessId: string): Promise<ShardPlace> {
      const { rows } = await pool.query<{ shard: number; port: number }>(
        `select shardid as shard, nodeport as port from citus_shards
         where shardid = get_shard_id_for_distribution_column('businesses', $1::text)`,
        [businessId],
      );
      const worker = workers.find(({ port }) => port === rows[0]?.port);
      if (!worker) throw new Error(`no worker has the shard of ${businessId}`);
      return { shard: rows[0]?.shard ?? 0, worker };
    },
    /** Moves a shard from the worker it is on to the other. */
    async moveShard(shard: number, mode: 'block_writes' | 'force_logical'): Promise<void> {
      const ports = workers.map(({ port }) => port).join(' + ');
      await runStatements(
        url,
        `select citus_move_shard_placement(shardid, nodename, nodeport, nodename, ${ports} - nodeport, '${mode}')
         from citus_shards where shardid = ${shard}`,
      );
    },
  };
}
