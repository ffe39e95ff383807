import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import { SECOND } from '../../src/kit/clock.ts';
import { timeOf } from '../measure.ts';

const CONNECTIONS = 12;
const CONCURRENT_JOBS = 24;
const LOCAL_QUEUE = 500;
const ADD = `
  select count(*) from graphile_worker.add_jobs(array(
    select json_populate_record(null::graphile_worker.job_spec, json_build_object('identifier', 'nothing', 'payload',
      json_build_object('n', n))) from generate_series(1, $1::int) n))`;
const WAITING = 'select count(*)::int from graphile_worker._private_jobs';

/** The baseline for the outbox: graphile-worker with its local queue and an empty task. */
export default async function openGraphileWorker({ url }: { url: string }) {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  // graphile-worker warns of a pool without error listeners; failed statements reject by themselves.
  const nothing = () => {};
  pool.on('error', nothing).on('connect', (client) => client.on('error', nothing));
  let ran = 0;
  const limits = { concurrentJobs: CONCURRENT_JOBS, maxPoolSize: CONNECTIONS };
  const worker = { ...limits, localQueue: { size: LOCAL_QUEUE }, completeJobBatchDelay: -1 };
  await run({
    pgPool: pool,
    noHandleSignals: true,
    preset: { worker },
    logger: new Logger(() => nothing),
    taskList: {
      nothing: async () => {
        ran += 1;
      },
    },
  });
  const isEmpty = async (): Promise<boolean> =>
    (await pool.query<{ count: number }>(WAITING)).rows[0]?.count === 0;

  return {
    /** Queues the jobs in one statement. Returns how many per second are run and deleted. */
    async drain({ jobs }: { jobs: number }): Promise<{ perSecond: number }> {
      ran = 0;
      await pool.query(ADD, [jobs]);
      const milliseconds = await timeOf(async () => {
        while (ran < jobs || !(await isEmpty())) await sleep(15);
      });
      return { perSecond: (jobs * SECOND) / milliseconds };
    },
  };
}
