import { setTimeout as sleep } from 'node:timers/promises';
import { createBusiness } from '../../src/businesses/create.ts';
import { monotonicMs, SECOND, systemClock } from '../../src/kit/clock.ts';
import { expectStatus, Shop } from '../../test/support/shop.ts';
import { eventually } from '../../test/support/waiting.ts';
import { auditRun } from '../audit.ts';
import { runFolder } from '../cleanup.ts';
import { type FaultProxy, openFaultProxy } from '../faultProxy.ts';
import { type FaultyReceiver, openFaultyReceiver } from '../faultyReceiver.ts';
import { type Fleet, startFleet } from '../fleet.ts';
import { openLoadBalancer } from '../loadBalancer.ts';
import { pushAll, statusesOf } from '../merchants.ts';
import { callsFor } from '../orders.ts';
import { type ChaosPostgres, startPostgres } from '../postgres.ts';
import { openProviderServers } from '../providers/providerServers.ts';
import { createReportSender } from '../providers/reports.ts';
import { check, type ScenarioReport } from '../report.ts';
import { seededRandom } from '../seededRandom.ts';
import { moveClock, settle } from '../settle.ts';

export interface FaultsOptions {
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
/** The third shop has too few credits for its pushes. */
const CREDITS = [1_000_000, 1_000_000, 50] as const;

/** A whole installation under all faults at once. The audit afterwards must find no violation. */
export async function runFaults({ pushes, seconds, seed, say }: FaultsOptions): Promise<ScenarioReport> {
  const chance = seededRandom(seed);
  const folder = await runFolder();
  const postgres = await startPostgres(folder.path);
  const closers: (() => void)[] = [];
  let fleet: Fleet | null = null;
  try {
    const database = await openFaultProxy('database', postgres.socket, chance);
    const { baseUrl, targets, proxy: front } = await openLoadBalancer(chance);
    const reports = createReportSender(baseUrl);
    const providers = await openProviderServers(reports, chance);
    const receivers = [
      ...(await Promise.all(CREDITS.map(() => openFaultyReceiver(chance, 'some')))),
      await openFaultyReceiver(chance, 'always'),
    ];
    const hooks = await Promise.all(
      receivers.map(({ port }) => openFaultProxy('receivers', () => ({ host: '127.0.0.1', port }), chance)),
    );
    const proxies = [front, database, ...providers.proxies, ...hooks];
    closers.push(providers.close, ...[...receivers, front, database, ...hooks].map(({ close }) => close));

    const common = {
      DATABASE_URL: postgres.urlThrough(database.port),
      SECRET_KEY: 'the same secret for every process',
      PUBLIC_URL: baseUrl,
      RATE_LIMIT_PER_SECOND: '0',
      WEBHOOK_ALLOW_HOSTS: hooks.map(({ port }) => `127.0.0.1:${port}`).join(','),
    };
    const byPostmark = { ...common, ...providers.env.postmark };
    const bySmtp = { ...common, ...providers.env.smtp };
    fleet = await startFleet(
      { api: [byPostmark, byPostmark], workers: [byPostmark, byPostmark, byPostmark, bySmtp] },
      chance,
    );
    targets.push(...fleet.apiPorts);
    await fleet.allUp();
    const shops = await openShops(postgres, baseUrl);
    const endpoints = await createEndpoints(shops, receivers, hooks);

    say(`${pushes} pushes over ${seconds} s, seed ${seed}`);
    const began = monotonicMs();
    const until = began + seconds * SECOND;
    let allPushed = false;
    // On a slow machine the pushes take longer, and the faults last as long as they do.
    const over = (): boolean => allPushed && monotonicMs() >= until;
    const [pushed, crashMs] = await Promise.all([
      pushAll(callsFor(pushes, shops.length), {
        baseUrl,
        apiKeys: shops.map(({ apiKey }) => apiKey),
        // The last quarter of the faults hits sends that are still in progress.
        overMs: seconds * SECOND * 0.75,
        chance,
      }).finally(() => {
        allPushed = true;
      }),
      crashOnce(postgres, began + seconds * SECOND * 0.5),
      kill(fleet, over),
      cut(proxies, over),
      stall(fleet, postgres, began + seconds * SECOND * 0.1, until),
    ]);
    const pushedMs = monotonicMs() - began;
    say(`all pushed after ${Math.round(pushedMs / SECOND)} s; healing`);

    providers.heal();
    for (const receiver of receivers) receiver.heal();
    await fleet.allUp();
    await settle(postgres.pool);
    await reports.allDelivered();
    const left = await settle(postgres.pool);
    say('settled; auditing');

    const found = await auditRun({
      pool: postgres.pool,
      businessIds: shops.map(({ businessId }) => businessId),
      pushed,
      providerLog: providers.providerLog,
      receivers: endpoints,
    });
    const bad = Object.entries(providers.providerLog.faultCounts).filter(([fault]) => fault !== 'answers');
    return {
      scenario: 'Processes, database, network and providers failing at once',
      figures: {
        'pushes acknowledged': pushed.acknowledged.length,
        'answers by status (0: none)': statusesOf(pushed),
        'processes killed (kill -9)': fleet.counts.kills,
        'workers stopped past their lease and continued': fleet.counts.stalls,
        'database crashes': 1,
        'database back after, ms': Math.round(crashMs),
        'starts that found no database': fleet.counts.startsFailed,
        ...cutsBySide(proxies),
        'calls to providers': providers.providerLog.size,
        'of them with a fault': bad.map(([fault, count]) => `${count} ${fault}`).join(', '),
        'delivery reports sent': reports.counts.brought,
        'requests to webhook receivers': receivers.reduce((sum, { counts }) => sum + counts.requests, 0),
        ...found.figures,
        'seconds in all': Math.round((monotonicMs() - began) / SECOND),
      },
      checks: [
        ...found.checks,
        check('nothing is left to do', left.sends + left.deliveries === 0 ? [] : [JSON.stringify(left)]),
        check('no process ended by itself', fleet.endedByThemselves),
      ],
    };
  } finally {
    await fleet?.stop();
    for (const close of closers) close();
    await postgres.stop();
    await folder.remove();
  }
}

const openShops = ({ pool }: ChaosPostgres, baseUrl: string): Promise<Shop[]> =>
  Promise.all(
    CREDITS.map(async (credits, n) => {
      const { businessId, apiKey } = await createBusiness(pool, systemClock, { name: `Shop ${n}`, credits });
      return new Shop(baseUrl, businessId, apiKey);
    }),
  );

/** One endpoint per shop, and for the first a second one that accepts nothing. */
async function createEndpoints(
  shops: readonly Shop[],
  receivers: readonly FaultyReceiver[],
  hooks: readonly FaultProxy[],
): Promise<Map<string, FaultyReceiver>> {
  const endpoints = new Map<string, FaultyReceiver>();
  for (const [n, receiver] of receivers.entries()) {
    const shop = shops[n % shops.length];
    if (!shop) continue;
    const url = `http://127.0.0.1:${hooks[n]?.port}/hook`;
    // A failing endpoint gets one event at a time, so one event type is enough for it to be disabled.
    const body = n < shops.length ? { url } : { url, event_types: ['whatsapp.delivered'] };
    const created = await eventually(async () =>
      expectStatus<{ id: string; secret: string }>(
        201,
        await shop.call('POST', '/api/v1/webhook-endpoints', { body }),
      ),
    );
    receiver.secret = created.secret;
    endpoints.set(created.id, receiver);
  }
  return endpoints;
}

async function kill(fleet: Fleet, over: () => boolean): Promise<void> {
  for (; !over(); await sleep(KILL_EVERY_MS)) fleet.killOne();
}

async function cut(proxies: readonly FaultProxy[], over: () => boolean): Promise<void> {
  for (; !over(); await sleep(CUT_EVERY_MS)) for (const proxy of proxies) proxy.cut(CUT_PART);
}

async function crashOnce(postgres: ChaosPostgres, at: number): Promise<number> {
  await sleep(at - monotonicMs());
  const began = monotonicMs();
  await postgres.crash();
  return monotonicMs() - began;
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

const cutsBySide = (proxies: readonly FaultProxy[]): Record<string, number> => {
  const cuts: Record<string, number> = {};
  for (const { name, counts } of proxies) {
    const figure = `connections cut: ${name}`;
    cuts[figure] = (cuts[figure] ?? 0) + counts.cut;
  }
  return cuts;
};
