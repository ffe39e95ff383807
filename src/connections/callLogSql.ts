import { statement } from '../db/statement.ts';
import type { CallOutcome, WouldPush } from './results.ts';

export interface CallRow {
  id: string;
  received_at: Date;
  topic: string;
  order: string | null;
  outcome: CallOutcome | null;
  message_id: string | null;
  reason: string | null;
  would_push: WouldPush[] | null;
}

const CALL = `id, received_at, topic, order_number as "order", outcome, message_id, reason, would_push`;

type OfConnection = [businessId: string, connectionId: string];

/** Newest first. */
export const selectCalls = statement<
  [...OfConnection, before: string, outcome: string | null, limit: number],
  CallRow
>(`
  select ${CALL} from connection_calls
  where business_id = $1 and connection_id = $2 and id < $3 and ($4::text is null or outcome = $4)
  order by id desc limit $5`);

/** A text of its own, so that the index on the order is used. */
export const selectCallsOfOrder = statement<
  [...OfConnection, before: string, outcome: string | null, limit: number, order: string],
  CallRow
>(`
  select ${CALL} from connection_calls
  where business_id = $1 and connection_id = $2 and order_number = $6 and id < $3 and ($4::text is null or outcome = $4)
  order by id desc limit $5`);

export const selectCall = statement<[...OfConnection, callId: string], CallRow>(`
  select ${CALL} from connection_calls where business_id = $1 and connection_id = $2 and id = $3`);
