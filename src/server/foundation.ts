import type { HttpLimits } from '../api/limits.ts';
import { createMetrics } from '../api/metrics.ts';
import { divideConnections } from '../config/connections.ts';
import { startDatabaseClock } from '../db/databaseClock.ts';
import { loadPepper } from '../db/instanceSecrets.ts';
import { connectPool } from '../db/route.ts';
import type { Config } from '../environment/config.ts';
import type { Log } from '../kit/log.ts';
import { createHasher, createSealer } from '../kit/seal.ts';
import type { Tracing } from '../kit/tracing.ts';
import { HELD_SENTENCE, noticeRestore, readGuard } from '../outbox/restoreGuardSql.ts';
import { createFaults } from '../providers/faults.ts';
import { createHttpClient } from '../providers/http.ts';
import type { SnsCalls } from '../providers/ses/callback.ts';
import { roleNames } from './processLayout.ts';
import type { Siblings } from './siblings.ts';

/** The settings of a process, from the environment or a test. */
export interface Wiring {
  config: Config;
  databaseUrl: string;
  /** The first key seals and signs; the others only open and verify. */
  secretKeys: readonly string[];
  publicUrl: string;
  log: Log;
  /** Where a supervisor runs several processes. */
  siblings?: Siblings;
  /** Calls to Amazon SNS; tests replace them. */
  sns?: SnsCalls;
  /** Name servers for the hosts of webhooks, `address:port` each; default: the system's. */
  nameServers?: readonly string[];
  /** Overrides of production's limits, so that tests do not wait for minutes. */
  httpLimits?: Partial<HttpLimits>;
}

export type Foundation = Awaited<ReturnType<typeof createFoundation>>;

/** The parts that everything else in a process uses. */
export async function createFoundation(wiring: Wiring) {
  const { config, databaseUrl, secretKeys, log } = wiring;
  const connections = divideConnections(config.databasePoolMax, config.roles);
  const { pool, found } = await connectPool(
    { url: databaseUrl, directUrl: config.databaseDirectUrl },
    {
      max: connections.pool,
      name: roleNames(config.roles),
      onError: (error) => log.warn({ error }, 'idle database connection failed'),
    },
  );
  for (const sentence of found) log.info({}, sentence);
  const clock = await startDatabaseClock(pool, (error) => log.warn({ error }, 'clock sync failed'));
  await noticeRestore(pool, clock.now());
  const [guard] = await readGuard(pool);
  if (guard?.held) log.warn({}, HELD_SENTENCE);
  const sealer = createSealer(secretKeys);
  const hash = createHasher(await loadPepper(pool, sealer));
  const tracing = await openTracing(config, log);
  const metrics = createMetrics({ exemplars: tracing !== null });
  /** Provider faults that the operator has to fix. */
  const faults = createFaults({ clock, log });
  metrics.gaugeBy(
    'waypost_channel_faults',
    'Faults that the operator has to fix, by channel.',
    'channel',
    faults.count,
  );
  metrics.gaugeBy(
    'waypost_channel_fault',
    'Each fault that the operator has to fix, in the words of the log.',
    'sentence',
    () => Object.fromEntries(faults.sentences().map((sentence) => [sentence, 1])),
  );
  /** For calls to providers. */
  const http = createHttpClient();
  return { ...wiring, pool, connections, clock, sealer, hash, metrics, tracing, faults, http };
}

/** Loads the SDK only where traces are on. */
async function openTracing({ traces, roles }: Config, log: Log): Promise<Tracing | null> {
  if (traces === null) return null;
  const { startOpenTelemetry } = await import('./openTelemetry.ts');
  return startOpenTelemetry(traces, roleNames(roles), log);
}
