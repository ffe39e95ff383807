/*
 * A worker in a process of its own, for tests that kill it or stop it:
 *   node workerProcess.mjs DATABASE_URL SECRET_KEY HEADER PORT …
 * It may call these ports of this machine, and says in HEADER which process made a request.
 */
const [databaseUrl, secretKey, header, ...ports] = process.argv.slice(2);
const dist = new URL('../../dist', import.meta.url).pathname;
const { recogniseCluster } = await import(`${dist}/db/cluster/shards.js`);
const { startDatabaseClock } = await import(`${dist}/db/databaseClock.js`);
const { openPool } = await import(`${dist}/db/pool.js`);
const { createSealer } = await import(`${dist}/kit/seal.js`);
const { createGuardedClient } = await import(`${dist}/webhooks/guardedClient.js`);
const { createAllowList } = await import(`${dist}/webhooks/publicAddress.js`);
const { startWebhooks } = await import(`${dist}/webhooks/startWebhooks.js`);

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
