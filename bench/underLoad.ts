import { usageOf } from './cost.ts';
import type { BenchEnvironment } from './environment.ts';
import type { Load } from './load/generator.ts';
import type { Measured } from './measure.ts';

/** Measures a server under load: what it answers, and what that costs whom. */
export async function underLoad(
  world: BenchEnvironment,
  server: { pid: number; port: number },
  load: Omit<Load, 'port'>,
  /** How many of what the row counts are in one request. */
  each = 1,
): Promise<Measured> {
  const cpu = usageOf(server.pid).cpuSeconds;
  const postgres = world.postgresCpuSeconds();
  const began = performance.now();
  const { count, seconds, p50, p99, cpuSeconds } = await world.load({ ...load, port: server.port });
  // The counters also saw the seconds of warming up.
  const share = (performance.now() - began) / 1_000;
  const after = usageOf(server.pid);
  return {
    perSecond: (count * each) / seconds,
    p50,
    p99,
    cpu: {
      process: (after.cpuSeconds - cpu) / share,
      postgres: (world.postgresCpuSeconds() - postgres) / share,
      generator: cpuSeconds / seconds,
    },
    rssMegabytes: after.rssMegabytes,
  };
}
