import type { Dispatcher } from 'undici';
import type { Pool } from '../db/pool.ts';
import { type Clock, HOUR, later, MINUTE, SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, startLoop } from '../kit/loop.ts';
import type { Sealer } from '../kit/seal.ts';
import {
  claimRead,
  dueReads,
  failRead,
  finishRead,
  moveReadUpTo,
  type ReadRow,
  releaseRead,
} from './catchUpSql.ts';
import { secretsAndCredentials } from './connections.ts';
import { readOrders } from './readOrders.ts';
import { StoreFailure } from './storeFailure.ts';

/*
 * A WooCommerce store sends no call twice, and none while it believes that we are away. So its orders are also read, by what has changed
 * since the last read, and stored as if the store had called: what it has called about is a repetition.
 */

export interface CatchUpDeps {
  pool: Pool;
  clock: Clock;
  sealer: Sealer;
  /** The guarded one. */
  client: Dispatcher;
  log: Log;
  /** There are calls to handle. */
  onCalls(): void;
  /** Shorter in tests. */
  timeoutMs?: number;
  pauseMs?: number;
}

export const CATCH_UP_EVERY_MS = 15 * MINUTE;
/** Longer than a turn with its last page. */
const LEASE_MS = 5 * MINUTE;
const STORES_AT_ONCE = 8;
const POLL_MS = 5 * SECOND;

/** After the first failures in a row; from then on the last. */
const PAUSES_AFTER_FAILURE_MS = [MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR] as const;
const RETRY_AFTER_MAX_MS = HOUR;

/** Reads every store that is due. Any number of processes may run it: one at a time reads a store. */
export function startCatchUp(deps: CatchUpDeps): Loop {
  const { pool, clock, log } = deps;
  const stopping = new AbortController();
  let reading = 0;

  const start = (id: string): void => {
    reading += 1;
    void readStore(deps, id, stopping.signal)
      .catch((error: unknown) => log.error({ error, connection: id }, 'store not read'))
      .finally(() => {
        reading -= 1;
        loop.wake();
      });
  };

  const loop: Loop = startLoop({
    name: 'catch-up',
    clock,
    log,
    pollMs: POLL_MS,
    busy: () => reading,
    nextDue: async () => null,
    settled: async (now) => reading === 0 && (await dueReads(pool, now, 1)).length === 0,
    async step() {
      const free = STORES_AT_ONCE - reading;
      if (free > 0) for (const { id } of await dueReads(pool, clock.now(), free)) start(id);
      return false;
    },
    abort: () => stopping.abort(),
  });
  return loop;
}

/** One turn at a store, unless another process has it. */
export async function readStore(deps: CatchUpDeps, id: string, signal: AbortSignal): Promise<void> {
  const { pool, clock, log } = deps;
  const now = clock.now();
  const lease = later(now, LEASE_MS);
  const [connection] = await claimRead(pool, id, now, lease);
  if (connection === undefined) return;
  try {
    const end = await readTurn(deps, connection, lease, signal);
    if (end === 'interrupted') await releaseRead(pool, id, lease, clock.now());
    else await finishRead(pool, id, lease, later(clock.now(), end === 'more' ? 0 : CATCH_UP_EVERY_MS));
  } catch (error) {
    if (signal.aborted) return void (await releaseRead(pool, id, lease, clock.now()));
    if (!(error instanceof StoreFailure)) throw error;
    const wait = Math.max(pauseAfter(connection.failures), Math.min(error.retryAfterMs, RETRY_AFTER_MAX_MS));
    await failRead(pool, id, lease, later(clock.now(), wait), error.message);
    log.warn({ connection: id, failures: connection.failures + 1 }, 'store cannot be read');
  }
}

const pauseAfter = (failuresBefore: number): number =>
  PAUSES_AFTER_FAILURE_MS[Math.min(failuresBefore, PAUSES_AFTER_FAILURE_MS.length - 1)] ?? HOUR;

async function readTurn(
  deps: CatchUpDeps,
  connection: ReadRow,
  lease: Date,
  signal: AbortSignal,
): Promise<'done' | 'more' | 'interrupted'> {
  const { pool, clock, sealer } = deps;
  const { credentials } = await secretsAndCredentials(pool, sealer, connection.id, clock.now());
  if (credentials === null || connection.storeUrl === null)
    throw new StoreFailure('The store’s address, or a key for it, is missing.');
  return readOrders(deps, {
    connection,
    storeUrl: connection.storeUrl,
    credentials,
    signal,
    moveUpTo: async (time) => (await moveReadUpTo(pool, connection.id, lease, time.toISOString())).length > 0,
  });
}
