import type { ProbeTick } from './hostPauses.ts';

const EVERY_MS = 5;
const STEPS = 60_000;

/**
 * Repeats the same small piece of work, in its own process, and records the CPU time of each run. On a busy machine it takes
 * the usual CPU time; while the host pauses the machine it takes longer.
 */
export default async function openPauseProbe() {
  const ticks: ProbeTick[] = [];
  const tick = (): void => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    ticks.push({ at: Date.now(), microseconds: user + system });
  };
  setInterval(tick, EVERY_MS);
  return { ticks: async (): Promise<ProbeTick[]> => ticks };
}

function work(): number {
  let sum = 0;
  for (let step = 0; step < STEPS; step += 1) sum = (sum * 31 + step) | 0;
  return sum;
}
