import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../src/db/pool.ts';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import { listAt, parseJsonText, textAt } from '../src/kit/json.ts';
import type { SeededRandom } from '../test/support/seededRandom.ts';
import { allSends } from './auditSql.ts';
import { type ChaosDatabase, startInstallation } from './installation.ts';
import { type MerchantsOptions, type PushResults, statusesOf } from './merchants.ts';
import { type ScenarioResult, unless } from './report.ts';

const NEXT_PUSH_WITHIN_MS = 3 * SECOND;
/** As long as a worker waits for a provider's answer at most. */
const IN_PROGRESS_MS = 10 * SECOND;
const PROBE_EVERY_MS = 20;
const AGAIN_AFTER_MS = 100;
const WAIT_SECONDS = 1;

export interface FailoverRun {
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

/** A program that follows the feed of events through whatever happens, as the documentation asks it to. */
function followFeed(baseUrl: string, apiKey: string) {
  const seen: string[] = [];
  let next: string | null = null;
  let stopping = false;

  /** Returns whether the page was the last one for now; a call that fails is made again with the same cursor. */
  const readPage = async (): Promise<boolean> => {
    const after: string = next === null ? '' : `&after=${next}`;
    const response = await fetch(`${baseUrl}/api/v1/events?wait=${WAIT_SECONDS}${after}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
    const page = parseJsonText(text);
    const items = listAt(page, 'items');
    seen.push(...items.map((item) => textAt(item, 'id') ?? 'no id'));
    next = textAt(page, 'next') ?? next;
    return items.length === 0;
  };

  const follow = async (): Promise<void> => {
    for (;;) {
      // A call that waits already may be answered with nothing just before the last events are placed.
      const isLast = stopping;
      const isEnd = await readPage().catch(() => sleep(AGAIN_AFTER_MS, false));
      if (isLast && isEnd) return;
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
