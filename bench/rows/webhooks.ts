import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import { monotonicMs, SECOND, systemClock } from '../../src/kit/clock.ts';
import type { Log } from '../../src/kit/log.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { BEHIND_MS, CONCURRENCY_PER_ENDPOINT } from '../../src/webhooks/endpointQueue.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import { type NewEvent, recordEvents } from '../../src/webhooks/events.ts';
import { createGuardedClient } from '../../src/webhooks/guardedClient.ts';
import { createAllowList } from '../../src/webhooks/publicAddress.ts';
import { startWebhooks, type WebhooksDeps } from '../../src/webhooks/startWebhooks.ts';
import { startChild } from '../children.ts';
import { atEnd } from '../cleanup.ts';
import { costOf } from '../cost.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import { alternate, compare, inParallel, type Measured, measuredTimes, timeOf } from '../measure.ts';
import { atLeast, type Reporter } from '../report/row.ts';

export const SILENT_LOG: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error };

const DELIVERIES = 15_000;
const ENDPOINTS = 8;
const ROUNDS = 3;
/** One at a time on an idle service. */
const SINGLES = 200;
const EVENTS_A_STATEMENT = 500;

/**
 * Deliveries per second (claim, sign, send, record) against bare undici posting the same number of bodies to the same receiver,
 * one after the other and as many at once as our endpoints may have together. The latency is from writing an event to its arrival.
 */
export async function measureWebhooks(world: BenchEnvironment, report: Reporter): Promise<void> {
  const receiver = await startReceiver();
  const sender = await openSender(world, await world.database('webhooks', 0), receiver);
  const post = (atOnce: number) => () => postBodies(receiver.port, atOnce);
  const atOnce = post(ENDPOINTS * CONCURRENCY_PER_ENDPOINT);
  await atOnce();
  await sender.drain();
  const allAtOnce: Measured[] = [];
  const besideLoop = await alternate(ROUNDS, sender.drain, async () => {
    allAtOnce.push(await atOnce());
    return post(1)();
  });
  const { p50, p99 } = measuredTimes(await sender.latencies());
  const work = 'webhook deliveries to 8 endpoints';
  report.compared(work, 'undici alone, one after the other', atLeast(0.5), {
    ...besideLoop,
    ours: { ...besideLoop.ours, p50, p99 },
  });
  const besideParallel = compare(
    besideLoop.rounds.map(({ ours }, round) => ({ ours, baseline: allAtOnce[round] ?? { perSecond: 0 } })),
  );
  report.compared(work, 'undici alone, 64 at once', null, besideParallel);
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export async function startReceiver() {
  const receiver = await startChild('rows/webhookReceiver.ts');
  return { ...receiver, port: await receiver.call<number>('port') };
}

/** Webhooks to the receiver on this port. */
export function openWebhooks(
  { pool, clock, log }: Pick<WebhooksDeps, 'pool' | 'clock' | 'log'>,
  port: number,
) {
  const allowHosts = createAllowList([`127.0.0.1:${port}`]);
  const resolve = () => Promise.resolve([]);
  const sealer = createSealer(['a secret key of the benchmark']);
  const client = createGuardedClient({ resolve, allowHosts });
  const hosts = { resolve, allowHosts, unresolved: 'refuse' } as const;
  atEnd(() => client.close());
  return {
    addEndpoint: ({ businessId, keyId }: Pick<BenchDatabase, 'businessId' | 'keyId'>, path: string) =>
      createEndpoint(
        { pool, clock, sealer, hosts },
        { businessId, keyId, url: `http://127.0.0.1:${port}/${path}`, eventTypes: [], description: '' },
      ),
    begin: (onAttempt?: WebhooksDeps['onAttempt']) =>
      startWebhooks({ pool, clock, log, sealer, client, ...(onAttempt && { onAttempt }) }),
  };
}

/** A business whose endpoints all point at the receiver. */
async function openSender(
  world: BenchEnvironment,
  { pool, businessId, keyId }: BenchDatabase,
  { port, call }: Receiver,
) {
  const { addEndpoint, begin } = openWebhooks({ pool, clock: systemClock, log: SILENT_LOG }, port);
  for (let number = 0; number < ENDPOINTS; number += 1)
    await addEndpoint({ businessId, keyId }, String(number));
  let messages = 0;
  /** Each event goes to every endpoint. */
  const writeEvents = async (count: number): Promise<void> => {
    const events = Array.from({ length: count }, (): NewEvent => {
      messages += 1;
      const messageId = `message${messages}`;
      const data = { ...SAMPLE, message_id: messageId };
      return { type: 'message.delivered', data, businessId, messageId, recipientId: null };
    });
    await recordEvents(pool, events, systemClock.now());
  };
  return {
    /** Delivers a backlog that is older than `BEHIND_MS`. */
    async drain(): Promise<Measured> {
      const events = DELIVERIES / ENDPOINTS;
      for (let left = events; left > 0; left -= EVENTS_A_STATEMENT)
        await writeEvents(Math.min(left, EVENTS_A_STATEMENT));
      await pause(BEHIND_MS);
      const webhooks = begin();
      const cost = await costOf(world, [process.pid], async () => {
        const milliseconds = await timeOf(() => webhooks.drain());
        return { perSecond: (DELIVERIES * SECOND) / milliseconds };
      });
      await webhooks.stop();
      return cost;
    },
    async latencies(): Promise<number[]> {
      const webhooks = begin();
      const times: number[] = [];
      for (let number = 0; number < SINGLES; number += 1) {
        await webhooks.drain();
        const arrival = call('until', (await call<number>('requests')) + 1);
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
  };
}

const SAMPLE = {
  recipient_email: 'jane@example.com',
  subject: 'Your order is on its way',
  reference: 'A-1001',
  channel: 'email',
} as const;

async function postBodies(port: number, concurrency: number): Promise<Measured> {
  const agent = new Agent({ connections: concurrency });
  const body = JSON.stringify({
    data: { ...SAMPLE, message_id: 'message1' },
    id: 'mwh8zujc00h4xmcjdz65uhwl',
    occurred_at: '2026-11-15T03:01:19.320Z',
    type: 'message.delivered',
  });
  const headers = { 'content-type': 'application/json' };
  const call = { origin: `http://127.0.0.1:${port}`, path: '/bare', method: 'POST', headers, body } as const;
  const post = async (): Promise<void> => (await agent.request(call)).body.dump();
  const milliseconds = await timeOf(() => inParallel(DELIVERIES, concurrency, post));
  await agent.close();
  return { perSecond: (DELIVERIES * SECOND) / milliseconds };
}
