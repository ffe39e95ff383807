import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import type { Pool } from '../../src/db/pool.ts';
import { transaction } from '../../src/db/transaction.ts';
import { type Clock, later, systemClock } from '../../src/kit/clock.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { createEndpoint, type EndpointDeps } from '../../src/webhooks/endpoints.ts';
import type { Endpoint } from '../../src/webhooks/endpointsSql.ts';
import { type NewEvent, recordEvents } from '../../src/webhooks/events.ts';
import { createGuardedClient } from '../../src/webhooks/guardedClient.ts';
import type { AllowList } from '../../src/webhooks/publicAddress.ts';
import { startWebhooks, type WebhookLoop, type WebhooksDeps } from '../../src/webhooks/startWebhooks.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { startLoopbackServer } from '../support/loopback.ts';
import { type LogLine, recordingLog } from '../support/recordingLog.ts';
import { SECRET_KEY } from '../support/secretKey.ts';

/** One request that a receiver got, as it came. */
export interface ReceivedDelivery {
  path: string;
  headers: Record<string, string>;
  body: string;
  id: string;
  type: string;
  /** By the machine's clock. */
  at: Date;
}

export interface MerchantReceiver {
  url: string;
  port: number;
  received: ReceivedDelivery[];
  ids(): string[];
}

/** Answers a request that has been read: at once, later, or never. Without one it is answered 200. */
export type AnswerDelivery = (request: ReceivedDelivery, response: ServerResponse) => unknown;

/**
 * A business on loopback, on a database of its own: its receivers, its endpoints, its events, and workers under a
 * clock that can be moved.
 */
export interface Merchant {
  database: TestDatabase;
  pool: Pool;
  businessId: string;
  keyId: string;
  clock: Clock;
  logged: LogLine[];
  endpointDeps: EndpointDeps;
  workerDeps: WebhooksDeps;
  advance(milliseconds: number): void;
  receiver(behave?: AnswerDelivery): Promise<MerchantReceiver>;
  endpoint(url: string, over?: { eventTypes?: string[]; description?: string }): Promise<Endpoint>;
  /** So many events, each about a message of its own; answers their ids in order. */
  emitEvents(count: number): Promise<string[]>;
  /** Writes events as a change would; answers their ids in order. */
  emit(...events: NewEvent[]): Promise<string[]>;
  /** A worker, until the test ends. */
  start(over?: Partial<WebhooksDeps>): WebhookLoop;
  /** Moves the clock to the next moment at which something is due, and waits until it is done. */
  advanceToNext(webhooks: WebhookLoop): Promise<void>;
  rows(text: string, ...values: unknown[]): Promise<Record<string, unknown>[]>;
}

export async function openMerchant(): Promise<Merchant> {
  const database = await testDatabase();
  onTestFinished(() => database.drop());
  const { pool } = database;
  // Stands still but for the tests, so that nothing falls behind because a machine is slow.
  let now = systemClock.now();
  const clock = { now: () => now };
  const advance = (milliseconds: number): void => {
    now = later(now, milliseconds);
  };
  const logged: LogLine[] = [];
  const ports = new Set<number>();
  const allowHosts: AllowList = { has: (host, port) => host === '127.0.0.1' && ports.has(port) };
  const client = createGuardedClient({ resolve: () => Promise.resolve([]), allowHosts });
  const sealer = createSealer([SECRET_KEY]);
  const { businessId, keyId } = await createBusiness(pool, clock, { name: 'Shop' });
  const log = recordingLog(logged);
  const hosts = { resolve: () => Promise.resolve([]), allowHosts, unresolved: 'refuse' } as const;
  const endpointDeps = { pool, clock, sealer, hosts };
  const workerDeps = { pool, clock, log, sealer, client };
  const rows = async (text: string, ...values: unknown[]) => (await pool.query(text, values)).rows;

  const tellOf = async (...events: NewEvent[]): Promise<string[]> => {
    advance(1);
    await transaction(pool, (tx) => recordEvents(tx, events, clock.now()));
    const newest = 'select id from events where business_id = $1 order by id desc limit $2';
    return (await rows(newest, businessId, events.length)).map(({ id }) => String(id)).reverse();
  };

  return {
    database,
    pool,
    businessId,
    keyId,
    clock,
    logged,
    endpointDeps,
    workerDeps,
    rows,
    advance,
    async receiver(behave = (_, response) => response.end()) {
      const received: ReceivedDelivery[] = [];
      const server = createServer((request, response) => {
        void read(request).then((one) => {
          received.push(one);
          behave(one, response);
        });
      });
      const { port } = await startLoopbackServer(server);
      ports.add(port);
      return {
        url: `http://127.0.0.1:${port}/hook`,
        port,
        received,
        ids: () => received.map(({ id }) => id),
      };
    },
    endpoint: (url, { eventTypes = [], description = '' } = {}) =>
      createEndpoint(endpointDeps, {
        businessId,
        keyId,
        url,
        eventTypes,
        description,
      }),
    emitEvents: (count) => tellOf(...Array.from({ length: count }, () => sampleEvent(businessId))),
    emit: tellOf,
    async advanceToNext(webhooks) {
      const due = await webhooks.nextDue();
      if (due === null) throw new Error('nothing is due any more');
      advance(due.getTime() - now.getTime());
      await webhooks.drain();
    },
    start(over = {}) {
      const webhooks = startWebhooks({ ...workerDeps, ...over });
      onTestFinished(async () => {
        // Cuts off what hangs, for which the worker would wait.
        await client.destroy();
        await webhooks.stop();
      });
      return webhooks;
    },
  };
}

let messages = 0;

/** A delivered email, or what else became of it, about another message each time unless one is named. */
export function sampleEvent(
  businessId: string,
  about?: string,
  type:
    | 'message.delivered'
    | 'message.opened'
    | 'message.bounced'
    | 'message.complained' = 'message.delivered',
): NewEvent {
  messages += 1;
  const messageId = about ?? `message${messages}`;
  return {
    type,
    data: {
      message_id: messageId,
      recipient_email: 'jane@example.com',
      subject: 'Your order',
      reference: null,
      channel: 'email',
    },
    businessId,
    messageId,
    recipientId: null,
  };
}

async function read(request: IncomingMessage): Promise<ReceivedDelivery> {
  const at = systemClock.now();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
  return {
    path: request.url ?? '',
    headers,
    body: Buffer.concat(chunks).toString(),
    id: headers['x-service-delivery'] ?? '',
    type: headers['x-service-event'] ?? '',
    at,
  };
}
