import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Replaces the machine's randomness, time and timers for code that runs on a task; it gets them from its simulation. All
 * other code of this process, such as the test and the drivers, is not affected.
 */
export interface TaskEnvironment {
  randomBytes(size: number): Buffer;
  monotonicMs(): number;
  /** Returns a function that cancels the timer. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** One asynchronous task of a simulated process, with everything that it calls and awaits. */
export interface Task {
  readonly name: string;
  readonly environment: TaskEnvironment;
}

const taskStorage = new AsyncLocalStorage<Task>();
const machine = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  now: performance.now.bind(performance),
  randomBytes: crypto.randomBytes,
  randomFillSync: crypto.randomFillSync,
};
const TIMER_MAX_MS = 2 ** 31 - 1;
const timers = new WeakMap<object, () => void>();
let immediates = 0;
let installed = false;

export const currentTask = (): Task | null => taskStorage.getStore() ?? null;
export const runInTask = <T>(task: Task, work: () => T): T => taskStorage.run(task, work);
export const runOutsideTask = <T>(work: () => T): T => taskStorage.exit(work);

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void machine.setTimeout(resolve, milliseconds));

/** Resolves once every task waits for something outside. */
export async function tasksIdle(): Promise<void> {
  let turns = 0;
  do {
    await new Promise<void>((resolve) => void machine.setImmediate(resolve));
    turns += 1;
  } while (turns < 2 || immediates > 0);
}

/** Patches the globals, once per process. */
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
    const task = currentTask();
    if (!task) return machine.randomFillSync(target);
    target.set(task.environment.randomBytes(target.length));
    return target;
  });
  syncBuiltinESMExports();
}

function simulatedTimeout(callback: (...given: unknown[]) => void, milliseconds = 0, ...given: unknown[]) {
  const task = currentTask();
  if (!task) return machine.setTimeout(callback, milliseconds, ...given);
  // A real handle, for callers that keep it, of a timer that never fires.
  const handle = machine.setTimeout(() => {}, TIMER_MAX_MS);
  machine.clearTimeout(handle);
  const cancel = task.environment.after(milliseconds, () => runInTask(task, () => callback(...given)));
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
