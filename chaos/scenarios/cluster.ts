import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { atEnd } from '../../bench/cleanup.ts';
import { durationOf } from '../../bench/hostPauses.ts';
import { after, timeOf, untilOver } from '../../bench/measure.ts';
import type { Pool } from '../../src/db/pool.ts';
import { SECOND, systemClock } from '../../src/kit/clock.ts';
import { groupBy } from '../../src/kit/groupBy.ts';
import { seededRandom } from '../../test/support/seededRandom.ts';
import type { SystemPostgres } from '../../test/support/systemPostgres.ts';
import { submitSpans } from '../auditSql.ts';
import {
  type CitusCluster,
  citusProgramsFolder,
  type ShardPlace,
  startCitusCluster,
} from '../citusCluster.ts';
import { startInstallation } from '../installation.ts';
import { callsFor, pushAll, pushFigures } from '../merchants.ts';
import { type AnsweredPush, answersOf, isRefused, isTaken, percentileMs } from '../pushClient.ts';
import { type ScenarioResult, type Skipped, unless } from '../report.ts';
import { type MeasuredShop, pushAtSteadyRate } from '../steadyShops.ts';

const SHOPS = 8;
/** All nodes and processes share this machine: of 800, each waited for 6 s for a processor though nothing was lost. */
const PUSHES = 120;
const OVER_MS = 24 * SECOND;
const CALM_SECONDS = 4;
const LOST_FOR_SECONDS = 9;
const STEADY_EVERY_MS = 500;
/** The shops on the other worker push all the time: so long without a nudge or an answer, and they would be standing still. */
const PAUSE_MAX_MS = 3 * SECOND;
const CONNECTIONS = 32;
const NOT_INSTALLED =
  'it needs a Postgres of the operating system with the extension citus, for a coordinator and two workers.';

interface ClusterRun {
  readonly cluster: CitusCluster;
  readonly shops: readonly (MeasuredShop & ShardPlace)[];
  logged(message: string): string[];
}

type Trouble = (run: ClusterRun) => Promise<ScenarioResult>;

export const runKilledWorker = onCluster(loseWorker('SIGKILL', (worker) => worker.startAgain()));

export const runHungWorker = onCluster(loseWorker('SIGSTOP', async (worker) => worker.signal('SIGCONT')));

export const runMovedShard = onCluster(moveShards);

/** An installation on a Citus cluster, under load while the cluster has its trouble; nothing else fails. */
function onCluster(trouble: Trouble) {
  return async ({ seed }: { seed: number }): Promise<ScenarioResult | Skipped> => {
    const programs = citusProgramsFolder();
    if (programs === null) return { skipped: NOT_INSTALLED };
    const chance = seededRandom(seed);
    const cluster = await startCitusCluster(programs);
    const database = { url: cluster.url, pool: () => cluster.pool };
    const installation = await startInstallation(database, chance, { credits: Array(SHOPS).fill(1_000_000) });
    const { baseUrl, fleet, merchants } = installation;
    const dispatcher = new Agent({ connections: CONNECTIONS });
    atEnd(() => dispatcher.destroy());
    const shops = await Promise.all(
      installation.shops.map(async ({ businessId, apiKey }) => ({
        businessId,
        client: { baseUrl, apiKey, dispatcher },
        ...(await cluster.placeOf(businessId)),
      })),
    );
    const [pushed, { figures, broken }] = await Promise.all([
      pushAll(callsFor(PUSHES, SHOPS), OVER_MS, merchants),
      trouble({ cluster, shops, logged: fleet.logged }),
    ]);
    const found = await installation.finish(pushed);
    return {
      figures: {
        ...pushFigures(pushed),
        ...figures,
        'sends with an unknown outcome': found.figures['sends failed (outcome_unknown)'] ?? 0,
      },
      broken: { ...found.broken, ...broken },
    };
  };
}

/** The first shop's worker is lost; the shops on the other push and are nudged meanwhile. */
function loseWorker(signal: NodeJS.Signals, bringBack: (worker: SystemPostgres) => Promise<void>): Trouble {
  return async ({ cluster, shops, logged }) => {
    const lost = shops[0]?.worker;
    if (!lost) throw new Error('there is no shop');
    const others = shops.filter(({ worker }) => worker !== lost);
    const push = (name: string, seconds: number): Promise<AnsweredPush[]> =>
      pushAtSteadyRate(others, name, STEADY_EVERY_MS, after(seconds));
    const before = await push('Before', CALM_SECONDS);
    const lostAt = systemClock.now().getTime();
    lost.signal(signal);
    const answered = push('Meanwhile', LOST_FOR_SECONDS);
    // Not when all are answered, which may be after it is back only.
    await sleep(LOST_FOR_SECONDS * SECOND);
    const backAt = systemClock.now().getTime();
    const nudgedAt = await nudgesOf(cluster.pool, others, lostAt);
    await bringBack(lost);
    const answers = await answered;
    const longestMs = longestGap([lostAt, ...nudgedAt, backAt]);
    const late = answers.filter((answer) => isRefused(answer) || durationOf(answer) > PAUSE_MAX_MS);
    return {
      figures: {
        'shops, and of them on the worker that stays': `${shops.length}, ${others.length}`,
        'pushes of the other shops while it was lost': answers.length,
        'the longest of them, and of those before, in ms': [answers, before]
          .map((all) => percentileMs(all, 1))
          .join(', '),
        'nudges of the other shops while it was lost': nudgedAt.length,
        'the longest time without one, in ms': longestMs,
      },
      broken: {
        'pushes of shops on the other worker go on meanwhile':
          answers.length === 0 ? ['none was tried'] : answersOf(late),
        'nudges of shops on the other worker go on meanwhile': unless(
          longestMs < PAUSE_MAX_MS,
          'they stood still',
        ),
        'the log says that nudges wait for a shard': unless(
          logged('part of the database does not answer: the nudges of its shops wait').length > 0,
          'no line says so',
        ),
      },
    };
  };
}

/** Two shards, while their shops push: one with its writes blocked, the other by logical replication. */
async function moveShards({ cluster, shops }: ClusterRun): ReturnType<Trouble> {
  const shards = [...groupBy(shops, ({ shard }) => String(shard))];
  const figures: ScenarioResult['figures'] = {};
  await sleep(CALM_SECONDS * SECOND);
  for (const mode of ['block_writes', 'force_logical'] as const) {
    const [shard, moved] = shards.shift() ?? ['', []];
    const [movedMs, answers] = await untilOver(
      () => timeOf(() => cluster.moveShard(Number(shard), mode)),
      (isOver) => pushAtSteadyRate(moved, mode, STEADY_EVERY_MS, isOver),
    );
    const acknowledgedAt = answers.filter(isTaken).map(({ to }) => to);
    figures[`${mode}: the move, in ms`] = Math.round(movedMs);
    figures[`${mode}: pushes meanwhile, and of them refused`] =
      `${answers.length}, ${answers.length - acknowledgedAt.length}`;
    figures[`${mode}: the longest time between two acknowledged pushes, in ms`] = Math.round(
      longestGap(acknowledgedAt.sort((a, b) => a - b)),
    );
  }
  return { figures, broken: {} };
}

/** When emails of these shops went to the provider, in order. Asks shop by shop, since a worker is lost. */
async function nudgesOf(pool: Pool, shops: readonly MeasuredShop[], since: number): Promise<number[]> {
  const spans = await Promise.all(shops.map(({ businessId }) => submitSpans(pool, businessId)));
  const submittedAt = spans.flat().flatMap(({ to }) => (to !== null && to > since ? [to] : []));
  return submittedAt.sort((a, b) => a - b);
}

const longestGap = (times: readonly number[]): number =>
  Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
