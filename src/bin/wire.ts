import type { FastifyInstance } from 'fastify';
import { type Config, sandboxOn } from '../config/config.ts';
import { startDatabaseClock } from '../db/databaseClock.ts';
import { loadPepper } from '../db/instanceSecrets.ts';
import { openPool, type Pool } from '../db/pool.ts';
import { buildApp } from '../http/app.ts';
import { createAuthenticate } from '../http/auth.ts';
import { createMetrics } from '../http/metrics.ts';
import { openApiDocument } from '../http/openapi.ts';
import { keyOperations } from '../http/operations/keys.ts';
import { messageOperations } from '../http/operations/messages.ts';
import { pushOperations } from '../http/operations/push.ts';
import { recipientOperations } from '../http/operations/recipients.ts';
import { inboxRoutes } from '../http/pages/inbox.ts';
import { systemRoutes } from '../http/pages/system.ts';
import { createRateLimit } from '../http/rateLimit.ts';
import type { Log } from '../kit/log.ts';
import { createHasher, createSealer } from '../kit/seal.ts';
import { createPushes } from '../push/pushes.ts';
import { createReadiness } from './readiness.ts';

const API_CONNECTIONS = 16;
const WORKER_CONNECTIONS = 12;

export interface Wiring {
  config: Config;
  databaseUrl: string;
  secretKeys: readonly string[];
  publicUrl: string;
  log: Log;
}

export interface Service {
  app: FastifyInstance;
  pool: Pool;
  /** Stops accepting, finishes or releases what is claimed, and lets go of the database. */
  stop(): Promise<void>;
}

/** The composition root: the only place that knows everything. Tests and production call the same function. */
export async function wire({ config, databaseUrl, secretKeys, publicUrl, log }: Wiring): Promise<Service> {
  const pool = openPool(databaseUrl, {
    max: (config.roles.api ? API_CONNECTIONS : 2) + (config.roles.worker ? WORKER_CONNECTIONS : 0),
    name: Object.entries(config.roles)
      .filter(([, on]) => on)
      .map(([role]) => role)
      .join(' '),
    onError: (error) => log.warn({ error }, 'an idle database connection broke'),
  });
  const clock = await startDatabaseClock(pool, (error) =>
    log.warn({ error }, 'the clock could not be compared'),
  );
  const sealer = createSealer(secretKeys);
  const hash = createHasher(await loadPepper(pool, sealer));
  const metrics = createMetrics();

  const pushes = createPushes({
    pool,
    clock,
    hash,
    render: (result) => JSON.stringify(result),
    onSends: () => {},
    onEvents: () => {},
  });
  const operations = [
    ...pushOperations({ pushes, clock }),
    ...messageOperations({ pool, clock, hash, onSends: () => {}, onEvents: () => {} }),
    ...keyOperations({ pool, clock }),
    ...recipientOperations({ pool, clock, hash }),
  ];
  const app = buildApp({
    log,
    clock,
    metrics,
    authenticate: createAuthenticate(pool),
    rateLimit: createRateLimit(config.rateLimit),
    operations: config.roles.api ? operations : [],
    pages: [
      systemRoutes({
        readiness: createReadiness({ pool, databaseUrl, clock, config }),
        metrics,
        document: openApiDocument(operations, publicUrl),
      }),
      ...(config.roles.api
        ? [
            (instance: FastifyInstance) =>
              inboxRoutes(instance, {
                pool,
                clock,
                log,
                publicUrl,
                secretKey: secretKeys[0] ?? '',
                hasher: hash,
                onEvents: () => {},
                onSends: () => {},
              }),
          ]
        : []),
    ],
  });
  void sandboxOn;

  return {
    app,
    pool,
    stop: async () => {
      await app.close();
      await pushes.idle();
      clock.stop();
      await pool.end();
    },
  };
}
