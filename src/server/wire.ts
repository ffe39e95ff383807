import type { FastifyInstance } from 'fastify';
import type { Dispatcher } from 'undici';
import { buildApp } from '../api/app.ts';
import { createAuthentication } from '../api/auth.ts';
import type { Metrics } from '../api/metrics.ts';
import { openApiDocument } from '../api/openapi.ts';
import { deliveryOperations } from '../api/operations/deliveries.ts';
import { endpointOperations } from '../api/operations/endpoints.ts';
import { erasureOperations } from '../api/operations/erasure.ts';
import { eventOperations } from '../api/operations/events.ts';
import { keyOperations } from '../api/operations/keys.ts';
import { messageOperations } from '../api/operations/messages.ts';
import { pushOperations } from '../api/operations/push.ts';
import { recipientOperations } from '../api/operations/recipients.ts';
import { usageOperations } from '../api/operations/usage.ts';
import { createRateLimit } from '../api/rateLimit.ts';
import { systemRoutes } from '../api/system.ts';
import { deactivateDemo } from '../businesses/demo.ts';
import { createKeyUses } from '../businesses/keyUses.ts';
import { sandboxOn } from '../config/config.ts';
import type { DatabaseClock } from '../db/databaseClock.ts';
import type { Pool } from '../db/pool.ts';
import { type EventFeed, openEventFeed } from '../events/feed.ts';
import { clientAddressBehind, isProxyAmong } from '../kit/clientAddress.ts';
import { monotonicMs } from '../kit/clock.ts';
import { endDemoSessions } from '../members/demoLink.ts';
import { dashboardRoutes } from '../pages/dashboard/routes.ts';
import { homeRoutes } from '../pages/home/routes.ts';
import { inboxRoutes } from '../pages/inbox/routes.ts';
import { errorPages } from '../pages/kit/errorPages.tsx';
import { openSite } from '../pages/kit/page.tsx';
import { referenceRoutes } from '../pages/reference/routes.ts';
import { sandboxRoutes } from '../pages/sandbox/routes.ts';
import { createPushes, type Pushes } from '../push/pushes.ts';
import { reviewApiOf } from '../templates/reviews.ts';
import { prepareTranslations } from '../templates/templates.ts';
import type { HostCheck } from '../webhooks/endpointUrl.ts';
import { createGuardedClient } from '../webhooks/guardedClient.ts';
import { createAllowList, createResolver } from '../webhooks/publicAddress.ts';
import { type Background, startBackground } from './background.ts';
import { providerCallbacks } from './callbacks.ts';
import { createChannelsReport } from './channelsReport.ts';
import { createFoundation, type Foundation, type Wiring } from './foundation.ts';
import { watchHealth } from './healthMetrics.ts';
import { type MemberMail, openMemberMail } from './memberMail.ts';
import { createReadiness } from './readiness.ts';
import { sandboxDeps } from './sandbox.ts';

export interface Service {
  app: FastifyInstance;
  pool: Pool;
  clock: DatabaseClock;
  metrics: Metrics;
  /** Stops accepting requests, finishes or releases claimed work, and closes the database pool. */
  stop(): Promise<void>;
}

/** The composition root. Tests and production call the same function. */
export async function wire(wiring: Wiring): Promise<Service> {
  const foundation = await createFoundation(wiring);
  const { pool, clock, hash, log } = foundation;
  // Before any worker starts: the demo's queued sends must not reach a real provider.
  if (!sandboxOn(wiring.config) && (await deactivateDemo(pool, clock))) {
    await endDemoSessions(pool);
    log.warn({}, DEMO_INACTIVE);
  }
  await prepareTranslations(pool, wiring.config.providers.whatsapp === 'sandbox');
  const allowHosts = createAllowList(wiring.config.webhookAllowHosts);
  const { nameServers } = wiring;
  const resolve = createResolver(nameServers === undefined ? {} : { nameServers });
  const client = createGuardedClient({ resolve, allowHosts });
  const hosts: HostCheck = {
    resolve,
    allowHosts,
    unresolved: sandboxOn(wiring.config) ? 'accept' : 'refuse',
  };
  const feed = openEventFeed({ pool, clock, log });
  const { watchPool } = watchHealth(foundation);
  const background = startBackground(foundation, client, watchPool);
  const pushes = createPushes(
    {
      pool,
      clock,
      hash,
      render: (result) => JSON.stringify(result),
      onSendsOf: background.onSendsOf,
      onEvents: background.onEvents,
      onSkipped: foundation.metrics.observeSkipped,
      tracing: foundation.tracing,
    },
    foundation.connections.pushes,
  );
  const memberMail = openMemberMail(foundation);
  const app = serve(foundation, background, pushes, feed, memberMail, { client, hosts });
  return {
    app,
    pool,
    clock,
    metrics: foundation.metrics,
    stop: async () => {
      await Promise.all([feed.stop(), app.close(), background.stop()]);
      await Promise.all([pushes.idle(), memberMail.close()]);
      await client.destroy();
      await foundation.http.destroy();
      clock.stop();
      await Promise.all([pool.end(), foundation.tracing?.stop()]);
    },
  };
}

const DEMO_INACTIVE =
  'The demo business is inactive while the sandbox is off, and its API keys are refused: create a business of your own (npm run -s waypost -- business create).';

/** The HTTP application: the API and the pages in a process with the api role, health in every process. */
function serve(
  foundation: Foundation,
  background: Background,
  pushes: Pushes,
  feed: EventFeed,
  { sendSignInLink }: MemberMail,
  outside: { client: Dispatcher; hosts: HostCheck },
): FastifyInstance {
  const { config, pool, clock, hash, sealer, log, metrics, tracing, publicUrl, secretKeys, siblings } =
    foundation;
  const { onSends, onEvents } = background;
  const operations = [
    ...pushOperations({
      pushes,
      clock,
      hash,
      preview: { pool, clock, hash, publicUrl },
      ratePerSecond: config.rateLimit.perSecond,
    }),
    ...messageOperations({ pool, clock, hash, onSends, onEvents }),
    ...usageOperations({ pool, clock }),
    ...keyOperations({ pool, clock }),
    ...recipientOperations({ pool, clock, hash }),
    ...erasureOperations({ pool, clock, hash, onEvents }),
    ...endpointOperations({ pool, clock, log, sealer, ...outside }),
    ...deliveryOperations({ pool, clock, hash, sealer, onEvents }),
    ...eventOperations({ feed }),
  ];
  metrics.gauge('waypost_waiting_calls', 'Calls that wait for an event.', async () => feed.waiting());
  const clientAddress = clientAddressBehind(config.trustedProxies);
  const document = openApiDocument(operations, publicUrl);
  const site = openSite({ publicUrl, sandbox: sandboxOn(config) });
  const system = systemRoutes({
    readiness: createReadiness({ ...foundation, writesStalled: pushes.stalled }),
    metrics: siblings
      ? { ...metrics, text: siblings.metricsText, openMetrics: siblings.openMetricsText }
      : metrics,
    document,
    operatorToken: config.operatorToken,
  });
  const inbox = (app: FastifyInstance) =>
    inboxRoutes(app, {
      pool,
      clock,
      log,
      publicUrl,
      secretKey: secretKeys[0] ?? '',
      olderSecretKeys: secretKeys.slice(1),
      hasher: hash,
      clientAddress,
      onEvents,
      onSends,
    });
  const dashboard = dashboardRoutes({
    pool,
    clock,
    log,
    hash,
    sealer,
    ...outside,
    site,
    clientAddress,
    sendSignInLink,
    onSends,
    onEvents,
    operator: {
      providerNames: config.providers,
      providers: createChannelsReport(foundation),
      templateReview: reviewApiOf(config.providerSettings.whatsapp, foundation.http),
    },
  });
  const sandbox = sandboxDeps(foundation, background, site);
  const callbacks = providerCallbacks(foundation, background);
  const pages = [
    system,
    inbox,
    dashboard,
    callbacks,
    homeRoutes(sandbox),
    referenceRoutes({ site, document }),
  ];
  if (site.sandbox) pages.push(sandboxRoutes(sandbox));
  const { api } = config.roles;
  const keyUses = createKeyUses({ pool, clock, log });
  const app = buildApp({
    log,
    clock,
    hash,
    clientAddress,
    isTrustedProxy: isProxyAmong(config.trustedProxies),
    metrics,
    tracing,
    authentication: createAuthentication(pool, monotonicMs, keyUses.note),
    rateLimit: createRateLimit(config.rateLimit),
    operations: api ? operations : [],
    pages: api ? pages : [system],
    ...(api && { errorPage: errorPages(site) }),
    limits: foundation.httpLimits ?? {},
  });
  app.addHook('onClose', () => keyUses.idle());
  return app;
}
