import type { Config } from '../config/config.ts';
import { pendingMigrations } from '../db/migrate.ts';
import type { Pool } from '../db/pool.ts';
import type { Readiness } from '../http/pages/system.ts';
import type { Clock } from '../kit/clock.ts';
import { oldestDue } from './readinessSql.ts';

interface Looking {
  pool: Pool;
  databaseUrl: string;
  clock: Clock;
  config: Config;
}

/** Whether this process can do its work right now. Migrations are looked at once: they only move forward. */
export function createReadiness({ pool, databaseUrl, clock, config }: Looking): () => Promise<Readiness> {
  let migrated = false;
  return async () => {
    const warnings = sandboxWarnings(config);
    try {
      const [due] = await oldestDue(pool, clock.now());
      migrated ||= (await pendingMigrations(databaseUrl)).length === 0;
      return {
        ready: migrated,
        database: 'reachable',
        migrations: migrated ? 'current' : 'pending',
        outbox_lag_seconds: due?.lag ?? 0,
        warnings,
      };
    } catch {
      return {
        ready: false,
        database: 'unreachable',
        migrations: 'unknown',
        outbox_lag_seconds: null,
        warnings,
      };
    }
  };
}

/** Nothing reaches anyone through a sandbox provider: in production that is almost surely a mistake. */
export function sandboxWarnings(config: Config): string[] {
  if (!config.production) return [];
  return Object.entries(config.providers)
    .filter(([, provider]) => provider === 'sandbox')
    .map(
      ([channel]) => `${channel.toUpperCase()}_PROVIDER is sandbox: nothing is really sent on that channel.`,
    );
}
