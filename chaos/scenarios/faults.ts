import { untilOver } from '../../bench/measure.ts';
import { monotonicMs, SECOND } from '../../src/kit/clock.ts';
import { seededRandom } from '../../test/support/seededRandom.ts';
import { openFaultProxy } from '../faultProxy.ts';
import { startInstallation } from '../installation.ts';
import { callsFor, pushAll, pushFigures } from '../merchants.ts';
import { startPostgres } from '../postgres.ts';
import type { ScenarioResult } from '../report.ts';
import { crashAt, cut, cutsBySide, kill, stall } from '../troubles.ts';

interface FaultsOptions {
  pushes: number;
  /** How long faults are injected. */
  seconds: number;
  seed: number;
  say: (line: string) => void;
}

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
      crashAt(postgres, began + seconds * SECOND * 0.5),
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
