import type { FastifyInstance } from 'fastify';
import { buildApp } from '../../src/api/app.ts';
import { type Authentication, createAuthentication } from '../../src/api/auth.ts';
import type { Metrics } from '../../src/api/metrics.ts';
import type { AnyOperation } from '../../src/api/operation.ts';
import { erasureOperations } from '../../src/api/operations/erasure.ts';
import { keyOperations } from '../../src/api/operations/keys.ts';
import { messageOperations } from '../../src/api/operations/messages.ts';
import { orderOperations } from '../../src/api/operations/orders.ts';
import { pushOperations } from '../../src/api/operations/push.ts';
import { recipientOperations } from '../../src/api/operations/recipients.ts';
import { trackingOperations } from '../../src/api/operations/tracking.ts';
import { divideConnections } from '../../src/config/connections.ts';
import { handleDue } from '../../src/connections/worker.ts';
import type { PushResult } from '../../src/contract/push.ts';
import type { Pool } from '../../src/db/pool.ts';
import { clientAddressBehind } from '../../src/kit/clientAddress.ts';
import type { Clock } from '../../src/kit/clock.ts';
import { randomText } from '../../src/kit/ids.ts';
import type { Log } from '../../src/kit/log.ts';
import { createHasher, type Hasher, type Sealer } from '../../src/kit/seal.ts';
import { createSlots } from '../../src/kit/slots.ts';
import { applyWaiting } from '../../src/orders/projector.ts';
import { OutboxWorker } from '../../src/outbox/worker.ts';
import type { Providers } from '../../src/providers/provider.ts';
import { createPreviews } from '../../src/push/preview.ts';
import { createPushes } from '../../src/push/pushes.ts';
import { createTracking } from '../../src/tracking/tracking.ts';
import { WebhookWorker } from '../../src/webhooks/worker.ts';
import type { SimulatedReceivers } from './simulatedReceivers.ts';

/** The product's state in one process's memory; it ends with the process. */
export interface SimulatedService {
  authentication: Authentication;
  operations: ReadonlyMap<string, AnyOperation>;
  outbox: OutboxWorker;
  webhooks: WebhookWorker;
  /** A step of the projector. */
  applyOrderChanges: () => Promise<boolean>;
  /** A step of the worker that handles what stores told. */
  handleStoreCalls: () => Promise<boolean>;
}

export interface SimulatedServiceDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  hash: Hasher;
  sealer: Sealer;
  providers: Providers;
  receivers: SimulatedReceivers;
  random: () => number;
  /** Called with the response of each push in the order in which they are decided. */
  onDecided: (response: string) => void;
}

export const PUBLIC_URL = 'http://waypost.test';

/** Sets a process up as `server/wire` does, except for loops and sockets, which the simulation replaces. */
export function createSimulatedService(deps: SimulatedServiceDeps): SimulatedService {
  const { pool, clock, log, hash, sealer, random } = deps;
  const quiet = { onSends: () => {}, onSendsOf: () => {}, onEvents: () => {} };
  const render = (result: PushResult): string => {
    const response = JSON.stringify(result);
    deps.onDecided(response);
    return response;
  };
  const accept = { pool, clock, hash, render, ...quiet };
  const concurrency = divideConnections(null, { api: true, worker: false }).pushes;
  const slots = { deferredSlots: createSlots(concurrency.deferred + concurrency.spareSingle) };
  const pushes = createPushes(accept, concurrency, slots);
  const tracking = createTracking(accept, concurrency, slots);
  const previews = createPreviews({ pool, clock, hash, publicUrl: PUBLIC_URL });
  const operations = [
    ...pushOperations({ pushes, previews, clock, hash }),
    ...trackingOperations({ tracking, hash }),
    ...[messageOperations, keyOperations, recipientOperations, erasureOperations, orderOperations].flatMap(
      (operationsOf) => operationsOf({ pool, clock, hash, ...quiet }),
    ),
  ];
  const handling = { pool, clock, log, hash, pushes, previews, tracking };
  const worker = randomText(12);
  return {
    // With a constant clock: background refreshes would differ between runs of a seed.
    authentication: createAuthentication(pool, () => 0),
    operations: new Map(operations.map((operation) => [operation.id, operation])),
    outbox: new OutboxWorker({
      pool,
      clock,
      log,
      hash,
      sealer,
      random,
      providers: deps.providers,
      publicUrl: PUBLIC_URL,
      unsubscribeLink: () => `${PUBLIC_URL}/unsubscribe/x`,
      replyLink: () => `${PUBLIC_URL}/reply/x`,
      onCapacity: () => {},
      onCapacityIn: () => {},
      elapsedMs: () => clock.now().getTime(),
      onIdle: () => {},
      ...quiet,
    }),
    webhooks: new WebhookWorker({
      pool,
      clock,
      log,
      sealer,
      random,
      client: deps.receivers,
      onCapacity: () => {},
      onEmpty: () => {},
    }),
    applyOrderChanges: () => applyWaiting({ pool, clock, log, onEvents: () => {} }),
    handleStoreCalls: () => handleDue(handling, worker),
  };
}

const UNMEASURED: Metrics = {
  observeRequest: () => {},
  observeSend: () => {},
  observeProviderCall: () => {},
  observeSkipped: () => {},
  observeReport: () => {},
  observeEndpointDisabled: () => {},
  observeDelivery: () => {},
  observeDeleted: () => {},
  observeCallback: () => {},
  observeConnectionCall: () => {},
  observeConnectionLimit: () => {},
  gauge: () => {},
  gaugeBy: () => {},
  gaugeByAll: () => {},
  snapshot: async () => [],
  text: async () => '',
  openMetrics: async () => '',
  contentType: 'text/plain',
};

/** One HTTP server for all processes: it passes a request to the service of the process that it was made to. */
export function dispatchingApp(
  template: SimulatedService,
  clock: Clock,
  log: Log,
  current: () => SimulatedService,
): FastifyInstance {
  const operations = [...template.operations.values()].map(
    (operation): AnyOperation => ({
      ...operation,
      // This server outlives the processes: a request that waits in it could start in a dead process.
      concurrencyWhenShared: Number.POSITIVE_INFINITY,
      handle: (call) => {
        const own = current().operations.get(operation.id);
        if (!own) throw new Error(`no operation ${operation.id}`);
        return own.handle(call);
      },
    }),
  );
  return buildApp({
    log,
    clock,
    hash: createHasher(Buffer.alloc(32)),
    publicUrl: PUBLIC_URL,
    clientAddress: clientAddressBehind([]),
    isTrustedProxy: () => true,
    metrics: UNMEASURED,
    authentication: {
      authenticate: (header) => current().authentication.authenticate(header),
      recognise: (header) => current().authentication.recognise(header),
      forget: (header) => current().authentication.forget(header),
    },
    rateLimit: null,
    operations,
    pages: [],
  });
}
