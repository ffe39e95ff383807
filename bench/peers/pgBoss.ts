import PgBoss from 'pg-boss';
import { atEnd } from '../cleanup.ts';
import { openPeer, openPeerPool } from './peer.ts';

const QUEUE = 'nudge';
const CONNECTIONS = 16;
const WORKERS = 2;
/** With two workers as many calls at once as our outbox makes. */
const BATCH = 200;
/** The shortest there is. */
const POLL_SECONDS = 0.5;

/** Jobs are added by SQL, and run in batches: a batch has two commits. */
export default async function openPgBoss({ url }: { url: string }) {
  const pool = openPeerPool(url, CONNECTIONS);
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schedule: false,
  });
  boss.on('error', console.error);
  await boss.start();
  atEnd(() => boss.stop());
  await boss.createQueue(QUEUE);

  return openPeer(pool, {
    addJobs: `insert into pgboss.job (name, data) select '${QUEUE}', json_build_object('id', id) from message`,
    async work(nudge) {
      const startWorker = async (): Promise<() => void> => {
        const options = { batchSize: BATCH, pollingIntervalSeconds: POLL_SECONDS };
        const worker = await boss.work<{ id: string }>(QUEUE, options, async (jobs) => {
          // There are more, so it does not wait for the next poll.
          if (jobs.length === BATCH) boss.notifyWorker(worker);
          await nudge(jobs.map(({ data }) => data.id));
        });
        return () => boss.notifyWorker(worker);
      };
      const notify = await Promise.all(Array.from({ length: WORKERS }, startWorker));
      return () => {
        for (const one of notify) one();
      };
    },
  });
}
