import type { FastifyInstance } from 'fastify';
import type { Dispatcher } from 'undici';
import { buildApp } from '../api/app.ts';
import { createAuthentication } from '../api/auth.ts';
import { openApiDocument } from '../api/openapi.ts';
import type { AnyOperation } from '../api/operation.ts';
import { deliveryOperations } from '../api/operations/deliveries.ts';
import { endpointOperations } from '../api/operations/endpoints.ts';
import { erasureOperations } from '../api/operations/erasure.ts';
import { eventOperations } from '../api/operations/events.ts';
import { keyOperations } from '../api/operations/keys.ts';
import { messageOperations } from '../api/operations/messages.ts';
import { orderOperations } from '../api/operations/orders.ts';
import { pushOperations } from '../api/operations/push.ts';
import { recipientOperations } from '../api/operations/recipients.ts';
import { textOperations } from '../api/operations/texts.ts';
import { trackingOperations } from '../api/operations/tracking.ts';
import { usageOperations } from '../api/operations/usage.ts';
import { createRateLimit } from '../api/rateLimit.ts';
import { systemRoutes } from '../api/system.ts';
import { deactivateDemo } from '../businesses/demo.ts';
import { mailServerOf } from '../businesses/domains/records.ts';
import { createKeyUses } from '../businesses/keyUses.ts';
import type { PushResult } from '../contract/push.ts';
import { sandboxOn } from '../environment/config.ts';
import { smsSendersTo } from '../environment/smsRoutes.ts';
import { type EventFeed, openEventFeed } from '../events/feed.ts';
import { type ClientAddress, clientAddressBehind, isProxyAmong } from '../kit/clientAddress.ts';
import { monotonicMs } from '../kit/clock.ts';
import { createSlots } from '../kit/slots.ts';
import { mcpRoutes } from '../mcp/routes.ts';
import { endDemoSessions } from '../members/demoLink.ts';
import { openIssuer } from '../members/oidcIssuer.ts';
import { dashboardRoutes } from '../pages/dashboard/routes.ts';
import { homeRoutes } from '../pages/home/routes.ts';
import { inboxRoutes } from '../pages/inbox/routes.ts';
import { errorPages } from '../pages/kit/errorPages.tsx';
import { openSite, type Site } from '../pages/kit/page.tsx';
import { createReadReader } from '../pages/reference/reader.ts';
import { referenceRoutes } from '../pages/reference/routes.ts';
import { sandboxRoutes } from '../pages/sandbox/routes.ts';
import { createPreviews, type Previews } from '../push/preview.ts';
import { createPushes, type Pushes } from '../push/pushes.ts';
import { reviewApiOf } from '../templates/reviews.ts';
import { prepareTranslations } from '../templates/templates.ts';
import { createTracking, type Tracking } from '../tracking/tracking.ts';
import type { HostCheck } from '../webhooks/endpointUrl.ts';
import { createGuardedClient } from '../webhooks/guardedClient.ts';
import { createAllowList, createResolver } from '../webhooks/publicAddress.ts';
import { type Background, startBackground } from './background.ts';
import { providerCallbacks } from './callbacks.ts';
import { createChannelsReport } from './channelsReport.ts';
import { type ConnectionWork, connectionCallbacks, startConnectionWork } from './connections.ts';
import { createFoundation, type Foundation, type Wiring } from './foundation.ts';
import { watchHealth } from './healthMetrics.ts';
import { explainListenError } from './listening.ts';
import { type MemberMail, openMemberMail } from './memberMail.ts';
import { createReadiness } from './readiness.ts';
import { sandboxDeps } from './sandbox.ts';
import type { Shutdown } from './signals.ts';

export type Service = Awaited<ReturnType<typeof wire>>;

/** The composition root. Tests and production call the same function. */
export async function wire(wiring: Wiring) {
  const foundation = await createFoundation(wiring);
  const { pool, clock, log } = foundation;
  // Before any worker starts: the demo's queued sends must not reach a real provider.
  if (!sandboxOn(wiring.config) && (await deactivateDemo(pool, clock))) {
    await endDemoSessions(pool);
    log.warn({}, DEMO_INACTIVE);
  }
  await prepareTranslations(pool, wiring.config.providerSettings.whatsapp.length === 0);
  const allowHosts = createAllowList(wiring.config.webhookAllowHosts);
  const { nameServers } = wiring;
  const resolve = createResolver(nameServers === undefined ? {} : { nameServers });
  const client = createGuardedClient({ resolve, allowHosts });
  const unresolved = sandboxOn(wiring.config) ? 'accept' : 'refuse';
  const hosts: HostCheck = { resolve, allowHosts, unresolved };
  const feed = openEventFeed({ pool, clock, log });
  const { watchPool } = watchHealth(foundation);
  const background = startBackground(foundation, client, watchPool);
  const accept = {
    ...foundation,
    ...background,
    render: (result: PushResult) => JSON.stringify(result),
    onSkipped: foundation.metrics.observeSkipped,
  };
  const concurrency = foundation.connections.pushes;
  const waiting = { deferredSlots: createSlots(concurrency.deferred + concurrency.spareSingle) };
  const pushes = createPushes(accept, concurrency, waiting);
  const tracking = createTracking(accept, concurrency, waiting);
  const previews = createPreviews(foundation);
  const connectionWork = startConnectionWork(foundation, { pushes, previews, tracking }, client);
  const memberMail = openMemberMail(foundation);
  const works = [...connectionWork.works, ...background.works];
  const own = { pushes, previews, tracking, feed, memberMail, client, hosts, connectionWork, works };
  const app = serve({ ...foundation, ...background, ...own });
  return {
    app,
    pool,
    clock,
    metrics: foundation.metrics,
    /** Stops accepting requests, finishes or releases claimed work, and closes the database pool. */
    async stop(): Promise<void> {
      await Promise.all([feed.stop(), app.close(), background.stop(), connectionWork.stop()]);
      await Promise.all([pushes.idle(), tracking.idle(), memberMail.close()]);
      await client.destroy();
      await foundation.http.destroy();
      clock.stop();
      await Promise.all([pool.end(), foundation.tracing?.stop()]);
    },
  };
}

/** Starts the service in this process. It listens unless `port` is null. */
export async function runService(wiring: Wiring, port: number | null, shutdown: Shutdown): Promise<Service> {
  const service = await wire(wiring);
  shutdown.add(service.stop);
  const { host } = wiring.config;
  if (port !== null)
    await service.app.listen({ host, port }).catch((error: unknown) => {
      throw explainListenError(error, host, port);
    });
  return service;
}

const DEMO_INACTIVE =
  'The demo business is inactive while the sandbox is off, and its API keys are refused: create a business of your own (npm run -s waypost -- business create).';

interface ServeDeps extends Foundation, Background {
  pushes: Pushes;
  previews: Previews;
  tracking: Tracking;
  feed: EventFeed;
  memberMail: MemberMail;
  connectionWork: ConnectionWork;
  client: Dispatcher;
  hosts: HostCheck;
}

/** The HTTP application: the API and the pages in a process with the api role, health in every process. */
function serve(deps: ServeDeps): FastifyInstance {
  const { config, pool, clock, log, metrics, publicUrl, siblings } = deps;
  const operations = operationsOf(deps);
  const document = openApiDocument(operations, publicUrl);
  const system = systemRoutes({
    readiness: createReadiness({ ...deps, writesStalled: deps.pushes.stalled }),
    metrics: siblings
      ? { ...metrics, text: siblings.metricsText, openMetrics: siblings.openMetricsText }
      : metrics,
    document,
    operatorToken: config.operatorToken,
  });
  metrics.gauge('waypost_waiting_calls', 'Calls that wait for an event.', async () => deps.feed.waiting());
  const site = openSite({ publicUrl, sandbox: sandboxOn(config) });
  const clientAddress = clientAddressBehind(config.trustedProxies);
  const { api } = config.roles;
  const keyUses = createKeyUses({ pool, clock, log });
  const app = buildApp({
    ...deps,
    clientAddress,
    isTrustedProxy: isProxyAmong(config.trustedProxies),
    authentication: createAuthentication(pool, monotonicMs, keyUses.note),
    rateLimit: createRateLimit(config.rateLimit),
    operations: api ? operations : [],
    pages: api ? [system, ...pagesOf(deps, site, clientAddress, document)] : [system],
    ...(api && { errorPage: errorPages(site) }),
    limits: deps.httpLimits ?? {},
  });
  app.addHook('onClose', () => keyUses.idle());
  return app;
}

const operationsOf = (deps: ServeDeps): AnyOperation[] => [
  ...pushOperations({ ...deps, ratePerSecond: deps.config.rateLimit.perSecond }),
  ...messageOperations(deps),
  ...orderOperations(deps),
  ...trackingOperations({ ...deps, ratePerSecond: deps.config.rateLimit.perSecond }),
  ...textOperations(deps),
  ...usageOperations(deps),
  ...keyOperations(deps),
  ...recipientOperations(deps),
  ...erasureOperations(deps),
  ...endpointOperations(deps),
  ...deliveryOperations(deps),
  ...eventOperations(deps),
];

/** Everything outside of the API that a process with the api role serves. */
function pagesOf(
  deps: ServeDeps,
  site: Site,
  clientAddress: ClientAddress,
  document: Record<string, unknown>,
): ((app: FastifyInstance) => void)[] {
  const { config, secretKeys, hash: hasher } = deps;
  const [secretKey = '', ...olderSecretKeys] = secretKeys;
  const dashboard = dashboardRoutes({
    ...deps,
    site,
    oidc: config.oidc && openIssuer(config.oidc, { client: deps.http, publicUrl: deps.publicUrl }),
    clientAddress,
    mailServer: mailServerOf(config.providerSettings.email),
    sendSignInLink: deps.memberMail.sendSignInLink,
    smsSendersTo: (country, own) => smsSendersTo(country, own, config),
    sendInvitation: deps.memberMail.sendInvitation,
    operator: {
      providerNames: config.providers,
      providers: createChannelsReport(deps),
      templateReview: reviewApiOf(config.providerSettings.whatsapp, deps.http),
    },
  });
  const sandbox = sandboxDeps(deps, deps, site);
  return [
    (app) => inboxRoutes(app, { ...deps, secretKey, olderSecretKeys, hasher, clientAddress }),
    dashboard,
    providerCallbacks(deps, deps),
    connectionCallbacks(deps, deps.connectionWork, deps.client),
    mcpRoutes(deps),
    homeRoutes(sandbox),
    referenceRoutes({ site, document, readReader: createReadReader(sandbox) }),
    ...(site.sandbox ? [sandboxRoutes(sandbox)] : []),
  ];
}
