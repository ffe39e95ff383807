import { setTimeout as sleep } from 'node:timers/promises';
import { timeOf, untilOver } from '../../bench/measure.ts';
import { monotonicMs, SECOND } from '../../src/kit/clock.ts';
import { groupBy } from '../../src/kit/groupBy.ts';
import { seededRandom } from '../../test/support/seededRandom.ts';
import { type FaultProxy, openFaultProxy } from '../faultProxy.ts';
import type { Fleet } from '../fleet.ts';
import { startInstallation } from '../installation.ts';
import { callsFor, pushAll, pushFigures } from '../merchants.ts';
import { type ChaosPostgres, startPostgres } from '../postgres.ts';
import type { ScenarioResult } from '../report.ts';
import { moveClock } from '../settle.ts';

interface FaultsOptions {
  pushes: number;
  /** How long faults are injected. */
  seconds: number;
  seed: number;
  say: (line: string) => void;
}

const KILL_EVERY_MS = 2 * SECOND;
const CUT_EVERY_MS = SECOND / 2;
const CUT_PART = 0.03;
/** A worker's lease is 30 s. */
const STALL_MS = 40 * SECOND;
/** The third shop has too few credits for its pushes. The first has a second receiver, which accepts nothing. */
const PLAN = {
  credits: [1_000_000, 1_000_000, 50],
  faults: ['some', 'some', 'some', 'always'],
  workers: ['postmark', 'postmark', 'postmark', 'smtp'],
} as const;

/** A whole installation under all faults at once. The audit afterwards must find no violation. */
export async function runFaults({ pushes, seconds, seed, say }: FaultsOptions): Promise<ScenarioResult> {
  const chance = seededRandom(seed);
  const postgres = await startPostgres();
  const database = await openFaultProxy('database', () => ({ path: postgres.socket }), chance);
  const throughProxy = { url: postgres.urlThrough(database.port), pool: () => postgres.pool };
  const installation = await startInstallation(throughProxy, chance, PLAN);
  const { fleet, merchants, providers, receivers, shops } = installation;
  const proxies = [database, ...installation.proxies];
  // A failing endpoint gets one event at a time, so one event type is enough for it to be disabled.
  for (const shop of shops.slice(0, 1)) await installation.addEndpoint(shop, ['whatsapp.delivered']);

  say(`${pushes} pushes over ${seconds} s, seed ${seed}`);
  const began = monotonicMs();
  const until = began + seconds * SECOND;
  // The last quarter of the faults hits sends that are still in progress.
  const push = () => pushAll(callsFor(pushes, shops.length), seconds * SECOND * 0.75, merchants);
  const [pushed, [crashMs]] = await untilOver(push, (allPushed) => {
    // On a slow machine the pushes take longer, and the faults last as long as they do.
    const isOver = (): boolean => allPushed() && monotonicMs() >= until;
    return Promise.all([
      crashOnce(postgres, began + seconds * SECOND * 0.5),
      kill(fleet, isOver),
      cut(proxies, isOver),
      stall(fleet, postgres, began + seconds * SECOND * 0.1, until),
    ]);
  });
  say(`all pushed after ${Math.round((monotonicMs() - began) / SECOND)} s; healing`);
  installation.heal();
  const { figures, broken } = await installation.finish(pushed);
  const faults = Object.entries(providers.log.faultCounts).filter(([fault]) => fault !== 'answers');
  return {
    figures: {
      ...pushFigures(pushed),
      'processes killed (kill -9)': fleet.counts.kills,
      'workers stopped past their lease and continued': fleet.counts.stalls,
      'database crashes': 1,
      'database back after, ms': Math.round(crashMs),
      'starts that found no database': fleet.counts.startsFailed,
      ...cutsBySide(proxies),
      'calls to providers': providers.log.submits.length,
      'of them with a fault': faults.map(([fault, count]) => `${count} ${fault}`).join(', '),
      'delivery reports sent': providers.counts.reports,
      'requests to webhook receivers': receivers.reduce((sum, { counts }) => sum + counts.requests, 0),
      ...figures,
      'seconds in all': Math.round((monotonicMs() - began) / SECOND),
    },
    broken,
  };
}

async function kill(fleet: Fleet, isOver: () => boolean): Promise<void> {
  for (; !isOver(); await sleep(KILL_EVERY_MS)) fleet.killOne();
}

async function cut(proxies: readonly FaultProxy[], isOver: () => boolean): Promise<void> {
  for (; !isOver(); await sleep(CUT_EVERY_MS)) for (const proxy of proxies) proxy.cut(CUT_PART);
}

async function crashOnce(postgres: ChaosPostgres, at: number): Promise<number> {
  await sleep(at - monotonicMs());
  return timeOf(postgres.crash);
}

/** When the run is shorter than a lease, the clock is moved over the rest of the lease. */
async function stall(fleet: Fleet, { pool }: ChaosPostgres, at: number, until: number): Promise<void> {
  await sleep(at - monotonicMs());
  let resume = fleet.stallWorker();
  for (; resume === null && monotonicMs() < until; resume = fleet.stallWorker()) await sleep(CUT_EVERY_MS);
  const forMs = Math.min(STALL_MS, (until - monotonicMs()) * 0.6);
  await sleep(forMs);
  if (forMs < STALL_MS) await moveClock(pool, STALL_MS - forMs);
  await sleep(SECOND);
  resume?.();
}

function cutsBySide(proxies: readonly FaultProxy[]): Record<string, number> {
  const sides = groupBy(proxies, ({ name }) => name);
  const cuts = (side: readonly FaultProxy[]) => side.reduce((sum, { counts }) => sum + counts.cut, 0);
  return Object.fromEntries(Array.from(sides, ([name, side]) => [`connections cut: ${name}`, cuts(side)]));
}
