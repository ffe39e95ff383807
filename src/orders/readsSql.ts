import type { OrderView, ShipmentView } from '../contract/orders.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';

export interface ListedOrderRow {
  reference: string;
  status: string | null;
  status_at: Date | null;
  change_id: string;
  updated_at: Date;
}

const LISTED = 'o.reference, o.status, o.status_at, o.change_id, o.updated_at';

/*
 * Pages of the list of orders, newest change first, from the change `from` (inclusive) to the change `before` (exclusive). The bounds
 * are always given: see messages/listSql.ts.
 */
type Range = [businessId: string, from: string, before: string];

/** As in the index orders_by_change. */
const CHANGED = `(business_id || ' ' || change_id)`;

export const pageOfOrders = statementOfBusinesses<[...Range, limit: number], ListedOrderRow>(
  ['business', 'same', 'same', 'same'],
  `
  select ${LISTED} from orders o
  where ${CHANGED} >= $1::text || ' ' || $2::text and ${CHANGED} < $1::text || ' ' || $3::text
  order by ${CHANGED} desc limit $4`,
);

/** As in the index orders_by_status. */
const WITH_STATUS = `(business_id || ' ' || status || ' ' || change_id)`;

export const pageOfStatus = statementOfBusinesses<[...Range, status: string, limit: number], ListedOrderRow>(
  ['business', 'same', 'same', 'same', 'same'],
  `
  select ${LISTED} from orders o
  where ${WITH_STATUS} >= $1::text || ' ' || $4::text || ' ' || $2::text
    and ${WITH_STATUS} < $1::text || ' ' || $4::text || ' ' || $3::text and status is not null
  order by ${WITH_STATUS} desc limit $5`,
);

/** Far more orders than one person has. Of a person with more, those are listed that named them last. */
export const ORDERS_OF_PERSON_MAX = 10_000;

export const pageOfPerson = statement<
  [...Range, email: string, scan: number, limit: number, status: string | null],
  ListedOrderRow
>(`
  select ${LISTED} from (
    select reference from order_recipients where business_id = $1 and email = $4 order by named_id desc limit $5) n
  cross join lateral (
    select * from orders where business_id = $1 and reference = n.reference offset 0) o
  where o.change_id >= $2 and o.change_id < $3 and ($7::text is null or o.status = $7)
  order by o.change_id desc limit $6`);

type OfOrder = [businessId: string, reference: string];

export const findOrder = statement<OfOrder, { status: string | null; status_at: Date | null }>(`
  select status, status_at from orders where business_id = $1 and reference = $2`);

/** Far more than an order has: the bounds keep an answer from growing with whatever a caller stored. */
const PEOPLE_SHOWN_MAX = 1_000;
const SHIPMENTS_SHOWN_MAX = 200;
/** Of one shipment, the newest. */
const EVENTS_SHOWN_MAX = 200;

export const recipientsOfOrder = statement<OfOrder, { email: string }>(`
  select email from order_recipients where business_id = $1 and reference = $2 order by named_id, email
  limit ${PEOPLE_SHOWN_MAX}`);

export type ShipmentRow = Omit<ShipmentView, 'status_at'> & { status_at: Date | null };

/** The shipments of an order, or one of them, each with its events, oldest first. */
export const shipmentsOfOrder = statement<[...OfOrder, trackingNumber: string | null], ShipmentRow>(`
  select s.tracking_number, s.carrier, s.tracking_url, to_char(s.expected_on, 'YYYY-MM-DD') as expected_on,
    to_char(s.expected_until, 'YYYY-MM-DD') as expected_until, s.status, s.status_at, coalesce((
      select json_agg(json_build_object('at', t.at, 'status', t.status, 'description', t.description, 'location', t.location)
        order by t.at, t.id)
      from (select * from tracking_events
        where business_id = $1 and reference = $2 and tracking_number = s.tracking_number
        order by at desc, id desc limit ${EVENTS_SHOWN_MAX}) t), '[]') as events
  from shipments s
  where s.business_id = $1 and s.reference = $2 and ($3::text is null or s.tracking_number = $3)
  order by s.id limit ${SHIPMENTS_SHOWN_MAX}`);

const MESSAGES_SHOWN_MAX = 100;

/** As in the index messages_by_reference. */
const PLACE = `(business_id || ' ' || reference || ' ' || id)`;

/** The newest messages of an order, newest first. */
export const messagesOfOrder = statementOfBusinesses<
  OfOrder,
  Omit<OrderView['messages'][number], 'created_at'> & { created_at: Date }
>(
  ['business', 'same'],
  `
  select id, subject, status, order_status, created_at from messages
  where ${PLACE} > $1::text || ' ' || $2::text || ' ' and ${PLACE} < $1::text || ' ' || $2::text || ' ~' and reference is not null
  order by ${PLACE} desc limit ${MESSAGES_SHOWN_MAX}`,
);
