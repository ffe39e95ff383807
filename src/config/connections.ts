/** What a process does. */
export interface Roles {
  api: boolean;
  worker: boolean;
}

export type PushConcurrency = typeof PUSHES;

const API = 16;
const WORKER = 12;
/** One for claims, one for records, two for reads. */
const WEBHOOKS = 4;
/** LISTEN needs a connection of its own: for workers, and for calls that wait for events. */
const LISTENING = 1;

/**
 * One listens and one delivers webhooks. Of the other four, a group of pushes, a batch and a deferred push can each wait for
 * a lock, and one is left for reads, the outbox and health.
 */
export const POOL_MAX_LEAST = 6;
/** The connections of requests at that minimum. */
const API_LEAST = 4;

/** How many transactions of pushes run at once. */
const PUSHES = {
  /** Two keep the database busy while the next one gathers; more only contend (measured). */
  groups: 2,
  /** Further groups, for businesses without a push in a running group. */
  spareGroups: 2,
  /** Deferred pushes, each of which waits for its recipient in its own transaction. */
  deferred: 4,
  batches: 4,
  /** Further deferred pushes, and further batches, for businesses that have none running. */
  spareSingle: 1,
};
/** With fewer connections than this, one group at a time leaves more of them to others. */
const TWO_GROUPS_FROM = 6;

/** Divides the connections of one process. `max` null: as many as are of use. More than that are never opened. */
export function divideConnections(max: number | null, { api, worker }: Roles) {
  const full = {
    /** For requests, and for the outbox in a process with the worker role. */
    pool: (api ? API : 0) + (worker ? WORKER : 0),
    webhooks: worker ? WEBHOOKS : 0,
    listening: LISTENING,
  };
  const total = full.pool + full.webhooks + full.listening;
  if (max === null || max >= total) return { ...full, pushes: PUSHES };
  const webhooks = worker ? Math.max(1, Math.round((full.webhooks * max) / total)) : 0;
  const pool = max - webhooks - full.listening;
  const forRequests = worker ? Math.max(API_LEAST, Math.floor((pool * API) / (API + WORKER))) : pool;
  return { pool, webhooks, listening: full.listening, pushes: pushesWithin(forRequests) };
}

/** In proportion, so that pushes that wait for a lock never occupy all connections. */
function pushesWithin(connections: number): PushConcurrency {
  const part = (of: number): number => Math.floor((of * connections) / API);
  return {
    groups: connections >= TWO_GROUPS_FROM ? PUSHES.groups : 1,
    spareGroups: part(PUSHES.spareGroups),
    deferred: Math.max(1, part(PUSHES.deferred)),
    batches: Math.max(1, part(PUSHES.batches)),
    spareSingle: part(PUSHES.spareSingle),
  };
}
