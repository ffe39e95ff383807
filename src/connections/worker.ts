import { readSettings } from '../businesses/sql.ts';
import type { DueQueue, QueueKey } from '../db/dueQueues.ts';
import { eachReachable } from '../db/eachShard.ts';
import type { Pool } from '../db/pool.ts';
import { listen } from '../db/wake.ts';
import { type Clock, later, SECOND } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import { columns } from '../kit/columns.ts';
import { groupBy } from '../kit/groupBy.ts';
import { randomText } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, type LoopOptions, startLoop } from '../kit/loop.ts';
import type { TextSource } from '../texts/defaults.ts';
import { ownTextsFor } from '../tracking/sql.ts';
import { leaseStamp, leaseUntil } from '../webhooks/lease.ts';
import type { CallDeps, CallToHandle, HandleDeps, WantedText } from './calls.ts';
import { finish } from './finish.ts';
import { handleCall } from './handleCall.ts';
import { settingsFrom } from './settings.ts';
import {
  anyCallDue,
  type ClaimedCall,
  deleteOrphans,
  dueCalls,
  readConnectionsInUse,
  readKnownOrders,
  takeDueCalls,
  takeNextOfOrders,
} from './workerSql.ts';

/*
 * Handles the calls that were received. A call is
 *
 *   due       → held      under a lease, once the earlier calls of its order are done
 *   held      → done      with its outcome, in one transaction with what is known of its order
 *   held      → due       later: it waits for something, or failed in passing
 *
 * A worker that dies leaves its calls to the next one when the lease ends; each push has a key, so nothing is told twice.
 */

/** A worker that dies delays its calls by at most this. */
const CALL_LEASE_MS = 30 * SECOND;
const CALLS_AT_ONCE = 50;
const CONNECTIONS_A_LOOK = 200;
/** Then the other calls have their turn. */
const FOLLOWING_ROUNDS = 50;
/** Calls that come meanwhile are handled together, which costs the pushes beside them less than one turn for each. */
const BETWEEN_STEPS_MS = 200;
const WORKER_NAME_CHARACTERS = 12;

type WorkerDeps = HandleDeps & { log: Log };

/** Several can run on one database, in any number of processes. */
export function startConnectionWorker(deps: WorkerDeps): Loop {
  const { pool, clock, log } = deps;
  const worker = randomText(WORKER_NAME_CHARACTERS);
  const loop = startLoop({
    name: 'connections',
    clock,
    log,
    step: () => handleDue(deps, worker),
    busy: () => 0,
    pauseMs: BETWEEN_STEPS_MS,
    ...callsDue(pool),
  });
  const listener = listen(pool, 'waypost_connections', () => loop.wake(), log);
  return {
    ...loop,
    stop: async () => {
      await listener.stop();
      await loop.stop();
    },
  };
}

/** When calls are due. The worker and a process that waits for it use the same queries. */
export const callsDue = (pool: Pool): Pick<LoopOptions, 'nextDue' | 'settled'> => ({
  nextDue: (now) => dueCalls.next(pool, now),
  settled: async (now) => (await anyCallDue(pool, now))[0]?.due !== true,
});

/** Handles some of the due calls, of each connection its share; resolves to whether there are more. */
export async function handleDue(deps: WorkerDeps, worker: string): Promise<boolean> {
  const { pool, clock } = deps;
  let hasMore = false;
  for (let after: QueueKey | null = null; ; ) {
    const range = { after, floor: new Date(0), now: clock.now(), max: CONNECTIONS_A_LOOK };
    const { queues, end } = await dueCalls.find(pool, range);
    if (queues.length > 0 && (await handleQueues(deps, worker, queues))) hasMore = true;
    if (end === null) return hasMore;
    after = end;
  }
}

async function handleQueues(deps: WorkerDeps, worker: string, queues: readonly DueQueue[]): Promise<boolean> {
  const { now, stamp, lease } = newLease(deps.clock, worker);
  const share = Math.max(1, Math.floor(CALLS_AT_ONCE / queues.length));
  const claimed = await claimOfEach(deps.pool, queues, (some) =>
    takeDueCalls(
      deps.pool,
      ...columns(some, 'business_id', 'queue'),
      some.map(() => share),
      now,
      stamp,
      lease,
    ),
  );
  await handleClaimed(deps, claimed, { lease, isAgain: false });
  const isCut = await handleFollowing(deps, worker, claimed);
  const taken = groupBy(claimed, ({ connection_id }) => connection_id);
  return isCut || [...taken.values()].some(({ length }) => length === share);
}

/**
 * A store can send thousands of calls about one order, of which a claim finds only the first. Resolves to whether some may be left.
 */
async function handleFollowing(
  deps: WorkerDeps,
  worker: string,
  handled: readonly ClaimedCall[],
): Promise<boolean> {
  const { pool, clock } = deps;
  let last = handled;
  for (let round = 0; round < FOLLOWING_ROUNDS && last.length > 0; round += 1) {
    const { now, stamp, lease } = newLease(clock, worker);
    const orders = last.flatMap(({ business_id, connection_id, store_order }) =>
      store_order === null ? [] : [{ business_id, connection_id, store_order }],
    );
    last = await claimOfEach(pool, orders, (some) =>
      takeNextOfOrders(
        pool,
        ...columns(some, 'business_id', 'connection_id', 'store_order'),
        now,
        stamp,
        lease,
      ),
    );
    await handleClaimed(deps, last, { lease, isAgain: false });
  }
  return last.length > 0;
}

function newLease(clock: Clock, worker: string) {
  const now = clock.now();
  return { now, stamp: leaseStamp(now), lease: leaseUntil(later(now, CALL_LEASE_MS), worker) };
}

async function claimOfEach<Key extends { business_id: string }>(
  pool: Pool,
  keys: readonly Key[],
  claim: (some: readonly Key[]) => Promise<ClaimedCall[]>,
): Promise<ClaimedCall[]> {
  if (keys.length === 0) return [];
  return (await eachReachable(pool, keys, ({ business_id }) => business_id, claim)).flat();
}

/** Handles calls that are held under this lease, and records what became of them. */
export async function handleClaimed(
  deps: HandleDeps,
  claimed: readonly ClaimedCall[],
  { lease, isAgain }: { lease: string; isAgain: boolean },
): Promise<void> {
  if (claimed.length === 0) return;
  const calls = await prepare(deps.pool, claimed, isAgain);
  const ownText = createTextReader(deps.pool);
  const handled = await Promise.all(
    calls.map(async (call) => ({
      ...call,
      result: await handleCall({ ...deps, ownText }, call.call).catch((error: unknown) => ({ error })),
    })),
  );
  await finish(deps, handled, lease);
}

const TEXTS_A_READ = 200;

function createTextReader(pool: Pool): CallDeps['ownText'] {
  const reads = coalesce<WantedText, TextSource | null>({
    concurrency: 1,
    maxItems: TEXTS_A_READ,
    maxWaiting: Number.POSITIVE_INFINITY,
    async run(wanted) {
      const own = await ownTextsFor(pool, JSON.stringify(wanted));
      const texts = new Map(own.map((text) => [nameOfText(text), text]));
      return wanted.map((text) => texts.get(nameOfText(text)) ?? null);
    },
  });
  return (wanted) => reads.add(wanted);
}

const nameOfText = ({ business_id, order_status, language }: Record<keyof WantedText, string>): string =>
  `${business_id} ${order_status} ${language}`;

async function prepare(pool: Pool, claimed: readonly ClaimedCall[], isAgain: boolean) {
  const ordered = claimed.filter(({ store_order }) => store_order !== null);
  const [connections, businesses, orders] = await Promise.all([
    readConnectionsInUse(pool, [...new Set(claimed.map(({ connection_id }) => connection_id))]),
    readSettings(pool, [...new Set(claimed.map(({ business_id }) => business_id))]),
    readKnownOrders(
      pool,
      ...columns(ordered, 'business_id', 'connection_id'),
      ordered.map(({ store_order }) => store_order ?? ''),
    ),
  ]);
  const isOrphan = ({ connection_id }: ClaimedCall): boolean =>
    !connections.some(({ id }) => id === connection_id);
  const orphans = claimed.filter(isOrphan);
  if (orphans.length > 0)
    await deleteOrphans(pool, ...columns(orphans, 'business_id', 'connection_id', 'id'));
  return claimed.flatMap((row) => {
    const connection = connections.find(({ id }) => id === row.connection_id);
    const business = businesses.find(({ id }) => id === row.business_id);
    if (!connection || !business) return [];
    const known = orders.find(
      (order) => order.connection_id === row.connection_id && order.store_order === row.store_order,
    );
    const call: CallToHandle = {
      id: row.id,
      call: { topic: row.topic, headers: row.headers, body: row.body, receivedAt: row.received_at },
      connection: { id: connection.id, kind: connection.kind, settings: settingsFrom(connection.settings) },
      business,
      storeOrder: row.store_order,
      attempts: row.attempts,
      before: known?.known ?? null,
      isWatched: row.is_watched || connection.status !== 'live',
      isAgain,
    };
    return [{ call, readRevision: known?.revision ?? '' }];
  });
}
