import { setTimeout as sleep } from 'node:timers/promises';
import { timeOf } from '../bench/measure.ts';
import { Waypost } from '../clients/typescript/src/index.ts';
import type { Pool } from '../src/db/pool.ts';
import { SECOND } from '../src/kit/clock.ts';
import type { SeededRandom } from '../test/support/seededRandom.ts';
import { allSends, countMessages } from './auditSql.ts';
import { type ChaosDatabase, startInstallation } from './installation.ts';
import { type MerchantsOptions, type PushResults, statusesOf } from './merchants.ts';
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
export async function pushThroughFailovers({
  chance,
  database,
  push,
  failOver,
}: FailoverRun): Promise<ScenarioResult> {
  const { baseUrl, shops, finish } = await startInstallation(database, chance);
  const apiKeys = shops.map(({ apiKey }) => apiKey);
  const followers = [0, 1].map(() => followFeed(baseUrl, apiKeys[0] ?? ''));
  let isOver = false;
  const [pushed, { times, figures }] = await Promise.all([
    push({ baseUrl, apiKeys, chance }, () => isOver),
    failOver().finally(() => {
      isOver = true;
    }),
  ]);
  const { broken } = await finish(pushed);
  await Promise.all(followers.map((follower) => follower.finish()));
  const events = await database.pool().query<{ id: string }>('select id from events');
  const unknown = (await allSends(database.pool())).filter(
    ({ state, reason }) => state === 'failed' && reason === 'outcome_unknown',
  );
  return {
    figures: {
      'pushes acknowledged': pushed.acknowledged.length,
      'answers by status (0: none)': statusesOf(pushed.statuses),
      ...figures,
      'sends with an unknown outcome': unknown.length,
    },
    broken: {
      ...broken,
      'each follower of the feed saw every event exactly once, in the same order': followers.flatMap(
        ({ seen }) => feedFaults(seen, followers[0]?.seen ?? [], events.rows),
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

/** A merchant's program that follows the feed of events through whatever happens. */
function followFeed(baseUrl: string, apiKey: string) {
  const seen: string[] = [];
  let stopping = false;
  const follow = async (): Promise<void> => {
    const client = new Waypost({ baseUrl, apiKey });
    // A call that waits already may be answered with nothing just before the last events are placed.
    let isLast = false;
    for await (const { items } of client.events.follow({ waitSeconds: WAIT_SECONDS }).pages()) {
      seen.push(...items.map(({ id }) => id));
      if (isLast && items.length === 0) return;
      isLast = stopping;
    }
  };
  const following = follow();
  return {
    /** The ids of the events, in the order in which they came. */
    seen,
    /** Reads what is left, then ends. */
    async finish(): Promise<void> {
      stopping = true;
      await following;
    },
  };
}
