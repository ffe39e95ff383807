import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../../src/db/pool.ts';
import { SECOND, systemClock } from '../../src/kit/clock.ts';
import { systemPostgresFolder } from '../../test/support/systemPostgres.ts';
import { runFolder } from '../cleanup.ts';
import { type Failovers, type FailoverTimes, pushThroughFailovers, timeToNextPush } from '../failoverRun.ts';
import { startHaproxy } from '../haproxy.ts';
import { pushUntil } from '../merchants.ts';
import { findProgram, type PatroniCluster, startPatroniCluster } from '../patroniCluster.ts';
import { openPrimaryProxy } from '../primaryProxy.ts';
import type { ScenarioReport } from '../report.ts';
import { seededRandom } from '../seededRandom.ts';

/** What happens to the primary, one after another under the same load. */
const CHANGES: readonly { name: string; change: (cluster: PatroniCluster) => Promise<void> | void }[] = [
  { name: 'killed', change: (cluster) => cluster.killPrimary() },
  { name: 'killed again, the other node', change: (cluster) => cluster.killPrimary() },
  { name: 'frozen until the other is promoted', change: (cluster) => cluster.freezePrimary() },
  { name: 'planned switchover', change: (cluster) => cluster.switchOver() },
];

const CALM_MS = 4 * SECOND;
const NOT_INSTALLED =
  'it needs Patroni, etcd and a Postgres of the operating system: apt-get install patroni etcd-server postgresql.';

/** A cluster under Patroni loses its primary again and again, and gets it back as a standby; nothing else fails. */
export async function runPatroni({ seed }: { seed: number }): Promise<ScenarioReport> {
  const scenario = 'Patroni promotes the standby';
  const programs = installedPrograms();
  if (programs === null) return { scenario, skipped: NOT_INSTALLED, figures: {}, checks: [] };
  const chance = seededRandom(seed);
  const folder = await runFolder();
  try {
    const cluster = await startPatroniCluster(programs, folder.path);
    const haproxy = findProgram('haproxy');
    const database =
      haproxy === null
        ? await openPrimaryProxy(cluster.nodes, chance)
        : await startHaproxy(haproxy, folder.path, cluster.nodes);
    try {
      const { figures, checks } = await pushThroughFailovers({
        chance,
        postgres: cluster,
        databaseUrl: cluster.urlThrough(database.port),
        push: (shop, isOver) => pushUntil(isOver, { ...shop, chance }),
        failOver: () => changePrimary(cluster),
      });
      const address = haproxy === null ? 'a proxy of ours, with the health check of HAProxy' : 'HAProxy';
      return { scenario, checks, figures: { 'the primary is found by': address, ...figures } };
    } finally {
      await database.close();
      await cluster.stop();
    }
  } finally {
    await folder.remove();
  }
}

function installedPrograms(): Parameters<typeof startPatroniCluster>[0] | null {
  const [postgres, patroni] = [systemPostgresFolder(), findProgram('patroni')];
  const [patronictl, etcd] = [findProgram('patronictl'), findProgram('etcd')];
  if (postgres === null || patroni === null || patronictl === null || etcd === null) return null;
  return { postgres, patroni, patronictl, etcd };
}

async function changePrimary(cluster: PatroniCluster): Promise<Failovers> {
  const times: FailoverTimes[] = [];
  const figures: ScenarioReport['figures'] = {};
  for (const { name, change } of CHANGES) {
    await sleep(CALM_MS);
    await timeToNextPush(cluster.pool());
    const { rows } = await cluster.pool().query<{ at: Date }>('select max(created_at) as at from messages');
    // Together: the command of a switchover ends later than the new primary takes writes.
    const lostAt = systemClock.now();
    const [[promotedAt, takenAfterMs]] = await Promise.all([nextPush(cluster), change(cluster)]);
    times.push({ lostAt, promotedAt, takenAfterMs });
    figures[`${name}: without a push, s`] = await longestGapSeconds(cluster.pool(), rows[0]?.at);
    figures[`${name}: promotion to the next 201, ms`] = Math.round(takenAfterMs);
    await cluster.rejoin();
  }
  return { times, figures };
}

async function nextPush(cluster: PatroniCluster): Promise<[promotedAt: Date, takenAfterMs: number]> {
  await cluster.promoted();
  return [systemClock.now(), await timeToNextPush(cluster.pool())];
}

/** The longest time between two pushes that were stored one after the other, the last of them after `since`. */
async function longestGapSeconds(pool: Pool, since: Date | undefined): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `select round(extract(epoch from max(gap)), 1)::float as seconds
     from (select created_at, created_at - lag(created_at) over (order by created_at) as gap from messages) m
     where created_at > $1`,
    [since],
  );
  return rows[0]?.seconds ?? 0;
}
