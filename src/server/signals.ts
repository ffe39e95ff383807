import { monotonicMs } from '../kit/clock.ts';

/** After this the process exits even if the graceful stop is not finished; leases cover the rest. */
export const STOP_WITHIN_MS = 10_000;

/** One Ctrl-C can arrive twice: from the terminal, and forwarded by npm. */
const SAME_KEYSTROKE_MS = 1_000;

export type Shutdown = ReturnType<typeof prepareShutdown>;

/**
 * Ends the process on Ctrl-C, on a termination signal, or after a failed start. A second Ctrl-C exits at once.
 * `interrupted` is the exit status after a signal. Call this first, so that a signal during the start stops the
 * parts that already run.
 */
export function prepareShutdown({ interrupted }: { interrupted: number }) {
  const stops: (() => Promise<void>)[] = [];
  let begun = false;
  let begunAt = 0;

  const stopAll = async () => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
  };
  const begin = (status: number) => {
    if (begun) return;
    begun = true;
    begunAt = monotonicMs();
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    stopAll().then(
      () => process.exit(status),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  const onSignal = () => {
    if (!begun) begin(interrupted);
    else if (monotonicMs() - begunAt > SAME_KEYSTROKE_MS) process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    /** Registers a stop function; they run in reverse order. */
    add: (stop: () => Promise<void>): void => void stops.push(stop),
    /** Runs the registered stop functions, then exits with this status. */
    begin,
    begun: () => begun,
  };
}
