import { transaction } from '../src/db/transaction.ts';
import { eraseRecipient } from '../src/erasure/erasure.ts';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import type { BenchEnvironment } from './environment.ts';
import { after } from './measure.ts';
import { createSteadyPushes, IN_PROCESS_CONNECTIONS, latencyOf, openPushDeps } from './pushInProcess.ts';
import { seedRecipientHistory } from './recipientHistory.ts';

const EMAIL = 'long.history@example.com';

/**
 * Erases a person with a long history during steady pushes to others of the same business, and compares with the same rate
 * before and after, so that noise of the machine affects both sides.
 */
export async function benchErasure(
  world: BenchEnvironment,
  /** `aloneSeconds`: how long to push without an erasure, before and after it. */
  { messages = 100_000, pushesPerSecond = 100, aloneSeconds = 10 } = {},
) {
  const shop = await world.database('erasure', 0, IN_PROCESS_CONNECTIONS);
  const deps = await openPushDeps(shop.pool);
  await seedRecipientHistory(deps, shop.businessId, EMAIL, messages);
  const push = createSteadyPushes(deps, shop, pushesPerSecond);
  await push(after(aloneSeconds / 2));
  const before = await push(after(aloneSeconds / 2));

  const heap = process.memoryUsage().heapUsed;
  const began = monotonicMs();
  let ended = false;
  const pushing = push(() => ended);
  const report = await transaction(shop.pool, (tx) =>
    eraseRecipient(tx, deps, { businessId: shop.businessId, email: EMAIL, actor: 'bench' }),
  );
  const erasureSeconds = (monotonicMs() - began) / SECOND;
  // The statements return counts, not rows.
  const heapGrowthMegabytes = (process.memoryUsage().heapUsed - heap) / 2 ** 20;
  ended = true;
  const beside = latencyOf(await pushing);
  const alone = latencyOf([...before, ...(await push(after(aloneSeconds / 2)))]);
  /** Milliseconds of pushes to other people, without an erasure and during one; `ratio` is that of the two p99. */
  const latencies = { alone, beside, ratio: beside.p99 / alone.p99 };
  return { messages, erasureSeconds, report, ...latencies, heapGrowthMegabytes };
}
