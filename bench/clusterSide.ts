import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createBusiness } from '../src/businesses/create.ts';
import { handleReports } from '../src/callbacks/reports.ts';
import { startDatabaseClock } from '../src/db/databaseClock.ts';
import type { Pool } from '../src/db/pool.ts';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import { createLog } from '../src/kit/log.ts';
import { createHasher } from '../src/kit/seal.ts';
import type { DeliveryReport } from '../src/providers/callbackContent.ts';
import type { Calling } from '../src/push/callers.ts';
import { BEHIND_MS } from '../src/webhooks/endpointQueue.ts';
import { postgresCpuSecondsOf } from './cost.ts';
import { inParallel } from './measure.ts';
import { startInstantOutbox } from './outboxProcess.ts';
import { createPushOne } from './pushInProcess.ts';
import { openWebhooks } from './webhooks.ts';

/** What a unit of some work costs a database. */
export interface UnitCost {
  perSecond: number;
  /** Processor time of each server in milliseconds, the coordinator's first. */
  cpuMs: number[];
}

/** A database on which messages go their whole way, step by step: each step leaves its work to the next. */
export interface ClusterSide {
  /** Pushes in turn for the first `shops` shops. */
  push(messages: number, clients: number, shops: number): Promise<UnitCost>;
  /** Sends their emails. */
  send(messages: number): Promise<UnitCost>;
  /** Reports the emails as delivered, in callbacks of `each` reports. */
  report(messages: number, each: number): Promise<UnitCost>;
  /** Sends the events about that to the shops' endpoints. */
  deliver(messages: number): Promise<UnitCost>;
  stop(): Promise<void>;
}

const CALLBACKS_AT_ONCE = 16;

export async function openClusterSide(
  pool: Pool,
  servers: readonly number[],
  shopCount: number,
  receiverPort: number,
): Promise<ClusterSide> {
  const clock = await startDatabaseClock(pool, () => {});
  const log = createLog('warn');
  const deps = { pool, clock, hash: createHasher(randomBytes(32)) };
  const push = createPushOne(deps);
  const webhooks = openWebhooks({ pool, clock, log }, receiverPort);
  const shops: Calling[] = [];
  for (let number = 0; number < shopCount; number += 1) {
    const shop = await createBusiness(pool, clock, { name: `Shop ${number}` });
    await webhooks.addEndpoint(shop, shop.businessId);
    shops.push(shop);
  }
  /** Of sends that no report has come for. */
  let references: string[] = [];

  /** `work` resolves to the number of units that it did. */
  const costOf = async (units: number, work: () => Promise<number>): Promise<UnitCost> => {
    const cpuSeconds = (): number[] => servers.map(postgresCpuSecondsOf);
    const [before, began] = [cpuSeconds(), monotonicMs()];
    const done = await work();
    const elapsedMs = monotonicMs() - began;
    if (done !== units) throw new Error(`${done} were done, not ${units}`);
    return {
      perSecond: (units * SECOND) / elapsedMs,
      cpuMs: cpuSeconds().map((after, server) => ((after - (before[server] ?? 0)) * SECOND) / units),
    };
  };
  const reporting = { ...deps, onEvents: () => {}, onSends: () => {} };
  const reportOn = (reference: string): DeliveryReport => {
    const status = 'delivered';
    return { provider: 'bench', reportId: reference, reference, status, errorCode: null };
  };

  return {
    push: (messages, clients, ofShops) =>
      costOf(messages, async () => {
        await inParallel(messages, clients, async (number) => {
          const shop = shops[number % ofShops];
          if (shop) await push(shop);
        });
        return messages;
      }),
    async send(messages) {
      references = [];
      const outbox = startInstantOutbox(deps, ({ reference }) => references.push(reference));
      const cost = await costOf(messages, async () => {
        await outbox.drain();
        return references.length;
      });
      await outbox.stop();
      return cost;
    },
    report: (messages, each) =>
      costOf(messages, async () => {
        const reports = references.splice(0, messages).map(reportOn);
        let done = 0;
        await inParallel(Math.ceil(messages / each), CALLBACKS_AT_ONCE, async (number) => {
          const callback = reports.slice(number * each, (number + 1) * each);
          const { applied } = await handleReports(reporting, callback);
          done += applied;
        });
        return done;
      }),
    async deliver(messages) {
      await pause(BEHIND_MS);
      let done = 0;
      const loop = webhooks.begin((outcome) => {
        if (outcome === 'delivered') done += 1;
      });
      const cost = await costOf(messages, async () => {
        await loop.drain();
        return done;
      });
      await loop.stop();
      return cost;
    },
    async stop() {
      clock.stop();
      await webhooks.close();
    },
  };
}
