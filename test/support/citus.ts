import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { withClient } from '../../src/db/client.ts';
import { distributeDatabase } from '../../src/db/cluster/distribute.ts';
import { migrate } from '../../src/db/migrate.ts';
import { databaseUrl, runStatements } from './cluster.ts';

/** A superuser's address of the coordinator of a Citus cluster, on which databases can be made; undefined: there is none. */
export const CITUS_URL = process.env.CITUS_URL;

const SHARDS = 8;
const IN_USE = '55006';
const TRY_AGAIN_MS = 200;
/** An advisory lock in the database that CITUS_URL names. */
const ADDING_NODES = 1;

interface CitusNode {
  nodename: string;
  nodeport: number;
}

/** The coordinator first. They are those of the database that CITUS_URL names. */
async function nodesOf(coordinator: string): Promise<CitusNode[]> {
  const rows = await runStatements(
    coordinator,
    `select nodename, nodeport from pg_dist_node where noderole = 'primary' order by groupid`,
  );
  const nodes = rows.flatMap((row) => (isNode(row) ? [row] : []));
  if (nodes.length < 2)
    throw new Error('CITUS_URL must name a database whose coordinator and workers are in pg_dist_node.');
  return nodes;
}

const isNode = (row: unknown): row is CitusNode =>
  typeof row === 'object' && row !== null && 'nodename' in row && 'nodeport' in row;

function onNode(url: string, { nodename, nodeport }: CitusNode): string {
  const address = new URL(url);
  address.hostname = nodename;
  address.port = String(nodeport);
  return address.href;
}

/** Where a database is on each node, the coordinator first. */
export const addressesOf = async (coordinator: string, name: string): Promise<string[]> =>
  (await nodesOf(coordinator)).map((node) => databaseUrl(onNode(coordinator, node), name));

/** Runs a statement about a database on every node: Citus does not make or drop databases by itself. */
export async function onEveryNode(coordinator: string, ...statements: string[]): Promise<void> {
  const addresses = (await nodesOf(coordinator)).map((node) => onNode(coordinator, node));
  await Promise.all(
    addresses.map((address) =>
      onceFree(() =>
        runStatements(address, 'set citus.enable_create_database_propagation = off', ...statements),
      ),
    ),
  );
}

/** Citus's own maintenance looks into a template for a moment now and then, and what is being used cannot be copied. */
async function onceFree(work: () => Promise<unknown>, tries = 50): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isInUse = error instanceof DatabaseError && error.code === IN_USE;
    if (!isInUse || tries <= 1) throw error;
    await sleep(TRY_AGAIN_MS);
    await onceFree(work, tries - 1);
  }
}

/** Makes an empty database of this name on every node, and a cluster of them. */
export async function makeCitusDatabase(coordinator: string, name: string): Promise<string> {
  await onEveryNode(coordinator, `create database ${name}`);
  for (const address of await addressesOf(coordinator, name))
    await runStatements(address, 'create extension citus');
  const url = databaseUrl(coordinator, name);
  // One at a time: adding a node writes the roles, which all databases of a server share.
  await withClient({ connectionString: coordinator }, async (client) => {
    await client.query(`select pg_advisory_lock(${ADDING_NODES})`);
    await joinNodes(url, await nodesOf(coordinator));
  });
  return url;
}

/** Makes a cluster of these nodes, the coordinator first. */
export const joinNodes = (url: string, [own, ...workers]: readonly CitusNode[]): Promise<unknown> =>
  runStatements(
    url,
    `select citus_set_coordinator_host('${own?.nodename}', ${own?.nodeport})`,
    ...workers.map(({ nodename, nodeport }) => `select citus_add_node('${nodename}', ${nodeport})`),
  );

/** Gives an empty cluster the schema, distributed. */
export async function distributeSchema(url: string): Promise<void> {
  await migrate(url);
  await distributeDatabase(url, SHARDS);
}

/** The same with the schema, distributed. */
export async function makeDistributedDatabase(coordinator: string, name: string): Promise<string> {
  const url = await makeCitusDatabase(coordinator, name);
  await distributeSchema(url);
  return url;
}

export const dropCitusDatabase = (coordinator: string, name: string): Promise<void> =>
  onEveryNode(coordinator, `drop database if exists ${name} with (force)`);

/** Copied node by node from a template. Shards keep their names, and no node stores the name of the database on the others. */
export const cloneCitusDatabase = (coordinator: string, template: string, name: string): Promise<void> =>
  onEveryNode(
    coordinator,
    `create database ${name} template ${template} strategy file_copy`,
    `alter database ${name} set lock_timeout = '5s'`,
  );
