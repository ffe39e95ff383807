import type { Queryable } from '../db/statement.ts';
import { AFTER_EVERY_ID } from '../kit/ids.ts';
import { type CallRow, selectCall, selectCalls, selectCallsOfOrder } from './callLogSql.ts';

/** A call of a store or a service, as people see it. No outcome: it is not handled yet. */
export interface CallEntry extends Omit<CallRow, 'received_at'> {
  received_at: string;
}

interface CallsWanted {
  businessId: string;
  connectionId: string;
  /** Only those of an order, as the shop knows it. */
  order: string | null;
  outcome?: string | null;
  limit: number;
  /** The last call of the page before. */
  before: string | null;
}

/** Newest first. */
export async function readCalls(db: Queryable, wanted: CallsWanted): Promise<CallEntry[]> {
  const { businessId, connectionId, order, outcome = null, limit, before } = wanted;
  const page = [businessId, connectionId, before ?? AFTER_EVERY_ID, outcome, limit] as const;
  const rows = order === null ? await selectCalls(db, ...page) : await selectCallsOfOrder(db, ...page, order);
  return rows.map(entryOf);
}

export async function readCall(
  db: Queryable,
  { businessId, connectionId, callId }: { businessId: string; connectionId: string; callId: string },
): Promise<CallEntry | null> {
  const [row] = await selectCall(db, businessId, connectionId, callId);
  return row === undefined ? null : entryOf(row);
}

const entryOf = (row: CallRow): CallEntry => ({ ...row, received_at: row.received_at.toISOString() });
