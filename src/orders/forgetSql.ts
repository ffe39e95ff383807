import { statement } from '../db/statement.ts';

type OfAddress = [businessId: string, email: string];

/** More than one person's orders, and few enough for the table of locks. */
const LOCKED_MAX = 1_000;

/** The orders of an address, the one that named it last first: those that have it, and those that will once their changes are applied. */
export const ordersNaming = statement<OfAddress, { reference: string }>(`
  select reference from (
    select reference, named_id as place from order_recipients where business_id = $1 and email = $2
    union
    select c.reference, c.id from order_changes c left join recipients r on r.business_id = $1 and r.id = c.recipient_id
    where c.business_id = $1 and coalesce(r.email, c.email) = $2) named
  group by reference order by max(place) desc limit ${LOCKED_MAX}`);

/** In ascending order, as tracking events take them. */
export const waitForOrders = statement<[locks: bigint[]]>(`
  select pg_advisory_xact_lock(k) from unnest($1::bigint[]) k order by k`);

/** Events of these shipments that are being written come first: they are deleted with the others. */
export const lockShipmentsOf = statement<OfAddress>(`
  select from shipments s
  where s.business_id = $1 and s.reference in (select reference from order_recipients where business_id = $1 and email = $2)
  order by s.reference, s.tracking_number for update`);

/** Others share an order whose pushes name it meanwhile: those changes are not applied before the erasure ends. */
export const deleteOrdersOf = statement<
  OfAddress,
  { deleted: number; shared: string[]; named_ids: string[] }
>(`
  with mine as materialized (
    select n.reference, n.named_id, exists (
      select from order_recipients other
      where other.business_id = $1 and other.reference = n.reference and other.email <> $2) or exists (
      select from order_changes c left join recipients r on r.business_id = $1 and r.id = c.recipient_id
      where c.business_id = $1 and c.reference = n.reference and coalesce(r.email, c.email) <> $2) as is_shared
    from order_recipients n where n.business_id = $1 and n.email = $2
  ), event as (
    delete from tracking_events t using mine m
    where t.business_id = $1 and t.reference = m.reference and not m.is_shared returning 1
  ), shipment as (
    delete from shipments s using mine m
    where s.business_id = $1 and s.reference = m.reference and not m.is_shared returning 1
  ), order_row as (
    delete from orders o using mine m
    where o.business_id = $1 and o.reference = m.reference and not m.is_shared returning 1
  ), shared_event as (
    update tracking_events t set description = null, location = null from mine m
    where t.business_id = $1 and t.reference = m.reference and m.is_shared
      and (t.description is not null or t.location is not null)
  ), person as (
    delete from order_recipients where business_id = $1 and email = $2
  )
  select (select count(*) from event)::int + (select count(*) from shipment)::int + (select count(*) from order_row)::int as deleted,
    array(select reference from mine where is_shared) as shared, array(select named_id from mine) as named_ids`);
