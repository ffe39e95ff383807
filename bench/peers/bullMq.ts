import { Queue, Worker } from 'bullmq';
import { atEnd } from '../cleanup.ts';
import { openPeer, openPeerPool } from './peer.ts';

const QUEUE = 'nudge';
const CONNECTIONS = 16;
const CONCURRENT_JOBS = 100;

/**
 * Messages and keys in Postgres, jobs in Redis: they are added after the commit, so a crash in between loses a nudge. It does not
 * hold the promise. Each job has two commits.
 */
export default async function openBullMq({ url, redis }: { url: string; redis: string }) {
  const pool = openPeerPool(url, CONNECTIONS);
  const connection = { path: redis, maxRetriesPerRequest: null };
  const queue = new Queue<{ id: string }>(QUEUE, {
    connection,
    defaultJobOptions: { removeOnComplete: true },
  });
  atEnd(() => queue.close());
  const jobOf = (id: string) => ({ name: QUEUE, data: { id }, opts: { jobId: id } });

  return openPeer(pool, {
    addJobs: 'select id from message',
    async enqueue(ids) {
      const [first, ...others] = ids.map(jobOf);
      // Bulk costs twice as much for one.
      if (first && others.length === 0) return queue.add(first.name, first.data, first.opts);
      // A backlog waits until all of it is there.
      await queue.pause();
      return queue.addBulk(ids.map(jobOf));
    },
    async work(nudge) {
      const options = { connection, concurrency: CONCURRENT_JOBS };
      const worker = new Worker<{ id: string }>(QUEUE, ({ data }) => nudge([data.id]), options);
      worker.on('error', console.error);
      atEnd(() => worker.close());
      await worker.waitUntilReady();
      return () => queue.resume();
    },
  });
}
