import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../src/db/pool.ts';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import { unknownOutcomes } from './auditSql.ts';
import { followFeed } from './feedFollower.ts';
import { startInstallation } from './installation.ts';
import { type PushResults, statusesOf } from './merchants.ts';
import type { ReplicatedPostgres } from './postgresPair.ts';
import { check, type ScenarioReport } from './report.ts';
import type { SeededRandom } from './seededRandom.ts';

const NEXT_PUSH_WITHIN_MS = 3 * SECOND;
/** As long as a worker waits for a provider's answer at most. */
const IN_PROGRESS_MS = 10 * SECOND;
const PROBE_EVERY_MS = 20;

export interface FailoverRun {
  readonly chance: SeededRandom;
  readonly postgres: ReplicatedPostgres;
  /** The address of the database for the processes: it leads to the primary, as DNS or a proxy decides it. */
  readonly databaseUrl: string;
  /** The load, until it has made its pushes or the failovers are over. */
  readonly push: (shop: { baseUrl: string; apiKey: string }, isOver: () => boolean) => Promise<PushResults>;
  readonly failOver: () => Promise<Failovers>;
}

export interface Failovers {
  readonly times: readonly FailoverTimes[];
  readonly figures: ScenarioReport['figures'];
}

export interface FailoverTimes {
  readonly lostAt: Date;
  /** When the new primary accepts writes. */
  readonly promotedAt: Date;
  /** From then to the first push that is taken. */
  readonly takenAfterMs: number;
}

/** An installation under load while the primary changes; nothing else fails. */
export async function pushThroughFailovers({
  chance,
  postgres,
  databaseUrl,
  push,
  failOver,
}: FailoverRun): Promise<Pick<ScenarioReport, 'figures' | 'checks'>> {
  const installation = await startInstallation({ url: databaseUrl, pool: postgres.pool }, chance);
  try {
    const { baseUrl, shops } = installation;
    const apiKey = shops[0]?.apiKey ?? '';
    const followers = [followFeed(baseUrl, apiKey), followFeed(baseUrl, apiKey)];
    let isOver = false;
    const [pushed, { times, figures }] = await Promise.all([
      push({ baseUrl, apiKey }, () => isOver),
      failOver().finally(() => {
        isOver = true;
      }),
    ]);
    const found = await installation.finish(pushed);
    await Promise.all(followers.map(({ finish }) => finish()));
    const events = await postgres.pool().query<{ id: string }>('select id from events');
    const unknown = await unknownOutcomes(postgres.pool());
    return {
      figures: {
        'pushes acknowledged': pushed.acknowledged.length,
        'answers by status (0: none)': statusesOf(pushed),
        ...figures,
        'sends with an unknown outcome': unknown.length,
      },
      checks: [
        ...found.checks,
        check(
          'each follower of the feed saw every event exactly once, in the same order',
          followers.flatMap(({ seen }) => feedFaults(seen, followers[0]?.seen ?? [], events.rows)),
        ),
        check(
          `the next push is taken within ${NEXT_PUSH_WITHIN_MS / SECOND} s of the promotion`,
          times.flatMap(({ takenAfterMs: ms }) => (ms > NEXT_PUSH_WITHIN_MS ? [`${Math.round(ms)} ms`] : [])),
        ),
        check(
          'an outcome is unknown only where the primary was lost during the call',
          unknown.flatMap(({ id, submitted_at: at }) =>
            wasInProgress(times, at) ? [] : [`${id}, submitted at ${at?.toISOString()}`],
          ),
        ),
      ],
    };
  } finally {
    await installation.close();
  }
}

/** Resolves to the time from now to the next push that is stored. */
export async function timeToNextPush(pool: Pool): Promise<number> {
  const began = monotonicMs();
  const stored = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>('select count(*)::int from messages');
    return rows[0]?.count ?? 0;
  };
  const before = await stored();
  while ((await stored()) === before) await sleep(PROBE_EVERY_MS);
  return monotonicMs() - began;
}

/** What is wrong with what a follower saw: nothing, or the ids that were missed or came twice, or the order. */
function feedFaults(
  seen: readonly string[],
  ofTheFirst: readonly string[],
  events: readonly { id: string }[],
): string[] {
  const all = new Set(seen);
  const missed = events.flatMap(({ id }) => (all.has(id) ? [] : [id]));
  const twice = seen.filter((id, at) => seen.indexOf(id) !== at);
  const counts = `${seen.length} of ${events.length}`;
  if (missed.length > 0 || twice.length > 0 || seen.length !== events.length) {
    return [`${counts}; missed: ${missed.join(' ') || 'none'}; twice: ${twice.join(' ') || 'none'}`];
  }
  return seen.join() === ofTheFirst.join() ? [] : [`${counts}, in another order than the first follower`];
}

/** Whether a call that began at this time can have been in progress when a primary was lost. */
const wasInProgress = (times: readonly FailoverTimes[], at: Date | null): boolean =>
  at !== null &&
  times.some(
    ({ lostAt, promotedAt }) => at.getTime() >= lostAt.getTime() - IN_PROGRESS_MS && at <= promotedAt,
  );
