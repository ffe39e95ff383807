import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import { createBusiness } from '../src/businesses/create.ts';
import type { Pool } from '../src/db/pool.ts';
import { type Clock, monotonicMs, SECOND } from '../src/kit/clock.ts';
import type { Log } from '../src/kit/log.ts';
import { createSealer } from '../src/kit/seal.ts';
import type { Calling } from '../src/push/callers.ts';
import { BEHIND_MS, CONCURRENCY_PER_ENDPOINT } from '../src/webhooks/endpointQueue.ts';
import { createEndpoint } from '../src/webhooks/endpoints.ts';
import { type NewEvent, recordEvents } from '../src/webhooks/events.ts';
import { createGuardedClient } from '../src/webhooks/guardedClient.ts';
import { createAllowList } from '../src/webhooks/publicAddress.ts';
import { startWebhooks, type WebhooksDeps } from '../src/webhooks/startWebhooks.ts';
import { percentile } from '../test/support/statistics.ts';
import { costOf } from './cost.ts';
import { alternate, type Compared, compare, inParallel, type Measured } from './measure.ts';
import { startReceiver } from './webhookReceiver.ts';

export interface WebhookBench {
  /**
   * Deliveries per second (claim, sign, send, record) against bare undici posting the same number of bodies to the same
   * receiver one after the other. The latency is from writing an event to its arrival, one at a time on an idle service.
   */
  besideLoop: Compared;
  /** The same against bare undici with as many concurrent requests as our endpoints may have together. */
  besideParallel: Compared;
}

interface SenderDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
}

interface BenchDeps extends SenderDeps {
  postgresCpuSeconds: () => number;
}

const EVENTS_A_STATEMENT = 500;

/** Alternates between delivering a backlog and the bare loops, so that noise of the machine affects both. */
export async function benchWebhooks(
  deps: BenchDeps,
  { deliveries = 15_000, endpoints = 8, rounds = 3, singles = 200 } = {},
): Promise<WebhookBench> {
  const receiver = await startReceiver();
  try {
    const sender = await openSender(deps, receiver.port, endpoints);
    const loop = () => bareLoop(receiver.port, deliveries, 1);
    const parallel = () => bareLoop(receiver.port, deliveries, endpoints * CONCURRENCY_PER_ENDPOINT);
    await parallel();
    await sender.drain(deliveries);
    const atOnce: Measured[] = [];
    const besideLoop = await alternate(
      rounds,
      () => sender.drain(deliveries),
      async () => {
        atOnce.push(await parallel());
        return loop();
      },
    );
    const times = await sender.latencies(singles, receiver.nextArrival);
    await sender.stop();
    const latency = { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
    return {
      besideLoop: { ...besideLoop, ours: { ...besideLoop.ours, ...latency } },
      besideParallel: compare(
        besideLoop.rounds.map(({ ours }, round) => ({ ours, baseline: atOnce[round] ?? { perSecond: 0 } })),
      ),
    };
  } finally {
    await receiver.stop();
  }
}

/** Webhooks to the receiver on this port. */
export function openWebhooks({ pool, clock, log }: SenderDeps, port: number) {
  const allowHosts = createAllowList([`127.0.0.1:${port}`]);
  const resolve = () => Promise.resolve([]);
  const sealer = createSealer(['a secret key of the benchmark']);
  const client = createGuardedClient({ resolve, allowHosts });
  const hosts = { resolve, allowHosts, unresolved: 'refuse' } as const;
  return {
    addEndpoint: ({ businessId, keyId }: Calling, path: string) =>
      createEndpoint(
        { pool, clock, sealer, hosts },
        { businessId, keyId, url: `http://127.0.0.1:${port}/${path}`, eventTypes: [], description: '' },
      ),
    begin: (onAttempt?: WebhooksDeps['onAttempt']) =>
      startWebhooks({ pool, clock, log, sealer, client, ...(onAttempt && { onAttempt }) }),
    close: () => client.close(),
  };
}

/** A business whose endpoints all point at the receiver. */
async function openSender(deps: BenchDeps, port: number, endpoints: number) {
  const { pool, clock } = deps;
  const { addEndpoint, begin, close } = openWebhooks(deps, port);
  const { businessId, keyId } = await createBusiness(pool, clock, { name: 'Bench' });
  for (let number = 0; number < endpoints; number += 1)
    await addEndpoint({ businessId, keyId }, String(number));
  let messages = 0;
  /** Each event goes to every endpoint. */
  const writeEvents = async (count: number): Promise<void> => {
    const events = Array.from({ length: count }, (): NewEvent => {
      messages += 1;
      const data = { ...SAMPLE, message_id: `message${messages}` };
      return { type: 'message.delivered', data, businessId, messageId: data.message_id, recipientId: null };
    });
    await recordEvents(pool, events, clock.now());
  };
  return {
    /** Delivers a backlog that is older than `BEHIND_MS`. */
    async drain(deliveries: number): Promise<Measured> {
      const events = Math.ceil(deliveries / endpoints);
      for (let left = events; left > 0; left -= EVENTS_A_STATEMENT)
        await writeEvents(Math.min(left, EVENTS_A_STATEMENT));
      await pause(BEHIND_MS);
      const webhooks = begin();
      const cost = await costOf(deps, [process.pid], async () => {
        const began = monotonicMs();
        await webhooks.drain();
        return (events * endpoints * SECOND) / (monotonicMs() - began);
      });
      await webhooks.stop();
      return cost;
    },
    async latencies(count: number, nextArrival: () => Promise<void>): Promise<number[]> {
      const webhooks = begin();
      const times: number[] = [];
      for (let number = 0; number < count; number += 1) {
        await webhooks.drain();
        const arrival = nextArrival();
        const began = monotonicMs();
        await writeEvents(1);
        webhooks.wake();
        await arrival;
        times.push(monotonicMs() - began);
      }
      await webhooks.drain();
      await webhooks.stop();
      return times;
    },
    stop: close,
  };
}

const SAMPLE = {
  recipient_email: 'jane@example.com',
  subject: 'Your order is on its way',
  reference: 'A-1001',
  channel: 'email',
} as const;

async function bareLoop(port: number, requests: number, concurrency: number): Promise<Measured> {
  const agent = new Agent({ connections: concurrency });
  const body = JSON.stringify({
    data: { ...SAMPLE, message_id: 'message1' },
    id: 'mwh8zujc00h4xmcjdz65uhwl',
    occurred_at: '2026-11-15T03:01:19.320Z',
    type: 'message.delivered',
  });
  const began = monotonicMs();
  await inParallel(requests, concurrency, async () => {
    const response = await agent.request({
      origin: `http://127.0.0.1:${port}`,
      path: '/bare',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await response.body.dump();
  });
  const seconds = (monotonicMs() - began) / SECOND;
  await agent.close();
  return { perSecond: requests / seconds };
}
