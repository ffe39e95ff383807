import { randomBytes } from 'node:crypto';
import { databaseUrl, runStatements } from './cluster.ts';

/** A superuser's address of the coordinator of a Citus cluster, on which databases can be made; absent: no test needs one. */
export const CITUS_URL = process.env.CITUS_URL;

interface CitusNode {
  nodename: string;
  nodeport: number;
}

export interface CitusDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** The workers are those of the database that CITUS_URL names. */
async function nodesOf(coordinator: string): Promise<CitusNode[]> {
  const rows = await runStatements(
    coordinator,
    `select nodename, nodeport from pg_dist_node where noderole = 'primary' order by groupid`,
  );
  return rows.flatMap((row) => (isNode(row) ? [row] : []));
}

const isNode = (row: unknown): row is CitusNode =>
  typeof row === 'object' && row !== null && 'nodename' in row && 'nodeport' in row;

const onNode = (url: string, { nodename, nodeport }: CitusNode): string => {
  const address = new URL(url);
  address.hostname = nodename;
  address.port = String(nodeport);
  return address.href;
};

/** An empty database on every node of the cluster. Citus does not make databases by itself. */
export async function citusDatabase(coordinator: string, prefix = 'waypost_test'): Promise<CitusDatabase> {
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  const nodes = await nodesOf(coordinator);
  const addresses = nodes.map((node) => onNode(coordinator, node));
  const [own, ...workers] = nodes;
  if (own === undefined || workers.length === 0)
    throw new Error('CITUS_URL must name a database whose coordinator and workers are in pg_dist_node.');
  await Promise.all(
    addresses.map(async (address) => {
      await runStatements(
        address,
        'set citus.enable_create_database_propagation = off',
        `create database ${name}`,
      );
      await runStatements(databaseUrl(address, name), 'create extension citus');
    }),
  );
  const url = databaseUrl(coordinator, name);
  await runStatements(
    url,
    `select citus_set_coordinator_host('${own.nodename}', ${own.nodeport})`,
    ...workers.map(({ nodename, nodeport }) => `select citus_add_node('${nodename}', ${nodeport})`),
  );
  return {
    url,
    drop: async () => {
      for (const address of addresses)
        await runStatements(
          address,
          'set citus.enable_create_database_propagation = off',
          `drop database if exists ${name} with (force)`,
        );
    },
  };
}
