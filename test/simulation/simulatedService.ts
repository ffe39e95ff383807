import type { FastifyInstance } from 'fastify';
import { buildApp } from '../../src/api/app.ts';
import { type Authentication, createAuthentication } from '../../src/api/auth.ts';
import type { Metrics } from '../../src/api/metrics.ts';
import type { AnyOperation } from '../../src/api/operation.ts';
import { erasureOperations } from '../../src/api/operations/erasure.ts';
import { keyOperations } from '../../src/api/operations/keys.ts';
import { messageOperations } from '../../src/api/operations/messages.ts';
import { pushOperations } from '../../src/api/operations/push.ts';
import { recipientOperations } from '../../src/api/operations/recipients.ts';
import type { Pool } from '../../src/db/pool.ts';
import { clientAddressBehind } from '../../src/kit/clientAddress.ts';
import type { Clock } from '../../src/kit/clock.ts';
import type { Log } from '../../src/kit/log.ts';
import { createHasher, type Hasher, type Sealer } from '../../src/kit/seal.ts';
import { OutboxWorker } from '../../src/outbox/worker.ts';
import type { Providers } from '../../src/providers/provider.ts';
import { createPushes } from '../../src/push/pushes.ts';
import type { PushItem } from '../../src/push/request.ts';
import { WebhookWorker } from '../../src/webhooks/worker.ts';
import type { SimulatedReceivers } from './simulatedReceivers.ts';

/** The product's state in one process's memory; it ends with the process. */
export interface SimulatedService {
  authentication: Authentication;
  operations: ReadonlyMap<string, AnyOperation>;
  outbox: OutboxWorker;
  webhooks: WebhookWorker;
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
  /** Pushes are decided in the order of these calls. Returns a function to call at the response. */
  onPush: (item: Pick<PushItem, 'businessId' | 'key'>) => () => void;
}

export const PUBLIC_URL = 'http://waypost.test';

/** Sets a process up as `server/wire` does, except for loops and sockets, which the simulation replaces. */
export function createSimulatedService(deps: SimulatedServiceDeps): SimulatedService {
  const { pool, clock, log, hash, sealer, random } = deps;
  const quiet = { onSends: () => {}, onSendsOf: () => {}, onEvents: () => {} };
  const accepted = createPushes({ pool, clock, hash, render: (result) => JSON.stringify(result), ...quiet });
  const pushes: typeof accepted = {
    ...accepted,
    push(item) {
      return accepted.push(item).finally(deps.onPush(item));
    },
  };
  const operations = [
    ...pushOperations({ pushes, clock, hash, preview: { pool, clock, hash, publicUrl: PUBLIC_URL } }),
    ...[messageOperations, keyOperations, recipientOperations, erasureOperations].flatMap((operationsOf) =>
      operationsOf({ pool, clock, hash, ...quiet }),
    ),
  ];
  return {
    // With a constant clock: background refreshes would differ between runs of a seed.
    authentication: createAuthentication(pool, () => 0),
    operations: new Map(operations.map((operation) => [operation.id, operation])),
    outbox: new OutboxWorker({
      pool,
      clock,
      log,
      hash,
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
  observeConnectionLimit: () => {},
  gauge: () => {},
  gaugeBy: () => {},
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
