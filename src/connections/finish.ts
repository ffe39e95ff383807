import type { Client } from '../db/pool.ts';
import { GROUP_TRANSACTION, transaction } from '../db/transaction.ts';
import { later, MINUTE, SECOND } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { CallToHandle, HandleDeps } from './calls.ts';
import { isStoreKind, kindOf } from './kinds.ts';
import { inJson } from './knownOrder.ts';
import { type CallResult, result } from './results.ts';
import { STORE_STATUS_MAX, STORE_STATUSES_MAX } from './settings.ts';
import {
  type FinishedRow,
  finishCalls,
  type KnownOrderRow,
  noteStatuses,
  writeKnownOrders,
} from './workerSql.ts';

export interface HandledCall {
  call: CallToHandle;
  /** Of what was known of its order; empty: nothing. */
  readRevision: string;
  result: CallResult | { error: unknown };
}

/** After this many failures a call is not worth another attempt: a person may run it again. */
const ATTEMPTS_MAX = 20;
const RETRY_FIRST_MS = SECOND;
const RETRY_MAX_MS = 5 * MINUTE;
/** Another worker wrote the order meanwhile. */
const AFTER_RACE_MS = 100;

type Settled = Pick<HandledCall, 'call' | 'readRevision'> & { result: CallResult };

/** Records what became of calls, and what is known of their orders, in one transaction. */
export async function finish(
  deps: HandleDeps,
  handled: readonly HandledCall[],
  lease: string,
): Promise<void> {
  const { pool, clock } = deps;
  const now = clock.now();
  const settled: Settled[] = handled.map(({ result: of, ...rest }) => ({
    ...rest,
    result: 'error' in of ? afterFailure(deps, rest.call, of.error, now) : of,
  }));
  const finishAll = (tx: Client, calls: readonly Settled[], heldUnder: string | null) =>
    finishCalls(tx, JSON.stringify(inJson(calls.map(finishedRow))), heldUnder);
  await transaction(
    pool,
    async (tx) => {
      const held = new Set((await finishAll(tx, settled, lease)).map(({ id }) => id));
      const orders = settled
        .filter(({ call }) => held.has(call.id))
        .flatMap((one, ordinal) => {
          const row = orderRow(one, newId(now, ordinal));
          return row === null ? [] : [{ one, row }];
        });
      if (orders.length === 0) return;
      const rows = orders.map(({ row }) => row);
      const written = new Set((await writeKnownOrders(tx, JSON.stringify(rows), now)).map(nameOf));
      const raced = orders.filter(({ row }) => !written.has(nameOf(row)));
      if (raced.length === 0) return;
      const again = result('nothing_to_tell', { retryAt: later(now, AFTER_RACE_MS) });
      await finishAll(
        tx,
        raced.map(({ one }) => ({ ...one, result: again })),
        null,
      );
    },
    GROUP_TRANSACTION,
  );
  await noteNewStatuses(deps, settled);
}

const nameOf = ({ connection_id, store_order }: { connection_id: string; store_order: string }): string =>
  `${connection_id} ${store_order}`;

function orderRow(
  { call, result: { known, email }, readRevision }: Settled,
  revision: string,
): KnownOrderRow | null {
  if (known === null || call.storeOrder === null) return null;
  return {
    business_id: call.business.id,
    connection_id: call.connection.id,
    store_order: call.storeOrder,
    order_number: known.order?.number ?? null,
    email,
    known,
    revision,
    read_revision: readRevision,
  };
}

const finishedRow = ({
  call: { id, business, connection },
  result: { outcome, reason, messageId, wouldPush, orderNumber, email, retryAt },
}: Settled): FinishedRow => ({
  business_id: business.id,
  connection_id: connection.id,
  id,
  due_at: retryAt?.toISOString() ?? null,
  outcome,
  reason,
  message_id: messageId,
  would_push: wouldPush.length === 0 ? null : wouldPush,
  order_number: orderNumber,
  email,
});

/** A failure in passing is tried again; a call that fails again and again stands in the log as what it is. */
function afterFailure(
  { log }: HandleDeps,
  { id, connection, attempts }: CallToHandle,
  error: unknown,
  now: Date,
) {
  // Another worker pushes the same, or the database is away.
  const level = error instanceof ApiError ? 'warn' : 'error';
  log[level]({ error, connection: connection.id, call: id, attempts }, 'store call failed');
  if (attempts >= ATTEMPTS_MAX) return result('not_understood', { reason: 'common.internal' });
  const wait = Math.min(RETRY_FIRST_MS * 2 ** attempts, RETRY_MAX_MS);
  return result('not_understood', { reason: 'common.unavailable', retryAt: later(now, wait) });
}

/** Rare: a store has a few statuses of its own. */
async function noteNewStatuses({ pool }: HandleDeps, settled: readonly Settled[]) {
  const seen = new Map<string, Set<string>>();
  for (const { call, result: of } of settled) {
    const kind = kindOf(call.connection.kind);
    if (!isStoreKind(kind)) continue;
    for (const status of of.statuses) {
      if (Object.hasOwn(kind.statuses, status) || status.length > STORE_STATUS_MAX) continue;
      seen.set(call.connection.id, (seen.get(call.connection.id) ?? new Set()).add(status));
    }
  }
  for (const [id, statuses] of seen) await noteStatuses(pool, id, [...statuses], STORE_STATUSES_MAX);
}
