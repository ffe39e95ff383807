import type { Agent } from 'undici';
import type { SnsCalls } from '../callbacks/sns.ts';
import type { Config } from '../config/config.ts';
import { type DatabaseClock, startDatabaseClock } from '../db/databaseClock.ts';
import { loadPepper } from '../db/instanceSecrets.ts';
import { openPool, type Pool } from '../db/pool.ts';
import type { HttpLimits } from '../http/limits.ts';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import type { Log } from '../kit/log.ts';
import { createHasher, createSealer, type Hasher, type Sealer } from '../kit/seal.ts';
import { createFaults, type Faults } from '../providers/faults.ts';
import { createHttpClient } from '../providers/http.ts';

const API_CONNECTIONS = 16;
const WORKER_CONNECTIONS = 12;

/** What a process is told from outside. */
export interface Wiring {
  config: Config;
  databaseUrl: string;
  /** The first seals and signs; the others still open. */
  secretKeys: readonly string[];
  publicUrl: string;
  log: Log;
  /** What is asked at Amazon SNS; a test asks nobody. */
  sns?: SnsCalls;
  /** Name servers that resolve the hosts of webhooks, `address:port` each; the system's when left out. */
  nameServers?: readonly string[];
  /** Other limits than those of production; a test does not wait for minutes. */
  httpLimits?: Partial<HttpLimits>;
}

/** What every part of a process stands on. */
export interface Foundation extends Wiring {
  pool: Pool;
  clock: DatabaseClock;
  sealer: Sealer;
  hash: Hasher;
  metrics: Metrics;
  /** What the operator has to put right about providers. */
  faults: Faults;
  /** For calls to providers. */
  http: Agent;
}

export async function layFoundation(wiring: Wiring): Promise<Foundation> {
  const { config, databaseUrl, secretKeys, log } = wiring;
  const { api, worker } = config.roles;
  const pool = openPool(databaseUrl, {
    max: (api ? API_CONNECTIONS : 0) + (worker ? WORKER_CONNECTIONS : 0),
    name: [api && 'api', worker && 'worker'].filter(Boolean).join(' '),
    onError: (error) => log.warn({ error }, 'an idle database connection broke'),
  });
  const clock = await startDatabaseClock(pool, (error) =>
    log.warn({ error }, 'the clock could not be compared'),
  );
  const sealer = createSealer(secretKeys);
  const hash = createHasher(await loadPepper(pool, sealer));
  const metrics = createMetrics();
  const faults = createFaults({ clock, log });
  metrics.gaugeBy(
    'waypost_channel_faults',
    'What waits to be put right, by channel.',
    'channel',
    faults.count,
  );
  return { ...wiring, pool, clock, sealer, hash, metrics, faults, http: createHttpClient() };
}
