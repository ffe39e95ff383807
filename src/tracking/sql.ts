import type { TrackingStatus } from '../contract/orders.ts';
import { statementOfBusinesses, writesOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import { insertOrderChanges } from '../orders/changesSql.ts';
import { insertTrackingEvents, nameShipments } from '../orders/shipmentsSql.ts';
import { storeResponses } from '../push/applySql.ts';
import type { SnapshotCaller } from '../push/buildSnapshot.ts';
import { answersTo, callersOf } from '../push/loadSql.ts';
import type { ReadResponse } from '../push/records.ts';

/** Times are text, since each part is JSON. */
export interface TrackingRow {
  callers: SnapshotCaller[] | null;
  records: ReadResponse[] | null;
  businesses: TrackingBusiness[] | null;
  orders: OrderRow[] | null;
  events: ShipmentFound[] | null;
}

export interface TrackingBusiness {
  id: string;
  name: string;
  language: string;
  tracking_nudges: TrackingStatus[];
  tracking_channels: ('email' | 'sms' | 'whatsapp')[];
  tracking_escalate_minutes: number | null;
}

interface PersonRow {
  id: string;
  email: string;
  language: string | null;
}

export interface OrderRow {
  business_id: string;
  reference: string;
  /** Of the newest message. */
  recipient: PersonRow | null;
  by_hand: { id: string; order_status: string; at: string }[] | null;
}

/** What is known of the shipment of an event of the group, and of the person whom it names. */
export interface ShipmentFound {
  business_id: string;
  place: number;
  latest_at: string | null;
  carrier: string | null;
  tracking_url: string | null;
  expected_on: string | null;
  is_stored: boolean;
  has_status: boolean;
  named: PersonRow | null;
}

/** The newest messages of an order among which pushes by hand are looked for. */
const MESSAGES_READ_MAX = 1_000;

/** As in the index messages_by_reference, which no other expression can use. */
const PLACE = "(business_id || ' ' || reference || ' ' || id)";
const messagesOfOrder = (columns: string): string => `
        select ${columns} from messages
        where ${PLACE} > o.business_id || ' ' || o.reference || ' ' and ${PLACE} < o.business_id || ' ' || o.reference || ' ~'
          and reference is not null
        order by ${PLACE} desc`;

const person = (condition: string): string =>
  `(select json_build_object('id', id, 'email', email, 'language', language) from recipients where ${condition})`;

/**
 * Pipelined behind the locks of the group. Reads the callers' API keys, the stored responses, and what is known of the orders. The
 * parts are found by key, one lookup each (see push/loadSql.ts).
 */
export const loadTracking = statementOfBusinesses<
  [
    now: Date,
    records: string,
    orders: string,
    events: string,
    businessIds: string[],
    callersBusinessIds: string[],
    callersKeyIds: string[],
    toldSince: Date,
  ],
  TrackingRow
>(
  ['same', 'rows', 'rows', 'rows', 'businesses', 'businesses', 'parallel', 'same'],
  `
  select
    ${callersOf('$6', '$7')} as callers,
    (select json_agg(i) from (${answersTo('$2', '$1')}) i) as records,
    (select json_agg(b) from (
      select id, name, language, tracking_nudges, tracking_channels, tracking_escalate_minutes
      from businesses where id = any ($5::text[])) b) as businesses,
    (select json_agg(o) from (
      select o.business_id, o.reference,
        ${person(`business_id = o.business_id and id = newest.recipient_id`)} as recipient,
        (select json_agg(h order by h.at desc) from (
          select m.id, told.* from (${messagesOfOrder('*')} limit ${MESSAGES_READ_MAX}) m cross join lateral (
            select m.order_status, m.updated_at as at where m.milestone_at is null and m.order_status is not null
            union all
            select * from jsonb_to_recordset(m.told_by_hand) as (order_status text, at timestamptz)) told
          where m.updated_at > $8 and told.at > $8 and m.status <> 'retracted') h) as by_hand
      from jsonb_to_recordset($3::jsonb) as o (business_id text, reference text)
      left join lateral (${messagesOfOrder('recipient_id')} limit 1) newest on true) o) as orders,
    (select json_agg(e) from (
      select e.business_id, e.place, s.status_at as latest_at, s.carrier, s.tracking_url, s.expected_on,
        exists (select from tracking_events where business_id = e.business_id and reference = e.reference
          and tracking_number = e.tracking_number and status = e.status and at = e.at) as is_stored,
        exists (select from tracking_events where business_id = e.business_id and reference = e.reference
          and tracking_number = e.tracking_number and status = e.status) as has_status,
        case when e.email is not null then ${person(`business_id = e.business_id and email = e.email`)} end as named
      from jsonb_to_recordset($4::jsonb)
        as e (business_id text, place integer, reference text, tracking_number text, status text, at timestamptz, email text)
      left join lateral (
        select * from shipments where business_id = e.business_id and reference = e.reference
          and tracking_number = e.tracking_number offset 0) s on true) e) as events`,
);

/**
 * Of the addresses that events named for each of these orders, the one that came last: projected already, or waiting to be. One
 * statement, so that it misses none that is projected meanwhile. People of messages do not count: theirs may have left the order.
 */
export const addressesNamed = statement<
  [businessId: string, references: string[]],
  { reference: string; email: string; id: string | null; language: string | null }
>(`
  select distinct on (a.reference) a.reference, a.email, r.id, r.language
  from (
    select reference, email, min(place) as place from (
      select reference, email, named_id as place from order_recipients
      where business_id = $1 and reference = any ($2) and by_event
      union all
      select reference, email, id from order_changes
      where business_id = $1 and reference = any ($2) and email is not null) named
    group by reference, email) a
  left join recipients r on r.business_id = $1 and r.email = a.email
  order by a.reference, a.place desc`);

/** Which of these people are left: recipients by their id, and others if their order still names them. */
export const addresseesLeft = statementOfBusinesses<
  [businessIds: string[], references: string[], emails: string[], ids: (string | null)[]],
  { business_id: string; reference: string; email: string }
>(
  ['businesses', 'parallel', 'parallel', 'parallel'],
  `
  select a.business_id, a.reference, a.email
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) a (business_id, reference, email, id)
  where exists (select from recipients where business_id = a.business_id and id = a.id)
    or a.id is null and (
      exists (select from order_recipients
        where business_id = a.business_id and reference = a.reference and email = a.email)
      or exists (select from order_changes
        where business_id = a.business_id and reference = a.reference and email = a.email))`,
);

/** The shops' own texts for these statuses and languages. */
export const ownTextsFor = statementOfBusinesses<
  [texts: string],
  { business_id: string; order_status: string; language: string; subject: string; body: string }
>(
  ['rows'],
  `
  select t.business_id, t.order_status, t.language, t.subject, t.body
  from jsonb_to_recordset($1::jsonb) as w (business_id text, order_status text, language text) cross join lateral (
    select * from business_texts
    where business_id = w.business_id and order_status = w.order_status and language = w.language offset 0) t`,
);

/** What events change of shipments and orders, and the stored answers. Each is a JSON recordset. */
export const writeTracking = writesOfBusinesses<
  [now: Date, shipments: string, events: string, orderChanges: string, history: string, records: string]
>(['same', 'rows', 'rows', 'rows', 'rows', 'rows'], {
  writes: {
    shipment: nameShipments('$2', '$1'),
    tracking_event: insertTrackingEvents('$3', '$1'),
    order_change: insertOrderChanges('$4', '$1'),
    history: `
    insert into message_events (business_id, id, message_id, type, detail, at)
    select business_id, id, message_id, type, detail, at from json_populate_recordset(null::message_events, $5::json)`,
    stored: storeResponses('$6', '$1'),
  },
});
