/** A graceful stop must be over within this; then the process goes anyway, and leases do the rest. */
const STOP_WITHIN_MS = 10_000;

/**
 * Runs `stop` once, on Ctrl-C or a termination signal, then exits. A second Ctrl-C exits at once. Answers a
 * function that says whether stopping has begun.
 */
export function onSignals(stop: () => Promise<void>): () => boolean {
  let stopping = false;
  const begin = () => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    stop().then(
      () => process.exit(process.exitCode ?? 0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', begin);
  process.on('SIGTERM', begin);
  process.on('SIGHUP', begin);
  return () => stopping;
}
