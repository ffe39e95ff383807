import { monotonicMs } from '../kit/clock.ts';

/** A graceful stop must be over within this; then the process goes anyway, and leases do the rest. */
const STOP_WITHIN_MS = 10_000;

/** One Ctrl-C can arrive twice: from the terminal, and passed on by npm. */
const SAME_KEYSTROKE_MS = 1_000;

export interface Shutdown {
  /** What must be stopped, in the opposite order of being added. */
  add(stop: () => Promise<void>): void;
  /** Stops everything that was added so far, then exits with this status. */
  begin(status: number): void;
  begun(): boolean;
}

/**
 * The end of the process: on Ctrl-C or a termination signal, or when the start failed. A second Ctrl-C exits at
 * once. `interrupted` is the status after a signal. To be made before anything else, so that a signal finds what there is to stop, however far the start came.
 */
export function prepareShutdown({ interrupted }: { interrupted: number }): Shutdown {
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
  return { add: (stop) => stops.push(stop), begin, begun: () => begun };
}
