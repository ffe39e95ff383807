import { judgePublicUrl } from '../config/publicUrl.ts';
import { databaseFaultOf } from '../db/faults.ts';
import { hasPendingMigrations } from '../db/migrate.ts';
import type { Config } from '../environment/config.ts';
import { SANDBOX, settingsWarnings } from '../environment/providers.ts';
import { SECOND } from '../kit/clock.ts';
import { dueSends } from '../outbox/claimSql.ts';
import { HELD_SENTENCE, readGuard } from '../outbox/restoreGuardSql.ts';
import type { Foundation } from './foundation.ts';
import { secondsSince, within } from './healthMetrics.ts';

type ReadinessDeps = Pick<Foundation, 'pool' | 'clock' | 'config' | 'publicUrl' | 'faults'> & {
  /** Whether pushes have stopped making progress. */
  writesStalled: () => boolean;
};

/** Probes run every few seconds and do not wait for long: a database slower than this counts as unreachable. */
const ANSWER_WITHIN_MS = 3 * SECOND;

/** Whether this process can work now. Migrations are checked until they are complete: they never go back. */
export function createReadiness(deps: ReadinessDeps) {
  const { pool, clock, config, publicUrl, faults, writesStalled } = deps;
  let migrated = false;
  const check = async () => {
    const now = clock.now();
    const lag = secondsSince(await dueSends.oldest(pool, now), now);
    migrated ||= !(await hasPendingMigrations(pool));
    const [guard] = migrated ? await readGuard(pool) : [];
    return { lag, held: guard?.held === true };
  };
  return async () => {
    const writes = writesStalled() ? 'stalled' : 'progressing';
    const warnings = [...startWarnings(config, publicUrl), ...faults.sentences()];
    try {
      const { lag, held } = await within(ANSWER_WITHIN_MS, check());
      return {
        ready: migrated && writes === 'progressing',
        database: 'reachable',
        writes,
        migrations: migrated ? 'current' : 'pending',
        /** How late the oldest due send is. */
        outbox_lag_seconds: lag,
        warnings: held ? [HELD_SENTENCE, ...warnings] : warnings,
      };
    } catch (error) {
      return {
        ready: false,
        database: databaseFaultOf(error) ?? 'unreachable',
        writes,
        migrations: 'unknown',
        outbox_lag_seconds: null,
        warnings,
      };
    }
  };
}

/** Configuration mistakes that are visible at the start. */
export function startWarnings(config: Config, publicUrl: string): string[] {
  const problem = judgePublicUrl(publicUrl, config);
  return [
    ...sandboxWarnings(config),
    ...(problem === null ? [] : [problem.sentence]),
    ...settingsWarnings(config.providerSettings, publicUrl),
  ];
}

/** A sandbox provider sends nothing: in production that is almost surely a mistake. */
function sandboxWarnings(config: Config): string[] {
  if (!config.production) return [];
  return Object.entries(config.providers)
    .filter(([, names]) => names.includes(SANDBOX))
    .map(([channel]) => `${channel.toUpperCase()}_PROVIDER is sandbox: nothing is sent on that channel.`);
}
