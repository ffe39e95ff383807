import { statement } from '../db/statement.ts';

export interface MessageRow {
  id: string;
  subject: string;
  body: string | null;
  status: 'active' | 'obsolete' | 'retracted';
  reference: string | null;
  order_status: string | null;
  created_at: Date;
  updated_at: Date;
  ended_at: Date | null;
  opened_at: Date | null;
  replaced_by: string | null;
  replaced_by_subject: string | null;
}

/**
 * The text leaves the database only once the message was opened: reading it is what opening means. What replaced a
 * message is named only when it went to the same person; a merchant may replace it by a message to somebody else.
 * `offset 0` keeps the look at it a look by primary key: joined freely, it was planned as a walk through the inbox.
 */
const MESSAGE = `
  select m.id, m.subject, case when m.opened_at is not null then m.body end as body, m.status, m.reference,
    m.order_status, m.created_at, m.updated_at, coalesce(m.retracted_at, m.obsoleted_at) as ended_at, m.opened_at,
    case when r.recipient_id = m.recipient_id then r.id end as replaced_by,
    case when r.recipient_id = m.recipient_id then r.subject end as replaced_by_subject
  from messages m
  left join lateral (
    select o.id, o.recipient_id, o.subject from messages o
    where o.business_id = m.business_id and o.id = m.replaced_by offset 0
  ) r on true`;

/** A keyset page, read from one index range however many messages there are. */
export const messagesBefore = statement<
  [businessId: string, recipientId: string, beforeId: string, limit: number],
  MessageRow
>(`${MESSAGE}
  where m.business_id = $1 and m.recipient_id = $2 and m.id < $3
  order by m.id desc
  limit $4`);

export const oneMessage = statement<
  [businessId: string, recipientId: string, id: string],
  MessageRow
>(`${MESSAGE}
  where m.business_id = $1 and m.recipient_id = $2 and m.id = $3`);

/**
 * For orders on an older page: one newer message of each that has any, the newest that tells a status if one does.
 * Walks the person's newer messages, so it is not asked for the first page.
 */
export const newerOfOrders = statement<
  [
    businessId: string,
    recipientId: string,
    fromId: string,
    references: string[],
    statuses: readonly string[],
  ],
  { reference: string; status: string; order_status: string | null }
>(`
  select distinct on (reference) reference, status, order_status
  from messages
  where business_id = $1 and recipient_id = $2 and id >= $3 and reference = any ($4)
  order by reference, (status = 'active' and coalesce(order_status = any ($5), false)) desc, id desc`);
