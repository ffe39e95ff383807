import { recogniseCluster } from '../../src/db/cluster/recognise.ts';
import { startDatabaseClock } from '../../src/db/databaseClock.ts';
import { openPool } from '../../src/db/pool.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { createGuardedClient } from '../../src/webhooks/guardedClient.ts';
import { createAllowList } from '../../src/webhooks/publicAddress.ts';
import { startWebhooks } from '../../src/webhooks/startWebhooks.ts';
import { SECRET_KEY } from '../support/secretKey.ts';

/** Says to the receiver which process made a request. */
export const WORKER_HEADER = 'x-test-worker';

/** How soon a worker notices that the test has moved the clock. */
const SYNC_EVERY_MS = 50;

export async function work(databaseUrl: string, ports: readonly number[]): Promise<void> {
  const pool = openPool(databaseUrl, { max: 2, name: 'test worker', onError: () => {} });
  await recogniseCluster(pool);
  const clock = await startDatabaseClock(pool, () => {});
  setInterval(() => void clock.sync().catch(() => {}), SYNC_EVERY_MS);
  const allowHosts = createAllowList(ports.map((port) => `127.0.0.1:${port}`));
  const client = createGuardedClient({ resolve: () => Promise.resolve([]), allowHosts }).compose(
    (dispatch) => (options, handler) =>
      dispatch(
        { ...options, headers: { ...Object(options.headers), [WORKER_HEADER]: String(process.pid) } },
        handler,
      ),
  );
  const silent = () => {};
  const log = {
    debug: silent,
    info: silent,
    warn: silent,
    error: ({ error }: { error?: unknown }, message: string) =>
      void process.stderr.write(`${message}: ${error instanceof Error ? error.message : ''}\n`),
  };
  startWebhooks({ pool, clock, log, sealer: createSealer([SECRET_KEY]), client });
}
