import { untilOver } from '../../bench/measure.ts';
import { addConnection, addressOf, changeConnection } from '../../src/connections/connections.ts';
import { monotonicMs, SECOND, systemClock } from '../../src/kit/clock.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { seededRandom } from '../../test/support/seededRandom.ts';
import { openFaultProxy } from '../faultProxy.ts';
import { startInstallation } from '../installation.ts';
import { statusesOf } from '../merchants.ts';
import { startPostgres } from '../postgres.ts';
import type { ScenarioResult } from '../report.ts';
import { runStore } from '../store.ts';
import { auditStore } from '../storeAudit.ts';
import { crashAt, cut, cutsBySide, kill, stall } from '../troubles.ts';

interface StoreCallsOptions {
  seconds: number;
  seed: number;
  say: (line: string) => void;
}

const ORDERS_A_SECOND = 4;
/**
 * So long that a worker stands still past its lease by itself: the clock, by which calls keep their order, is not moved while the store
 * sends.
 */
const SECONDS_LEAST = 80;
const WORKERS = ['postmark', 'postmark', 'postmark', 'smtp'] as const;

/** A store's orders while processes, database and connections fail. What is told of them must be what the store said, once. */
export async function runStoreCalls({ seconds, seed, say }: StoreCallsOptions): Promise<ScenarioResult> {
  const chance = seededRandom(seed);
  const postgres = await startPostgres();
  const database = await openFaultProxy('database', () => ({ path: postgres.socket }), chance);
  const throughProxy = { url: postgres.urlThrough(database.port), pool: () => postgres.pool };
  const installation = await startInstallation(throughProxy, chance, { workers: WORKERS });
  const { fleet, providers, shops, baseUrl, env } = installation;
  const proxies = [database, ...installation.proxies];

  const deps = { pool: postgres.pool, clock: systemClock, sealer: createSealer([env.postmark.SECRET_KEY]) };
  const asked = { kind: 'woocommerce', name: null, secret: null, storeUrl: null, credentials: null } as const;
  const businessId = shops[0]?.businessId ?? '';
  const added = await addConnection(deps, { ...asked, businessId, actor: 'operator' });
  await changeConnection(deps, added.connection, { status: 'live' }, 'operator');
  const store = { address: addressOf(baseUrl, added.connection), secret: added.secret ?? '', chance };

  const forSeconds = Math.max(seconds, SECONDS_LEAST);
  const orders = forSeconds * ORDERS_A_SECOND;
  say(`${orders} orders over ${forSeconds} s, seed ${seed}`);
  const began = monotonicMs();
  const until = began + forSeconds * SECOND;
  const live = () => runStore(orders, forSeconds * SECOND * 0.75, store);
  const [stored, crashes] = await untilOver(live, async (allSent) => {
    const isOver = (): boolean => allSent() && monotonicMs() >= until;
    const [first, second] = await Promise.all([
      crashAt(postgres, began + forSeconds * SECOND * 0.3),
      crashAt(postgres, began + forSeconds * SECOND * 0.6),
      kill(fleet, isOver),
      cut(proxies, isOver),
      stall(fleet, postgres, began + forSeconds * SECOND * 0.1, until),
    ]);
    return [first, second];
  });
  say(`all sent after ${Math.round((monotonicMs() - began) / SECOND)} s; healing`);
  const { unexpected, statuses } = stored;
  const { figures, broken } = await installation.finish({
    acknowledged: [],
    inconsistent: [],
    unexpected,
    statuses,
  });
  const told = await auditStore(postgres.pool, stored, providers.log);
  return {
    figures: {
      'calls of the store, each until it was answered': stored.calls,
      'answers by status (0: none)': statusesOf(statuses),
      'processes killed (kill -9)': fleet.counts.kills,
      'workers stopped past their lease and continued': fleet.counts.stalls,
      'database crashes': crashes.length,
      ...cutsBySide(proxies),
      ...told.figures,
      ...figures,
      'seconds in all': Math.round((monotonicMs() - began) / SECOND),
    },
    broken: { ...told.broken, ...broken },
  };
}
