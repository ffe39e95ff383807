import { randomText } from '../../src/kit/ids.ts';
import type { Random } from './random.ts';
import { SimulatedProcess } from './scheduler.ts';
import { runInTask, type TaskEnvironment } from './simulatedGlobals.ts';
import type { VirtualClock } from './virtualClock.ts';

/** Randomness, time and timers of one process. */
export const environmentOf = (
  process: SimulatedProcess,
  ids: Random,
  clock: VirtualClock,
): TaskEnvironment => ({
  randomBytes: (size) => ids.bytes(size),
  monotonicMs: () => clock.elapsedMs,
  after: (milliseconds, callback) => clock.after(process, milliseconds, callback),
});

/** Ids come from a buffer of random bytes. Its rest is from the last seed or the machine, so it is used up first. */
export function discardPooledIds(ids: Random, clock: VirtualClock): void {
  let filled = false;
  const surroundings = {
    ...environmentOf(new SimulatedProcess('nobody'), ids, clock),
    randomBytes: (size: number) => {
      filled = true;
      return ids.bytes(size);
    },
  };
  runInTask({ name: 'draws', environment: surroundings }, () => {
    while (!filled) randomText(1);
  });
}
