import { Logger, run, runMigrations } from 'graphile-worker';
import { atEnd } from '../cleanup.ts';
import { openPeer, openPeerPool } from './peer.ts';

const TASK = 'nudge';
const CONNECTIONS = 25;
const CONCURRENT_JOBS = 24;
const LOCAL_QUEUE = 500;
const COMPLETE_DELAY_MS = 0;

/** With the settings of its performance page. Each job has two commits. */
export default async function openGraphileWorker({ url }: { url: string }) {
  const pool = openPeerPool(url, CONNECTIONS);
  const logger = new Logger(() => () => {});
  await runMigrations({ pgPool: pool, logger });
  const limits = { concurrentJobs: CONCURRENT_JOBS, maxPoolSize: CONNECTIONS };
  const batches = { localQueue: { size: LOCAL_QUEUE }, completeJobBatchDelay: COMPLETE_DELAY_MS };

  return openPeer(pool, {
    addJobs: `select graphile_worker.add_job('${TASK}', json_build_object('id', id)) from message`,
    async work(nudge) {
      const runner = await run({
        pgPool: pool,
        noHandleSignals: true,
        preset: { worker: { ...limits, ...batches } },
        logger,
        taskList: { [TASK]: (payload) => nudge([idOf(payload)]) },
      });
      atEnd(() => runner.stop());
      // Postgres notifies it of each job.
      return () => {};
    },
  });
}

const idOf = (payload: unknown): string =>
  typeof payload === 'object' && payload !== null && 'id' in payload ? String(payload.id) : '';
