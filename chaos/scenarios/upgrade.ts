import { setTimeout as sleep } from 'node:timers/promises';
import { runFolder } from '../../bench/cleanup.ts';
import { untilOver } from '../../bench/measure.ts';
import type { Pool } from '../../src/db/pool.ts';
import { SECOND } from '../../src/kit/clock.ts';
import { listAt } from '../../src/kit/json.ts';
import { seededRandom } from '../../test/support/seededRandom.ts';
import { Shop } from '../../test/support/shop.ts';
import { countMessages } from '../auditSql.ts';
import { type Fleet, startFleet } from '../fleet.ts';
import { openSurroundings } from '../installation.ts';
import { pushUntil, statusesOf } from '../merchants.ts';
import { startEmptyPostgres } from '../postgres.ts';
import { buildNextVersion, releaseAt, runCommand } from '../release.ts';
import { type ScenarioResult, unless } from '../report.ts';

/** Long enough for pushes and nudges in each phase. */
const PHASE_MS = 5 * SECOND;

interface UpgradeOptions {
  seed: number;
  /** Another checkout. */
  from: string | null;
}

/**
 * This version, or the one that `from` names, works under load; the next one migrates its database, starts beside it, and takes over.
 * No caller may see a fault.
 */
export async function runUpgrade({ seed, from }: UpgradeOptions): Promise<ScenarioResult> {
  const chance = seededRandom(seed);
  const old = await releaseAt(from);
  const next = await buildNextVersion(await runFolder());
  const { pool, url } = await startEmptyPostgres();
  const around = await openSurroundings({ url, pool: () => pool }, chance);
  const { baseUrl, targets } = around;
  const env = around.env.postmark;
  const start = async ({ server }: typeof old): Promise<Fleet> => {
    const fleet = await startFleet({ api: [env, env], workers: [env] }, chance, server);
    targets.push(...fleet.apiPorts);
    return fleet;
  };
  const oldFleet = await start(old);
  const made = await runCommand(old, env, 'business', 'create', '--name', 'Shop', '--credits', '1000000');
  const shop = new Shop(baseUrl, String(made.business_id), String(made.api_key));
  await around.addEndpoint(shop);

  const migrate = (...args: string[]) => runCommand(next, env, 'migrate', ...args);
  const [steps, pushed] = await untilOver(
    () => upgrade(pool, targets, oldFleet, migrate, () => start(next)),
    (isOver) => pushUntil(isOver, { baseUrl, apiKeys: [shop.apiKey], chance }),
  );
  const byNewAlone = (await countMessages(pool)) - steps.drained;
  const found = await around.finish(pushed);
  const faults = Object.entries(pushed.statuses).filter(([status]) => Number(status) >= 500);
  return {
    figures: {
      from: old.name,
      to: next.name,
      'migrations applied under load': steps.migrations,
      'pushes acknowledged': pushed.acknowledged.length,
      'pushes stored before, during the migration': `${steps.beforeMigration}, ${steps.afterMigration - steps.beforeMigration}`,
      'pushes stored with both versions': steps.drained - steps.sideBySide,
      'pushes stored by the new version alone': byNewAlone,
      'answers by status (0: the connection was closed, and the call repeated)': statusesOf(pushed.statuses),
      'sends with an unknown outcome': found.figures['sends failed (outcome_unknown)'] ?? 0,
    },
    broken: {
      ...found.broken,
      'no answer is a 5xx': faults.map(([status, count]) => `${count} times ${status}`),
      'every process of the old version exited cleanly on SIGTERM': steps.badEnds,
      'both versions took pushes': unless(
        steps.drained > steps.sideBySide && byNewAlone > 0 && steps.beforeMigration > 0,
        steps,
      ),
      'the upgrade had migrations to apply': unless(steps.migrations > 0, 'none'),
    },
  };
}

/** The steps of docs/operations.md, and how many pushes were stored at each. */
async function upgrade(
  pool: Pool,
  targets: number[],
  old: Fleet,
  migrate: (...args: string[]) => Promise<Record<string, unknown>>,
  startNext: () => Promise<Fleet>,
) {
  await sleep(PHASE_MS);
  const migrations = listAt(await migrate('--plan'), 'pending').length;
  const beforeMigration = await countMessages(pool);
  await migrate();
  const afterMigration = await countMessages(pool);
  const { apiPorts } = await startNext();
  const sideBySide = await countMessages(pool);
  await sleep(PHASE_MS);
  // As a load balancer does, no new connection goes to a process that is about to stop.
  targets.splice(0, targets.length, ...apiPorts);
  const drained = await countMessages(pool);
  const badEnds = [...old.endedByThemselves, ...(await old.stop())];
  return { migrations, beforeMigration, afterMigration, sideBySide, drained, badEnds };
}
