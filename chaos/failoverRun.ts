import { setTimeout as sleep } from 'node:timers/promises';
import { timeOf, untilOver } from '../bench/measure.ts';
import { Waypost } from '../clients/typescript/src/index.ts';
import type { Pool } from '../src/db/pool.ts';
import { SECOND } from '../src/kit/clock.ts';
import type { SeededRandom } from '../test/support/seededRandom.ts';
import { allSends, countMessages } from './auditSql.ts';
import { type ChaosDatabase, startInstallation } from './installation.ts';
import { type MerchantsOptions, type PushResults, pushFigures } from './merchants.ts';
import { type ScenarioResult, unless } from './report.ts';

const NEXT_PUSH_WITHIN_MS = 3 * SECOND;
/** As long as a worker waits for a provider's answer at most. */
const IN_PROGRESS_MS = 10 * SECOND;
const PROBE_EVERY_MS = 20;
const WAIT_SECONDS = 1;

interface FailoverRun {
  readonly chance: SeededRandom;
  /** Its address leads to the primary, as DNS or a proxy decides it. */
  readonly database: ChaosDatabase;
  /** The load, until it has made its pushes or the failovers are over. */
  readonly push: (merchants: MerchantsOptions, isOver: () => boolean) => Promise<PushResults>;
  readonly failOver: () => Promise<Failovers>;
}

export interface Failovers {
  readonly times: readonly FailoverTimes[];
  readonly figures: ScenarioResult['figures'];
}

export interface FailoverTimes {
  readonly lostAt: Date;
  /** When the new primary accepts writes. */
  readonly promotedAt: Date;
  /** From then to the first push that is taken. */
  readonly takenAfterMs: number;
}

/** An installation under load while the primary changes; nothing else fails. */
export async function pushThroughFailovers(run: FailoverRun): Promise<ScenarioResult> {
  const { merchants, finish } = await startInstallation(run.database, run.chance);
  let isAudited = false;
  const following = [0, 1].map(() => followFeed(merchants, () => isAudited));
  const [{ times, figures }, pushed] = await untilOver(run.failOver, (isOver) => run.push(merchants, isOver));
  const { broken } = await finish(pushed);
  isAudited = true;
  const seen = await Promise.all(following);
  const pool = run.database.pool();
  const events = await pool.query<{ id: string }>('select id from events');
  const unknown = (await allSends(pool)).filter(
    ({ state, reason }) => state === 'failed' && reason === 'outcome_unknown',
  );
  return {
    figures: {
      ...pushFigures(pushed),
      ...figures,
      'sends with an unknown outcome': unknown.length,
    },
    broken: {
      ...broken,
      'each follower of the feed saw every event exactly once, in the same order': seen.flatMap((ids) =>
        feedFaults(ids, seen[0] ?? [], events.rows),
      ),
      [`the next push is taken within ${NEXT_PUSH_WITHIN_MS / SECOND} s of the promotion`]: times.flatMap(
        ({ takenAfterMs: ms }) => unless(ms <= NEXT_PUSH_WITHIN_MS, `${Math.round(ms)} ms`),
      ),
      'an outcome is unknown only where the primary was lost during the call': unknown.flatMap(
        ({ reference, submitted_at: at }) =>
          unless(wasInProgress(times, at), `${reference}, submitted at ${at?.toISOString()}`),
      ),
    },
  };
}

/** Resolves to the time from now to the next push that is stored. */
export const timeToNextPush = (pool: Pool): Promise<number> =>
  timeOf(async () => {
    const before = await countMessages(pool);
    while ((await countMessages(pool)) === before) await sleep(PROBE_EVERY_MS);
  });

/** What is wrong with what a follower saw: nothing, or the ids that were missed or came twice, or the order. */
function feedFaults(
  seen: readonly string[],
  ofTheFirst: readonly string[],
  events: readonly { id: string }[],
): string[] {
  const missed = events.map(({ id }) => id).filter((id) => !seen.includes(id));
  const twice = seen.filter((id, at) => seen.indexOf(id) !== at);
  const counts = `${seen.length} of ${events.length}`;
  if (missed.length > 0 || twice.length > 0 || seen.length !== events.length)
    return [`${counts}; missed: ${missed.join(' ') || 'none'}; twice: ${twice.join(' ') || 'none'}`];
  return seen.join() === ofTheFirst.join() ? [] : [`${counts}, in another order than the first follower`];
}

/** Whether a call that began at this time can have been in progress when a primary was lost. */
const wasInProgress = (times: readonly FailoverTimes[], at: Date | null): boolean =>
  at !== null &&
  times.some(
    ({ lostAt, promotedAt }) => at.getTime() >= lostAt.getTime() - IN_PROGRESS_MS && at <= promotedAt,
  );

/** A merchant's program that follows the feed through whatever happens. Resolves to the ids of the events, in their order. */
async function followFeed(
  { baseUrl, apiKeys: [apiKey = ''] }: MerchantsOptions,
  isOver: () => boolean,
): Promise<string[]> {
  const { events } = new Waypost({ baseUrl, apiKey });
  const seen: string[] = [];
  // A call that waits already may be answered with nothing just before the last events are placed.
  let isLast = false;
  for await (const { items } of events.follow({ waitSeconds: WAIT_SECONDS }).pages()) {
    seen.push(...items.map(({ id }) => id));
    if (isLast && items.length === 0) break;
    isLast = isOver();
  }
  return seen;
}
