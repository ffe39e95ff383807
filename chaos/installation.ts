import { createBusiness } from '../src/businesses/create.ts';
import type { Pool } from '../src/db/pool.ts';
import { systemClock } from '../src/kit/clock.ts';
import { expectStatus, Shop } from '../test/support/shop.ts';
import { auditRun } from './audit.ts';
import { type FaultyReceiver, openFaultyReceiver } from './faultyReceiver.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { openLoadBalancer } from './loadBalancer.ts';
import type { PushResults } from './merchants.ts';
import { openProviderServers } from './providers/providerServers.ts';
import { createReportSender } from './providers/reports.ts';
import { check, type ScenarioReport } from './report.ts';
import type { SeededRandom } from './seededRandom.ts';
import { settle } from './settle.ts';

const LINE_SHOWN = 1_000;

/** Two API processes and two workers behind a load balancer, with providers and webhook receivers that do not fail. */
export interface Installation {
  readonly baseUrl: string;
  readonly fleet: Fleet;
  readonly shops: readonly { businessId: string; apiKey: string }[];
  /** Waits until nothing is left to do, and audits. */
  finish(pushed: PushResults): Promise<Pick<ScenarioReport, 'checks'> & { figures: Record<string, number> }>;
  close(): Promise<void>;
}

export async function startInstallation(
  database: { url: string; pool: () => Pool },
  chance: SeededRandom,
  count = 1,
): Promise<Installation> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closers) await one();
  };
  try {
    const { baseUrl, targets, proxy } = await openLoadBalancer(chance);
    const reports = createReportSender(baseUrl);
    const providers = await openProviderServers(reports, chance);
    providers.heal();
    closers.push(proxy.close, providers.close);
    const receivers = await Promise.all(
      Array.from({ length: count }, () => openFaultyReceiver(chance, 'some')),
    );
    for (const receiver of receivers) {
      receiver.heal();
      closers.push(receiver.close);
    }
    const env = {
      DATABASE_URL: database.url,
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
    const shops: { businessId: string; apiKey: string }[] = [];
    for (const receiver of receivers) {
      const business = { name: 'Shop', credits: 1_000_000 };
      const shop = await createBusiness(database.pool(), systemClock, business);
      const endpoint = expectStatus<{ id: string; secret: string }>(
        201,
        await new Shop(baseUrl, shop.businessId, shop.apiKey).call('POST', '/api/v1/webhook-endpoints', {
          body: { url: `http://127.0.0.1:${receiver.port}/hook` },
        }),
      );
      receiver.secret = endpoint.secret;
      endpoints.set(endpoint.id, receiver);
      shops.push(shop);
    }
    return {
      baseUrl,
      fleet,
      shops,
      async finish(pushed) {
        await settle(database.pool());
        await reports.allDelivered();
        const left = await settle(database.pool());
        // An answer says nothing of its cause, and the log is gone after the run.
        const [first] = pushed.unexpected;
        if (first !== undefined) {
          const lines = fleet.logged('request failed').map((line) => line.slice(0, LINE_SHOWN));
          pushed.unexpected[0] = [first, ...lines].join('\n  ');
        }
        const { checks, figures } = await auditRun({
          pool: database.pool(),
          businessIds: shops.map(({ businessId }) => businessId),
          pushed,
          providerLog: providers.providerLog,
          receivers: endpoints,
        });
        const { starts } = fleet.counts;
        checks.push(
          check('nothing is left to do', left.sends + left.deliveries === 0 ? [] : [JSON.stringify(left)]),
          check('no process ended by itself', fleet.endedByThemselves),
          check('no process was restarted', starts === 4 ? [] : [`${starts} starts`]),
        );
        return { checks, figures };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
