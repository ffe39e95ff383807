/** Runs work for tenants, at most so much at once for each; the rest waits for its own tenant's work to end. */
export interface Concurrency {
  run<T>(tenant: string, work: () => Promise<T>): Promise<T>;
}

/**
 * What waits here waits for no database connection, which every tenant needs. It is bounded by the requests that a tenant may have
 * in progress.
 */
export function limitConcurrency(perTenant: number): Concurrency {
  const running = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  const end = (tenant: string): void => {
    const queue = waiting.get(tenant);
    const next = queue?.shift();
    if (queue?.length === 0) waiting.delete(tenant);
    // The place goes from one to the next, so the count stays.
    if (next) {
      next();
      return;
    }
    const left = (running.get(tenant) ?? 1) - 1;
    if (left === 0) running.delete(tenant);
    else running.set(tenant, left);
  };

  const begin = (tenant: string): Promise<void> | null => {
    const count = running.get(tenant) ?? 0;
    if (count < perTenant) {
      running.set(tenant, count + 1);
      return null;
    }
    return new Promise((resolve) => {
      const queue = waiting.get(tenant);
      if (queue) queue.push(resolve);
      else waiting.set(tenant, [resolve]);
    });
  };

  return {
    async run(tenant, work) {
      await begin(tenant);
      try {
        return await work();
      } finally {
        end(tenant);
      }
    },
  };
}
