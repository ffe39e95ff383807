import { Worker } from 'node:worker_threads';
import { Agent } from 'undici';
import { createBusiness } from '../src/businesses/create.ts';
import type { Pool } from '../src/db/pool.ts';
import { type Clock, monotonicMs, SECOND } from '../src/kit/clock.ts';
import type { Log } from '../src/kit/log.ts';
import { createSealer } from '../src/kit/seal.ts';
import { createAllowList } from '../src/webhooks/allowList.ts';
import { createEndpoint } from '../src/webhooks/endpoints.ts';
import { type NewEvent, recordEvents } from '../src/webhooks/events.ts';
import { createGuardedClient } from '../src/webhooks/guardedClient.ts';
import { LANES } from '../src/webhooks/line.ts';
import { startWebhooks } from '../src/webhooks/startWebhooks.ts';

export interface WebhookBench {
  deliveries: number;
  endpoints: number;
  /** Claimed, signed, sent, acknowledged and written down. */
  perSecond: number;
  /** As many bodies, to the same receiver, by the HTTP client alone in a loop: one after the other. */
  bareLoopPerSecond: number;
  /** The same with as many in flight as our endpoints may have together. */
  bareInParallelPerSecond: number;
  ofBareLoop: number;
}

const EVENTS_A_STATEMENT = 500;

/**
 * Delivers a backlog to one receiver on loopback, in a thread of its own, and beside it posts to the same receiver in
 * bare loops. Those run before and after, so that what the machine does meanwhile weighs on all of them.
 */
export async function benchWebhooks(
  deps: { pool: Pool; clock: Clock; log: Log },
  { deliveries = 20_000, endpoints = 8 }: { deliveries?: number; endpoints?: number } = {},
): Promise<WebhookBench> {
  const receiver = await startReceiver();
  const lanes = endpoints * LANES;
  try {
    await bareLoop(receiver.port, deliveries / 4, lanes);
    const loopBefore = await bareLoop(receiver.port, deliveries / 4, 1);
    const parallelBefore = await bareLoop(receiver.port, deliveries / 4, lanes);
    const perSecond = await ours(deps, receiver.port, deliveries, endpoints);
    const loopAfter = await bareLoop(receiver.port, deliveries / 4, 1);
    const parallelAfter = await bareLoop(receiver.port, deliveries / 4, lanes);
    const bareLoopPerSecond = Math.round((loopBefore + loopAfter) / 2);
    const bareInParallelPerSecond = Math.round((parallelBefore + parallelAfter) / 2);
    const ofBareLoop = Number((perSecond / bareLoopPerSecond).toFixed(2));
    return { deliveries, endpoints, perSecond, bareLoopPerSecond, bareInParallelPerSecond, ofBareLoop };
  } finally {
    await receiver.stop();
  }
}

async function ours(
  { pool, clock, log }: { pool: Pool; clock: Clock; log: Log },
  port: number,
  deliveries: number,
  endpoints: number,
): Promise<number> {
  const allowHosts = createAllowList([`127.0.0.1:${port}`]);
  const resolve = () => Promise.resolve([]);
  const sealer = createSealer(['a secret key of the benchmark']);
  const client = createGuardedClient({ resolve, allowHosts });
  const { businessId, keyId } = await createBusiness(pool, clock, { name: 'Bench' });
  const hosts = { resolve, allowHosts, unresolved: 'refuse' } as const;
  for (let number = 0; number < endpoints; number += 1) {
    const url = `http://127.0.0.1:${port}/${number}`;
    await createEndpoint(
      { pool, clock, sealer, hosts },
      { businessId, keyId, url, eventTypes: [], description: null },
    );
  }
  await backlog(pool, clock, businessId, Math.ceil(deliveries / endpoints));

  const began = monotonicMs();
  const webhooks = startWebhooks({ pool, clock, log, sealer, client });
  await webhooks.drain();
  const seconds = (monotonicMs() - began) / SECOND;
  await webhooks.stop();
  await client.close();
  return Math.round(deliveries / seconds);
}

/** Events about as many messages; each goes to every endpoint. */
async function backlog(pool: Pool, clock: Clock, businessId: string, events: number): Promise<void> {
  for (let done = 0; done < events; done += EVENTS_A_STATEMENT) {
    const some = Array.from({ length: Math.min(EVENTS_A_STATEMENT, events - done) }, (_, index): NewEvent => {
      const messageId = `message${done + index}`;
      const data = { ...SAMPLE, message_id: messageId };
      return { type: 'message.delivered', data, businessId, messageId, recipientId: null };
    });
    await recordEvents(pool, some, clock.now());
  }
}

const SAMPLE = {
  recipient_email: 'jane@example.com',
  subject: 'Your order is on its way',
  reference: 'A-1001',
  channel: 'email',
} as const;

/** So many in flight, each posting again as soon as it was answered. */
async function bareLoop(port: number, requests: number, inFlight: number): Promise<number> {
  const agent = new Agent({ connections: inFlight });
  const body = JSON.stringify({
    data: { ...SAMPLE, message_id: 'message1' },
    id: 'mwh8zujc00h4xmcjdz65uhwl',
    occurred_at: '2026-11-15T03:01:19.320Z',
    type: 'message.delivered',
  });
  let left = requests;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const answer = await agent.request({
        origin: `http://127.0.0.1:${port}`,
        path: '/bare',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      await answer.body.dump();
    }
  };
  const began = monotonicMs();
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (monotonicMs() - began) / SECOND;
  await agent.close();
  return Math.round(requests / seconds);
}

/** Reads what it is sent and answers 204; in plain JavaScript, since a thread begins without a compiler. */
const RECEIVER = `
  const { createServer } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  const server = createServer((request, response) => {
    request.on('data', () => {});
    request.on('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

async function startReceiver(): Promise<{ port: number; stop(): Promise<unknown> }> {
  const thread = new Worker(RECEIVER, { eval: true });
  const port = await new Promise<number>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
  return { port, stop: () => thread.terminate() };
}
