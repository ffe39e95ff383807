import { recogniseCluster } from '../../src/db/cluster/shards.ts';
import { startDatabaseClock } from '../../src/db/databaseClock.ts';
import { openPool } from '../../src/db/pool.ts';
import { createHasher } from '../../src/kit/seal.ts';
import { startOutbox } from '../../src/outbox/outbox.ts';

/*
 * A worker in a process of its own, for tests that kill it or stop it, with the arguments
 *   DATABASE_URL hang|slow
 * Its provider writes down every submission it gets, in a table of the test's, before it hangs, or is slow to answer.
 */
const [url, manner] = process.argv.slice(2);

const SLOW_MS = 150;
const pool = openPool(url, { max: 8, name: 'test worker', onError: () => {} });
await recogniseCluster(pool);
const clock = await startDatabaseClock(pool, () => {});
const silent = () => {};

const provider = {
  name: 'recording',
  maxConcurrent: 20,
  timeoutMs: 60_000,
  async send(message) {
    await pool.query('insert into submissions (send_id, worker) values ($1, $2)', [
      message.sendId,
      process.pid,
    ]);
    await new Promise((resolve) => manner === 'slow' && setTimeout(resolve, SLOW_MS));
    return { outcome: 'accepted', providerId: message.reference };
  },
};

startOutbox({
  pool,
  clock,
  log: {
    debug: silent,
    info: silent,
    warn: silent,
    error: silent,
  },
  providers: { email: provider, sms: provider, whatsapp: provider },
  publicUrl: 'http://waypost.test',
  hash: createHasher(Buffer.alloc(32, 7)),
  unsubscribeLink: () => 'http://waypost.test/unsubscribe/x',
  onEvents: silent,
});
process.stdout.write('working\n');
