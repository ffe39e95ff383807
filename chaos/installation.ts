import { createBusiness } from '../src/businesses/create.ts';
import type { Pool } from '../src/db/pool.ts';
import { systemClock } from '../src/kit/clock.ts';
import type { SeededRandom } from '../test/support/seededRandom.ts';
import { expectStatus, Shop } from '../test/support/shop.ts';
import { eventually } from '../test/support/waiting.ts';
import { auditRun } from './audit.ts';
import { openFaultProxy, openLoadBalancer } from './faultProxy.ts';
import { type FaultyReceiver, openFaultyReceiver } from './faultyReceiver.ts';
import { startFleet } from './fleet.ts';
import type { MerchantsOptions, PushResults } from './merchants.ts';
import { openProviderServers } from './providers/providerServers.ts';
import { unless } from './report.ts';
import { isFinished, settle } from './settle.ts';

export interface ChaosDatabase {
  readonly url: string;
  /** Around every proxy. */
  readonly pool: () => Pool;
}

const CREDITS = 1_000_000;
const LINE_SHOWN = 1_000;

/**
 * What stands around the processes: a load balancer before them, providers, and shops with webhook receivers. Nothing of it
 * fails unless the receivers do: then the providers do, too, until they are healed.
 */
export async function openSurroundings(
  database: ChaosDatabase,
  chance: SeededRandom,
  faults: readonly FaultyReceiver['faults'][] = ['none'],
) {
  const front = await openLoadBalancer(chance);
  const baseUrl = `http://127.0.0.1:${front.port}`;
  const providers = await openProviderServers(baseUrl, chance);
  const receivers = await Promise.all(faults.map((kind) => openFaultyReceiver(chance, kind)));
  const hooks = await Promise.all(
    receivers.map(({ port }) => openFaultProxy('receivers', () => ({ host: '127.0.0.1', port }), chance)),
  );
  const heal = (): void => {
    providers.faults.heal();
    for (const receiver of receivers) if (receiver.faults === 'some') receiver.faults = 'none';
  };
  if (faults.every((kind) => kind === 'none')) heal();
  const common = {
    DATABASE_URL: database.url,
    SECRET_KEY: '7d0c4c1fa2e5497b8c1e0d5f6a3b9274',
    PUBLIC_URL: baseUrl,
    RATE_LIMIT_PER_SECOND: '0',
    WEBHOOK_ALLOW_HOSTS: hooks.map(({ port }) => `127.0.0.1:${port}`).join(','),
  };
  const shops: Shop[] = [];
  const endpoints = new Map<string, FaultyReceiver>();
  return {
    baseUrl,
    /** The ports of the API processes, which the load balancer leads to. */
    targets: front.targets,
    providers,
    receivers,
    proxies: [front, ...providers.proxies, ...hooks],
    shops,
    /** The settings of a process, by its email provider. */
    env: {
      postmark: { ...common, ...providers.env.postmark },
      smtp: { ...common, ...providers.env.smtp },
      postmarkThenResend: { ...common, ...providers.env.postmarkThenResend },
    },
    /** Creates the next receiver's endpoint for a shop. */
    async addEndpoint(shop: Shop, eventTypes?: string[]): Promise<void> {
      const receiver = receivers[endpoints.size];
      if (!receiver) throw new Error('there are more endpoints than receivers');
      const url = `http://127.0.0.1:${hooks[endpoints.size]?.port}/hook`;
      const body = { url, ...(eventTypes && { event_types: eventTypes }) };
      const { id, secret } = await eventually(async () => {
        const answer = await shop.call('POST', '/api/v1/webhook-endpoints', { body });
        return expectStatus<{ id: string; secret: string }>(201, answer);
      });
      receiver.secret = secret;
      endpoints.set(id, receiver);
      if (!shops.includes(shop)) shops.push(shop);
    },
    heal,
    /** Waits until nothing is left to do, and audits. */
    async finish(pushed: PushResults) {
      const pool = database.pool();
      await settle(pool);
      await providers.allReported();
      const left = await settle(pool);
      const businessIds = shops.map(({ businessId }) => businessId);
      const sources = { pool, businessIds, pushed, providerLog: providers.log, receivers: endpoints };
      const { figures, broken } = await auditRun(sources);
      broken['nothing is left to do'] = unless(isFinished(left), left);
      return { figures, broken };
    },
  };
}

type EmailChoice = 'postmark' | 'smtp' | 'postmarkThenResend';

interface InstallationPlan {
  /** Of each shop. */
  credits?: readonly number[];
  /** The email provider of the API processes, which take its reports. */
  api?: EmailChoice;
  /** The email provider of each worker. */
  workers?: readonly EmailChoice[];
  /** Of each shop's receiver, and of a second one of the first shop. */
  faults?: readonly FaultyReceiver['faults'][];
}

/** Two API processes and workers with shops. */
export async function startInstallation(
  database: ChaosDatabase,
  chance: SeededRandom,
  {
    credits = [CREDITS],
    api = 'postmark',
    workers = ['postmark', 'postmark'],
    faults = credits.map(() => 'none'),
  }: InstallationPlan = {},
) {
  const around = await openSurroundings(database, chance, faults);
  const { baseUrl, env, targets, shops } = around;
  const processes = { api: [env[api], env[api]], workers: workers.map((email) => env[email]) };
  const fleet = await startFleet(processes, chance);
  targets.push(...fleet.apiPorts);
  for (const each of credits) {
    const plan = { name: 'Shop', credits: each };
    const { businessId, apiKey } = await createBusiness(database.pool(), systemClock, plan);
    await around.addEndpoint(new Shop(baseUrl, businessId, apiKey));
  }
  const merchants: MerchantsOptions = { baseUrl, apiKeys: shops.map(({ apiKey }) => apiKey), chance };
  return {
    ...around,
    fleet,
    merchants,
    async finish(pushed: PushResults) {
      await fleet.allUp();
      // An answer says nothing of its cause, and the log is gone after the run.
      const [first] = pushed.unexpected;
      if (first !== undefined) {
        const lines = fleet.logged('request failed').map((line) => line.slice(0, LINE_SHOWN));
        pushed.unexpected[0] = [first, ...lines].join('\n  ');
      }
      const { figures, broken } = await around.finish(pushed);
      broken['no process ended by itself'] = fleet.endedByThemselves;
      const { kills, starts } = fleet.counts;
      if (kills === 0) broken['no process was restarted'] = unless(starts === fleet.size, fleet.counts);
      return { figures, broken };
    },
  };
}
