import { usageOf } from './cost.ts';
import type { BenchEnvironment } from './environment.ts';
import type { Load } from './load/generator.ts';
import type { Measured } from './measure.ts';

/** Measures a server under load: its throughput and the CPU time of each process. */
export async function underLoad(
  world: BenchEnvironment,
  server: { pid: number; port: number },
  load: Omit<Load, 'port'>,
  /** How many units of the row one request has. */
  each = 1,
): Promise<Measured> {
  const cpu = usageOf(server.pid).cpuSeconds;
  const postgres = world.postgresCpuSeconds();
  const began = performance.now();
  const { count, seconds, p50, p99, cpuSeconds } = await world.load({ ...load, port: server.port });
  // The CPU counters include the warm-up.
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
