import type pg from 'pg';
import { OperatorError } from '../../kit/errors.ts';
import { withClient } from '../client.ts';
import { LOCK_TIMEOUT_MS } from '../pool.ts';
import type { Queryable } from '../statement.ts';
import { isDistributed } from './shards.ts';
import {
  allowForeignKeysToCopies,
  copyTable,
  countOtherSessions,
  countWorkers,
  describeCluster,
  distributeTable,
  dropOldRows,
  findTables,
  limitWorkers,
  readDistribution,
} from './sql.ts';
import { DISTRIBUTED_TABLES, FIRST_DISTRIBUTED, REFERENCE_TABLES } from './tables.ts';

/** The extension's versions that this was tried with. */
const OLDEST_CITUS = 12;
const CONNECT_TIMEOUT_MS = 10_000;

/** What remains to be done to a table. */
export interface DistributionStep {
  table: string;
  how: 'sharded by business' | 'copied to every node';
}

export interface Distribution {
  citus: string;
  workers: number;
  /** Empty: all tables are distributed. */
  steps: DistributionStep[];
}

/** What `distributeDatabase` would do; throws where it could not. */
export const planDistribution = (url: string): Promise<Distribution> =>
  withClient(connectionTo(url), checkCluster);

/** Distributes an existing database. Its processes must be stopped, since they send statements for one Postgres. */
export const distributeDatabase = (
  url: string,
  shards: number,
  onStep: (step: DistributionStep) => void = () => {},
): Promise<Distribution> =>
  withClient(connectionTo(url), async (client) => {
    const plan = await checkCluster(client);
    const others = (await countOtherSessions(client))[0]?.sessions ?? 0;
    if (plan.steps.length > 0 && others > 0)
      throw new OperatorError(
        `Waypost still has ${others} connections to this database: stop all of its processes first.`,
      );
    await takeSteps(client, plan.steps, shards, onStep);
    await setWorkerLimits(client);
    await dropOldRows(
      client,
      (await readDistribution(client)).map(({ table }) => table),
    );
    return plan;
  });

/**
 * For Citus's sessions on the workers. Statements have no time limit there: the coordinator cancels what takes too long, and what
 * builds an index or moves a shard may take hours. A worker has to notice that the coordinator is gone, whose locks would stay.
 */
const SETTINGS_ON_WORKERS = {
  lock_timeout: `${LOCK_TIMEOUT_MS}ms`,
  jit: 'off',
  client_connection_check_interval: '2s',
  // A machine that is gone says nothing: after 10 seconds of silence it is asked three times.
  tcp_keepalives_idle: '10s',
  tcp_keepalives_interval: '5s',
  tcp_keepalives_count: '3',
};

async function setWorkerLimits(db: Queryable): Promise<void> {
  const [refused] = await limitWorkers(db, SETTINGS_ON_WORKERS);
  if (refused)
    throw new OperatorError(
      `A worker refused its settings: ${refused.result}. The role must own the database there.`,
    );
}

/**
 * After migrations of a database that is distributed already: distributes the tables that they made. `settings` limits the
 * transactions, since a foreign key of a new table locks tables that processes use.
 */
export async function distributeNewTables(db: Queryable, settings: readonly string[]): Promise<void> {
  if (!(await isDistributed(db))) return;
  for (const step of await missingSteps(db)) {
    for (const command of ['begin', ...settings]) await db.query(command);
    await takeSteps(db, [step], 0);
    await db.query('commit');
  }
}

async function checkCluster(db: Queryable): Promise<Distribution> {
  const [cluster] = await describeCluster(db);
  if (cluster?.version == null)
    throw new OperatorError(
      cluster?.available === true
        ? 'This database has no extension citus: run "create extension citus" in it on the coordinator and on every worker, and add the workers with citus_add_node.'
        : 'This Postgres has no Citus, which the coordinator and every worker need.',
    );
  if (Number.parseInt(cluster.version, 10) < OLDEST_CITUS)
    throw new OperatorError(`This is Citus ${cluster.version}, and Waypost needs ${OLDEST_CITUS} or later.`);
  if (!cluster.may_distribute)
    throw new OperatorError(
      'There are no tables of Waypost here that this role owns: run the command migrate first, and this one as the same role.',
    );
  const workers = (await countWorkers(db))[0]?.workers ?? 0;
  if (workers === 0) throw new OperatorError('This cluster has no workers: add them with citus_add_node.');
  return { citus: cluster.version, workers, steps: await missingSteps(db) };
}

/**
 * A sharded table may only refer to tables that are sharded or copied, and a copied one to none that is neither. `memberships`
 * refers to both kinds, so it is the last.
 */
async function missingSteps(db: Queryable): Promise<DistributionStep[]> {
  const done = new Set((await readDistribution(db)).map(({ table }) => table));
  const sharded = (tables: readonly string[]): DistributionStep[] =>
    tables.map((table) => ({ table, how: 'sharded by business' }));
  const steps: DistributionStep[] = [
    ...sharded([FIRST_DISTRIBUTED.table]),
    ...sharded(DISTRIBUTED_TABLES.filter((table) => table !== 'memberships')),
    ...REFERENCE_TABLES.map((table) => ({ table, how: 'copied to every node' as const })),
    ...sharded(['memberships']),
  ];
  const there = new Set(
    (
      await findTables(
        db,
        steps.map(({ table }) => table),
      )
    ).map(({ table }) => table),
  );
  return steps.filter(({ table }) => there.has(table) && !done.has(table));
}

/** Each step is a transaction of its own, so that a run that was cut off goes on where it was. */
async function takeSteps(
  db: Queryable,
  steps: readonly DistributionStep[],
  shards: number,
  onStep: (step: DistributionStep) => void = () => {},
): Promise<void> {
  await allowForeignKeysToCopies(db);
  for (const step of steps) {
    onStep(step);
    if (step.how === 'copied to every node') await copyTable(db, step.table);
    else if (step.table === FIRST_DISTRIBUTED.table)
      await distributeTable(db, step.table, FIRST_DISTRIBUTED.column, `shard_count := ${shards}`);
    else
      await distributeTable(db, step.table, 'business_id', `colocate_with := '${FIRST_DISTRIBUTED.table}'`);
  }
}

/** Without limits: moving the rows of a table takes as long as it takes. */
const connectionTo = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'waypost distribute',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
});
