import { lookUpInTwoForms, statementOfBusinesses, writesOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';

/** One transaction at a time applies the changes of a business. */
export const tryOrdersLock = statement<[lock: bigint], { free: boolean }>(`
  select pg_try_advisory_xact_lock($1) as free`);

export const waitForOrdersLock = statement<[lock: bigint]>(`select pg_advisory_xact_lock($1)`);

export const hasWaitingChanges = statement<[businessId: string], { waiting: boolean }>(`
  select exists (select from order_changes where business_id = $1) as waiting`);

/**
 * The businesses with waiting changes: one probe of the primary key for each, however many wait. Citus cannot walk across shards; there
 * those that do not answer are left out.
 */
export const businessesWithChanges = lookUpInTwoForms<{ business_id: string }>(
  'order_changes',
  `
  with recursive waiting (business_id) as (
    (select business_id from order_changes order by business_id limit 1)
    union all
    select next.business_id from waiting w cross join lateral (
      select business_id from order_changes c where c.business_id > w.business_id order by c.business_id limit 1) next
  )
  select business_id from waiting`,
  (table) => `select business_id from ${table} group by business_id`,
);

export interface WaitingChange {
  id: string;
  reference: string;
  status: string | null;
  status_at: Date | null;
  tracking_number: string | null;
  at: Date;
  recounts: boolean;
  by_event: boolean;
  /** Of the person whom the change concerns; null: of nobody, or of a person who was erased. */
  email: string | null;
  person_id: string | null;
  /** Of that address with this order, if the order has it. */
  named_id: string | null;
  named_by_event: boolean | null;
  order: { status: string | null; status_at: string | null; change_id: string; updated_at: string } | null;
}

/**
 * The next changes, each with the order that it is about as it was, and the person. LIMIT names one row by its whole key: joined as usual,
 * a plan made while the tables were small reads all orders of the shop for each change.
 */
export const nextChanges = statement<[businessId: string, limit: number], WaitingChange>(`
  select c.id, c.reference, c.status, c.status_at, c.tracking_number, c.at, c.recounts, c.email is not null as by_event,
    coalesce(r.email, c.email) as email, coalesce(r.id, p.id) as person_id, n.named_id, n.by_event as named_by_event,
    case when o.reference is not null then json_build_object('status', o.status, 'status_at', o.status_at,
      'change_id', o.change_id, 'updated_at', o.updated_at) end as order
  from (select * from order_changes where business_id = $1 order by id limit $2) c
  left join lateral (select * from orders where business_id = $1 and reference = c.reference limit 1) o on true
  left join lateral (select id, email from recipients where business_id = $1 and id = c.recipient_id limit 1) r on true
  left join lateral (select id from recipients where business_id = $1 and email = c.email limit 1) p on true
  left join lateral (select named_id, by_event from order_recipients
    where business_id = $1 and reference = c.reference and email = coalesce(r.email, c.email) limit 1) n on true
  order by c.id`);

/** More messages than one order has. The newest are read. */
const MESSAGES_READ_MAX = 10_000;

/** The messages of the order `requested`, newest first, by the index messages_by_reference, which no other expression can use. */
const MESSAGES_OF_ORDER = `
      select * from messages
      where (business_id || ' ' || reference || ' ' || id) > $1::text || ' ' || requested.reference || ' '
        and (business_id || ' ' || reference || ' ' || id) < $1::text || ' ' || requested.reference || ' ~' and reference is not null`;

export interface OrderSources {
  reference: string;
  /** Whether a message or a shipment names it. */
  is_named: boolean;
  message_status: string | null;
  message_at: Date | null;
  event_status: string | null;
  event_at: Date | null;
}

/**
 * The latest words about orders. A milestone's message counts at the time of its tracking event, which is newer by rule, so only the
 * event is looked at.
 */
export const readSources = statementOfBusinesses<
  [businessId: string, references: readonly string[], words: readonly string[]],
  OrderSources
>(
  ['business', 'same', 'same'],
  `
  select requested.reference, m.order_status as message_status, m.at as message_at, e.status as event_status, e.at as event_at,
    exists (${MESSAGES_OF_ORDER}) or exists (
      select from shipments s where s.business_id = $1 and s.reference = requested.reference) as is_named
  from unnest($2::text[]) requested (reference)
  left join lateral (
    select named.order_status, coalesce(named.order_status_at, named.created_at) as at
    from (${MESSAGES_OF_ORDER}
      order by (business_id || ' ' || reference || ' ' || id) desc limit ${MESSAGES_READ_MAX}) named
    where named.status <> 'retracted' and named.milestone_at is null and named.order_status = any ($3::text[])
    order by at desc, named.id desc limit 1) m on true
  left join lateral (
    select t.status, t.at from tracking_events t where t.business_id = $1 and t.reference = requested.reference
    order by t.at desc, t.id desc limit 1) e on true`,
);

/** Of these orders and addresses, those that the order has from messages alone and that no message of it has any more. */
export const forgetFormerRecipients = statementOfBusinesses<
  [businessId: string, references: readonly string[], emails: readonly string[]]
>(
  ['business', 'same', 'same'],
  `
  delete from order_recipients n using unnest($2::text[], $3::text[]) requested (reference, email)
  where n.business_id = $1 and n.reference = requested.reference and n.email = requested.email and not n.by_event
    and not exists (select from (${MESSAGES_OF_ORDER}) m join recipients r on r.business_id = $1 and r.id = m.recipient_id
      where r.email = requested.email)`,
);

/** Deletes the changes and writes what follows from them. */
export const writeOrders = writesOfBusinesses<
  [
    businessId: string,
    changeIds: readonly string[],
    unnamed: readonly string[],
    orders: string,
    recipients: string,
  ]
>(['business', 'same', 'same', 'rows', 'rows'], {
  writes: {
    applied: `delete from order_changes where business_id = $1 and id = any ($2::text[])`,
    unnamed_order: `delete from orders where business_id = $1 and reference = any ($3::text[])`,
    unnamed_recipient: `delete from order_recipients where business_id = $1 and reference = any ($3::text[])`,
    changed_order: `
    insert into orders as o (business_id, reference, status, status_at, change_id, updated_at)
    select business_id, reference, status, status_at, change_id, updated_at from json_populate_recordset(null::orders, $4::json)
    on conflict (business_id, reference) do update set status = excluded.status, status_at = excluded.status_at,
      change_id = excluded.change_id, updated_at = excluded.updated_at`,
    named: `
    insert into order_recipients as n (business_id, reference, email, named_id, by_event)
    select business_id, reference, email, named_id, by_event from json_populate_recordset(null::order_recipients, $5::json)
    on conflict (business_id, reference, email) do update set by_event = true where excluded.by_event and not n.by_event`,
  },
});
