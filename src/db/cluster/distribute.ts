import { OperatorError } from '../../kit/errors.ts';
import type { Queryable } from '../statement.ts';
import {
  copyTable,
  countWorkers,
  describeCluster,
  distributeTable,
  dropOldRows,
  readDistribution,
} from './sql.ts';
import { DISTRIBUTED_TABLES, FIRST_DISTRIBUTED, REFERENCE_TABLES } from './tables.ts';

/** The extension's versions that this was tried with. */
const OLDEST_CITUS = 12;

/** What remains to be done to a table. */
export interface DistributionStep {
  table: string;
  how: 'by business' | 'a copy on every node';
}

export interface Distribution {
  citus: string;
  workers: number;
  steps: DistributionStep[];
}

/** What `distribute` would do; throws where it could not. */
export async function planDistribution(db: Queryable): Promise<Distribution> {
  const [cluster] = await describeCluster(db);
  if (cluster?.version == null)
    throw new OperatorError(
      cluster?.available === true
        ? 'This database has no extension citus: create it with "create extension citus" on the coordinator and on every worker, and add the workers with citus_add_node.'
        : 'This Postgres has no Citus: it is needed on the coordinator and on every worker.',
    );
  if (Number.parseInt(cluster.version, 10) < OLDEST_CITUS)
    throw new OperatorError(`This is Citus ${cluster.version}; at least ${OLDEST_CITUS} is needed.`);
  if (!cluster.may_distribute)
    throw new OperatorError(
      'Only the owner of the tables can distribute them: run this as the role that migrates.',
    );
  const workers = (await countWorkers(db))[0]?.workers ?? 0;
  if (workers === 0) throw new OperatorError('This cluster has no workers: add them with citus_add_node.');
  return { citus: cluster.version, workers, steps: await missingSteps(db) };
}

/** Referenced tables come before those that refer to them. */
async function missingSteps(db: Queryable): Promise<DistributionStep[]> {
  const done = new Set((await readDistribution(db)).map(({ table }) => table));
  const steps: DistributionStep[] = [
    ...[FIRST_DISTRIBUTED.table, ...DISTRIBUTED_TABLES.filter((t) => t !== 'memberships')].map((table) => ({
      table,
      how: 'by business' as const,
    })),
    ...REFERENCE_TABLES.map((table) => ({ table, how: 'a copy on every node' as const })),
    { table: 'memberships', how: 'by business' as const },
  ];
  return steps.filter(({ table }) => !done.has(table));
}

/**
 * Distributes the tables that are not distributed yet, each in a transaction of its own, so that a run that was cut off can be
 * run again. Rows that are there move to the workers.
 */
export async function distribute(
  db: Queryable,
  shards: number,
  onStep: (step: DistributionStep) => void = () => {},
): Promise<Distribution> {
  const plan = await planDistribution(db);
  if (plan.steps.length === 0) return plan;
  await db.query('set citus.enable_local_reference_table_foreign_keys = off');
  for (const step of plan.steps) {
    onStep(step);
    if (step.how === 'a copy on every node') await copyTable(db, step.table);
    else if (step.table === FIRST_DISTRIBUTED.table)
      await distributeTable(db, step.table, FIRST_DISTRIBUTED.column, null, shards);
    else await distributeTable(db, step.table, 'business_id', FIRST_DISTRIBUTED.table, shards);
  }
  await dropOldRows(
    db,
    plan.steps.map(({ table }) => table),
  );
  return plan;
}
