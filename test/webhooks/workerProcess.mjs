import { recogniseCluster } from '../../src/db/cluster/shards.ts';
import { startDatabaseClock } from '../../src/db/databaseClock.ts';
import { openPool } from '../../src/db/pool.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { createGuardedClient } from '../../src/webhooks/guardedClient.ts';
import { createAllowList } from '../../src/webhooks/publicAddress.ts';
import { startWebhooks } from '../../src/webhooks/startWebhooks.ts';

/*
 * A worker in a process of its own, for tests that kill it or stop it, with the arguments
 *   DATABASE_URL SECRET_KEY HEADER PORT …
 * It may call these ports of this machine, and says in HEADER which process made a request.
 */
const [databaseUrl, secretKey, header, ...ports] = process.argv.slice(2);

/** How soon a worker notices that the test has moved the clock. */
const SYNC_EVERY_MS = 50;

const pool = openPool(databaseUrl, { max: 2, name: 'test worker', onError: () => {} });
await recogniseCluster(pool);
const clock = await startDatabaseClock(pool, () => {});
setInterval(() => void clock.sync().catch(() => {}), SYNC_EVERY_MS);
const allowHosts = createAllowList(ports.map((port) => `127.0.0.1:${port}`));
const client = createGuardedClient({ resolve: () => Promise.resolve([]), allowHosts }).compose(
  (dispatch) => (options, handler) =>
    dispatch({ ...options, headers: { ...options.headers, [header]: String(process.pid) } }, handler),
);
const silent = () => {};
const log = {
  debug: silent,
  info: silent,
  warn: silent,
  error: ({ error }, message) => process.stderr.write(`${message}: ${error?.message ?? ''}\n`),
};
startWebhooks({ pool, clock, log, sealer: createSealer([secretKey]), client });
process.stdout.write('working\n');
