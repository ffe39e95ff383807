import { createBusiness } from '../src/businesses/create.ts';
import type { ErasureReport } from '../src/contract/recipients.ts';
import { transaction } from '../src/db/transaction.ts';
import { eraseRecipient } from '../src/erasure/erasure.ts';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import { percentile } from '../test/support/statistics.ts';
import { createPushOne, type PushDeps } from './pushInProcess.ts';
import { seedRecipientHistory } from './recipientHistory.ts';

export interface ErasureBench {
  messages: number;
  erasureSeconds: number;
  report: ErasureReport;
  /** Milliseconds of pushes to other people, without an erasure and during one. */
  alone: Latency;
  beside: Latency;
  /** Of the two p99. */
  ratio: number;
  /** Of this process during the erasure: the statements return counts, not rows. */
  heapGrowthMegabytes: number;
}

export interface Latency {
  pushes: number;
  p50: number;
  p99: number;
  max: number;
}

export interface ErasureBenchOptions {
  messages?: number;
  pushesPerSecond?: number;
  /** How long to push without an erasure, before and after it. */
  aloneSeconds?: number;
}

/**
 * Erases a person with a long history during steady pushes to others of the same business, and compares with the same rate
 * before and after, so that noise of the machine affects both sides.
 */
export async function benchErasure(
  deps: PushDeps,
  { messages = 100_000, pushesPerSecond = 100, aloneSeconds = 10 }: ErasureBenchOptions = {},
): Promise<ErasureBench> {
  const { pool, clock } = deps;
  const { businessId, keyId } = await createBusiness(pool, clock, { name: 'Bench', credits: 1_000_000 });
  const push = createPushOne(deps);
  const email = 'long.history@example.com';
  await seedRecipientHistory(deps, businessId, email, messages);

  const alone: number[] = [];
  const beside: number[] = [];
  const steady = (until: () => boolean, into: number[]) =>
    pushSteadily(() => push({ businessId, keyId }), pushesPerSecond, until, into);
  await steady(after(aloneSeconds / 2), []);
  await steady(after(aloneSeconds / 2), alone);

  const heap = process.memoryUsage().heapUsed;
  const began = monotonicMs();
  let ended = false;
  const pushing = steady(() => ended, beside);
  const report = await transaction(pool, (tx) =>
    eraseRecipient(tx, deps, { businessId, email, actor: 'bench' }),
  );
  const erasureSeconds = (monotonicMs() - began) / SECOND;
  const heapGrowthMegabytes = (process.memoryUsage().heapUsed - heap) / 2 ** 20;
  ended = true;
  await pushing;
  await steady(after(aloneSeconds / 2), alone);

  const [quiet, busy] = [latency(alone), latency(beside)];
  return {
    messages,
    erasureSeconds,
    report,
    alone: quiet,
    beside: busy,
    ratio: busy.p99 / quiet.p99,
    heapGrowthMegabytes,
  };
}

export const after = (seconds: number): (() => boolean) => {
  const end = monotonicMs() + seconds * SECOND;
  return () => monotonicMs() >= end;
};

/** An open loop: a push starts on time even when earlier ones have no response yet. */
export async function pushSteadily(
  push: () => Promise<unknown>,
  perSecond: number,
  until: () => boolean,
  into: number[],
): Promise<void> {
  const timed = async (): Promise<void> => {
    const began = monotonicMs();
    await push();
    into.push(monotonicMs() - began);
  };
  const inFlight: Promise<void>[] = [];
  const began = monotonicMs();
  for (let number = 0; !until(); number += 1) {
    const wait = began + (number * SECOND) / perSecond - monotonicMs();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    inFlight.push(timed());
  }
  await Promise.all(inFlight);
}

export const latency = (milliseconds: number[]): Latency => ({
  pushes: milliseconds.length,
  p50: percentile(milliseconds, 0.5),
  p99: percentile(milliseconds, 0.99),
  max: percentile(milliseconds, 1),
});
