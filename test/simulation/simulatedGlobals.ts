import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * What a simulated process must not get from the machine: chance, time and timers. Code that runs on a strand gets them
 * from its simulation; all other code of this process, the test's own and the drivers', goes on as ever.
 */
export interface TaskEnvironment {
  randomBytes(size: number): Buffer;
  monotonicMs(): number;
  /** Answers what takes the timer back. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** One line of work of a simulated process: everything that it calls and awaits belongs to it. */
export interface Task {
  readonly name: string;
  readonly environment: TaskEnvironment;
}

const strands = new AsyncLocalStorage<Task>();
const machine = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  now: performance.now.bind(performance),
  randomBytes: crypto.randomBytes,
  randomFillSync: crypto.randomFillSync,
};
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const timers = new WeakMap<object, () => void>();
let immediates = 0;
let installed = false;

export const currentTask = (): Task | null => strands.getStore() ?? null;
export const runInTask = <T>(strand: Task, work: () => T): T => strands.run(strand, work);
export const runOutsideTask = <T>(work: () => T): T => strands.exit(work);

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void machine.setTimeout(resolve, milliseconds));

/** Resolves once every strand has done what it can do without anything from outside. */
export async function tasksIdle(): Promise<void> {
  let turns = 0;
  do {
    await new Promise<void>((resolve) => void machine.setImmediate(resolve));
    turns += 1;
  } while (turns < 2 || immediates > 0);
}

/** Puts the seams in place, once for this process. */
export function installSimulatedGlobals(): void {
  if (installed) return;
  installed = true;
  Reflect.set(globalThis, 'setTimeout', simulatedTimeout);
  Reflect.set(globalThis, 'clearTimeout', clearSimulated);
  Reflect.set(globalThis, 'setImmediate', countedImmediate);
  Reflect.set(performance, 'now', () => currentTask()?.environment.monotonicMs() ?? machine.now());
  Reflect.set(
    crypto,
    'randomBytes',
    (size: number) => currentTask()?.environment.randomBytes(size) ?? machine.randomBytes(size),
  );
  Reflect.set(crypto, 'randomFillSync', (target: Uint8Array) => {
    const strand = currentTask();
    if (!strand) return machine.randomFillSync(target);
    target.set(strand.environment.randomBytes(target.length));
    return target;
  });
  syncBuiltinESMExports();
}

function simulatedTimeout(callback: (...given: unknown[]) => void, milliseconds = 0, ...given: unknown[]) {
  const strand = currentTask();
  if (!strand) return machine.setTimeout(callback, milliseconds, ...given);
  // A genuine handle, for whoever keeps it, of a timer that never fires.
  const handle = machine.setTimeout(() => {}, LONGEST_TIMER_MS);
  machine.clearTimeout(handle);
  const cancel = strand.environment.after(milliseconds, () => runInTask(strand, () => callback(...given)));
  timers.set(handle, cancel);
  return handle;
}

function clearSimulated(handle?: NodeJS.Timeout | string | number): void {
  const cancel = typeof handle === 'object' ? timers.get(handle) : undefined;
  if (cancel) cancel();
  else machine.clearTimeout(handle);
}

function countedImmediate(callback: (...given: unknown[]) => void, ...given: unknown[]) {
  if (!currentTask()) return machine.setImmediate(callback, ...given);
  immediates += 1;
  return machine.setImmediate(() => {
    immediates -= 1;
    callback(...given);
  });
}
