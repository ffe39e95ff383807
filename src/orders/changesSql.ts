import { statementOfBusinesses } from '../db/perBusiness.ts';

/** A row of the recordset that `insertOrderChanges` writes: what happened to an order. See migrations/0012_orders.sql. */
export interface OrderChangeRow {
  business_id: string;
  /** `newId`: changes are applied in this order. */
  id: string;
  reference: string;
  recipient_id?: string | undefined;
  email?: string | undefined;
  status?: string | null | undefined;
  status_at?: string | undefined;
  tracking_number?: string | undefined;
  recounts?: boolean | undefined;
}

export const insertOrderChanges = (json: string, now: string): string => `
    insert into order_changes (business_id, id, reference, recipient_id, email, status, status_at, tracking_number, at, recounts)
    select business_id, id, reference, recipient_id, email, status, status_at, tracking_number, ${now}, coalesce(recounts, false)
    from json_populate_recordset(null::order_changes, ${json}::json)`;

export const writeOrderChanges = statementOfBusinesses<[changes: string, now: Date]>(
  ['rows', 'same'],
  insertOrderChanges('$1', '$2'),
);
