import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { createBusiness } from '../../src/businesses/create.ts';
import type { Pool } from '../../src/db/pool.ts';
import { SECOND, systemClock } from '../../src/kit/clock.ts';
import { expectStatus, Shop } from '../../test/support/shop.ts';
import { systemPostgresFolder } from '../../test/support/systemPostgres.ts';
import { auditRun } from '../audit.ts';
import { hasCitus, startCitusCluster } from '../citusCluster.ts';
import { runFolder } from '../cleanup.ts';
import { type FaultyReceiver, openFaultyReceiver } from '../faultyReceiver.ts';
import { startFleet } from '../fleet.ts';
import { openLoadBalancer } from '../loadBalancer.ts';
import { pushAll } from '../merchants.ts';
import { callsFor } from '../orders.ts';
import { openProviderServers } from '../providers/providerServers.ts';
import { createReportSender } from '../providers/reports.ts';
import { check, type ScenarioReport } from '../report.ts';
import { seededRandom } from '../seededRandom.ts';
import { settle } from '../settle.ts';
import { pushAtSteadyRate } from '../steadyShops.ts';

const SHOPS = 8;
const PUSHES = 800;
const OVER_MS = 24 * SECOND;
const LOST_AFTER_MS = 6 * SECOND;
const LOST_FOR_SECONDS = 8;
const STEADY_EVERY_MS = 200;
/** The shops on the other worker push all the time: so long without a nudge, and they would be standing still. */
const NUDGES_APART_MAX_MS = 3 * SECOND;
const CONNECTIONS = 32;
const NOT_INSTALLED =
  'it needs a Postgres of the operating system with the extension citus, for a coordinator and two workers.';

/** A worker of a Citus cluster is killed under load and started again; nothing else fails. */
export async function runCluster({ seed }: { seed: number }): Promise<ScenarioReport> {
  const scenario = 'A worker of a Citus cluster is killed and comes back';
  const programs = systemPostgresFolder();
  if (programs === null || !hasCitus(programs))
    return { scenario, skipped: NOT_INSTALLED, figures: {}, checks: [] };
  const chance = seededRandom(seed);
  const folder = await runFolder();
  const cluster = await startCitusCluster(programs, folder.path);
  const agent = new Agent({ connections: CONNECTIONS });
  const closers: (() => Promise<void> | void)[] = [() => agent.destroy()];
  try {
    const { baseUrl, targets, proxy } = await openLoadBalancer(chance);
    const reports = createReportSender(baseUrl);
    const providers = await openProviderServers(reports, chance);
    providers.heal();
    closers.push(proxy.close, providers.close);
    const receivers = await Promise.all(
      Array.from({ length: SHOPS }, () => openFaultyReceiver(chance, 'some')),
    );
    for (const receiver of receivers) {
      receiver.heal();
      closers.push(receiver.close);
    }
    const env = {
      DATABASE_URL: cluster.url,
      SECRET_KEY: 'the same secret for every process',
      PUBLIC_URL: baseUrl,
      RATE_LIMIT_PER_SECOND: '0',
      WEBHOOK_ALLOW_HOSTS: receivers.map(({ port }) => `127.0.0.1:${port}`).join(','),
      ...providers.env.postmark,
    };
    const fleet = await startFleet({ api: [env, env], workers: [env, env] }, chance);
    closers.unshift(fleet.stop);
    targets.push(...fleet.apiPorts);
    await fleet.allUp();

    const endpoints = new Map<string, FaultyReceiver>();
    const shops: { businessId: string; apiKey: string; worker: number }[] = [];
    for (const receiver of receivers) {
      const business = { name: 'Shop', credits: 1_000_000 };
      const { businessId, apiKey } = await createBusiness(cluster.pool, systemClock, business);
      const endpoint = expectStatus<{ id: string; secret: string }>(
        201,
        await new Shop(baseUrl, businessId, apiKey).call('POST', '/api/v1/webhook-endpoints', {
          body: { url: `http://127.0.0.1:${receiver.port}/hook` },
        }),
      );
      receiver.secret = endpoint.secret;
      endpoints.set(endpoint.id, receiver);
      shops.push({ businessId, apiKey, worker: await cluster.workerOf(businessId) });
    }
    const lost = shops[0]?.worker ?? 0;
    const others = shops.filter(({ worker }) => worker !== lost);
    const steady = others.map(({ businessId, apiKey }) => ({
      businessId,
      client: { baseUrl, apiKey, dispatcher: agent },
    }));

    const [pushed, { answers: beside, killedAt, nudgedAt, backAt }] = await Promise.all([
      pushAll(callsFor(PUSHES, SHOPS), {
        baseUrl,
        apiKeys: shops.map(({ apiKey }) => apiKey),
        overMs: OVER_MS,
        chance,
      }),
      loseWorker(),
    ]);
    await settle(cluster.pool);
    await reports.allDelivered();
    const left = await settle(cluster.pool);
    const found = await auditRun({
      pool: cluster.pool,
      businessIds: shops.map(({ businessId }) => businessId),
      pushed,
      providerLog: providers.providerLog,
      receivers: endpoints,
    });
    const refused = beside.filter(({ status }) => status !== 201);
    return {
      scenario,
      figures: {
        'shops, and of them on the worker that stays': `${shops.length}, ${others.length}`,
        'pushes acknowledged': pushed.acknowledged.length,
        'answers by status (0: none)': Object.entries(pushed.statuses)
          .map(([status, count]) => `${status}: ${count}`)
          .join(', '),
        'pushes of the other shops while it was gone': beside.length,
        'nudges of the other shops while it was gone': nudgedAt.length,
        'the longest time without one, in ms': longestGap([killedAt, ...nudgedAt, backAt]),
        'sends with an unknown outcome': found.figures['sends failed (outcome_unknown)'] ?? 0,
      },
      checks: [
        ...found.checks,
        check('nothing is left to do', left.sends + left.deliveries === 0 ? [] : [JSON.stringify(left)]),
        check(
          'pushes of shops on the other worker go on meanwhile',
          beside.length === 0 ? ['none was tried'] : refused.map(({ status, text }) => `${status} ${text}`),
        ),
        check(
          'nudges of shops on the other worker go on meanwhile',
          longestGap([killedAt, ...nudgedAt, backAt]) < NUDGES_APART_MAX_MS ? [] : ['they stood still'],
        ),
        check(
          'the log says that nudges wait for a shard',
          fleet.logged('some shards do not answer: the nudges of their shops wait').length > 0
            ? []
            : ['no line says so'],
        ),
        check('no process ended by itself', fleet.endedByThemselves),
        check('no process was restarted', fleet.counts.starts === 4 ? [] : [`${fleet.counts.starts} starts`]),
      ],
    };

    /** Resolves to the pushes of the shops on the other worker while this one is gone, with the times of their nudges. */
    async function loseWorker() {
      // Each process has seen each key by then.
      await sleep(LOST_AFTER_MS);
      const killedAt = systemClock.now().getTime();
      cluster.killWorker(lost);
      const answers = await pushAtSteadyRate(steady, 'Meanwhile', {
        everyMs: STEADY_EVERY_MS,
        seconds: LOST_FOR_SECONDS,
      });
      const backAt = systemClock.now().getTime();
      const nudgedAt = await nudgesOf(
        cluster.pool,
        others.map(({ businessId }) => businessId),
        new Date(killedAt),
      );
      await cluster.startWorker(lost);
      return { answers, killedAt, nudgedAt, backAt };
    }
  } finally {
    for (const close of closers) await close();
    await cluster.stop();
    await folder.remove();
  }
}

/** When emails of these shops went to the provider, in order. Asks shop by shop, since a worker is gone. */
async function nudgesOf(pool: Pool, businessIds: readonly string[], since: Date): Promise<number[]> {
  const found = await Promise.all(
    businessIds.map((businessId) =>
      pool.query<{ submitted_at: Date }>(
        'select submitted_at from sends where business_id = $1 and submitted_at > $2',
        [businessId, since],
      ),
    ),
  );
  return found
    .flatMap(({ rows }) => rows.map(({ submitted_at }) => submitted_at.getTime()))
    .sort((a, b) => a - b);
}

const longestGap = (times: readonly number[]): number =>
  Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
