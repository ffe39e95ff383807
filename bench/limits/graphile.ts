import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, run } from 'graphile-worker';
import pg from 'pg';

const CONNECTIONS = 12;
const CONCURRENT_JOBS = 24;
const LOCAL_QUEUE = 500;
const ADD = `
  select count(*) from graphile_worker.add_jobs(array(
    select json_populate_record(null::graphile_worker.job_spec, json_build_object('identifier', 'nothing', 'payload',
      json_build_object('n', n))) from generate_series(1, $1::int) n))`;

/** The baseline for the outbox: graphile-worker with its local queue and an empty task. */
export default async function openGraphileWorker({ url }: { url: string }) {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  // graphile-worker warns of a pool without error listeners; failed statements reject by themselves.
  const nothing = () => {};
  pool.on('error', nothing).on('connect', (client) => client.on('error', nothing));
  let ran = 0;
  await run({
    pgPool: pool,
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: CONCURRENT_JOBS,
        maxPoolSize: CONNECTIONS,
        localQueue: { size: LOCAL_QUEUE },
        completeJobBatchDelay: -1,
      },
    },
    logger: new Logger(() => () => {}),
    taskList: {
      nothing: async () => {
        ran += 1;
      },
    },
  });

  return {
    /** Queues the jobs in one statement. Returns how many per second are run and deleted. */
    async drain({ jobs }: { jobs: number }): Promise<number> {
      ran = 0;
      await pool.query(ADD, [jobs]);
      const began = performance.now();
      while (ran < jobs || (await waiting(pool)) > 0) await sleep(15);
      return jobs / ((performance.now() - began) / 1_000);
    },
  };
}

async function waiting(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: string }>('select count(*) from graphile_worker._private_jobs');
  return Number(rows[0]?.count ?? 0);
}
