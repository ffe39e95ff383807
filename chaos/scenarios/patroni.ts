import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runFolder } from '../../bench/cleanup.ts';
import type { Pool } from '../../src/db/pool.ts';
import { SECOND, systemClock } from '../../src/kit/clock.ts';
import { seededRandom } from '../../test/support/seededRandom.ts';
import { systemPostgresFolder } from '../../test/support/systemPostgres.ts';
import { type Failovers, type FailoverTimes, pushThroughFailovers, timeToNextPush } from '../failoverRun.ts';
import { pushUntil } from '../merchants.ts';
import {
  type PatroniCluster,
  type PatroniPrograms,
  startHaproxy,
  startPatroniCluster,
} from '../patroniCluster.ts';
import { superuserUrl } from '../postgres.ts';
import type { ScenarioResult, Skipped } from '../report.ts';

/** What happens to the primary, one after another under the same load. */
const CHANGES: readonly { name: string; change: (cluster: PatroniCluster) => Promise<void> | void }[] = [
  { name: 'killed', change: (cluster) => cluster.killPrimary() },
  { name: 'killed again, the other node', change: (cluster) => cluster.killPrimary() },
  { name: 'frozen until the other is promoted', change: (cluster) => cluster.freezePrimary() },
  { name: 'planned switchover', change: (cluster) => cluster.switchOver() },
];

const CALM_MS = 4 * SECOND;
const NOT_INSTALLED =
  'it needs Patroni, etcd, HAProxy and a Postgres of the operating system: apt-get install patroni etcd-server haproxy postgresql.';

/** A cluster under Patroni loses its primary again and again, and gets it back as a standby; nothing else fails. */
export async function runPatroni({ seed }: { seed: number }): Promise<ScenarioResult | Skipped> {
  const programs = installedPrograms();
  if (programs === null) return { skipped: NOT_INSTALLED };
  const chance = seededRandom(seed);
  const folder = await runFolder();
  const cluster = await startPatroniCluster(programs, folder);
  const port = await startHaproxy(programs.haproxy, folder, cluster.nodes);
  return pushThroughFailovers({
    chance,
    database: { url: superuserUrl(port), pool: cluster.pool },
    push: (merchants, isOver) => pushUntil(isOver, merchants),
    failOver: () => changePrimary(cluster),
  });
}

/** Where the program is, or null. */
const findProgram = (name: string): string | null =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path)) ?? null;

/** All of them, or null. */
function installedPrograms(): PatroniPrograms | null {
  const postgres = systemPostgresFolder();
  const [patroni, patronictl, etcd, haproxy] = ['patroni', 'patronictl', 'etcd', 'haproxy'].map(findProgram);
  return postgres && patroni && patronictl && etcd && haproxy
    ? { postgres, patroni, patronictl, etcd, haproxy }
    : null;
}

async function changePrimary(cluster: PatroniCluster): Promise<Failovers> {
  const times: FailoverTimes[] = [];
  const figures: ScenarioResult['figures'] = {};
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
