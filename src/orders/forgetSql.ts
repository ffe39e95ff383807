import { statement } from '../db/statement.ts';

type OfAddress = [businessId: string, email: string];

/** Events of these shipments that are being written come first: they are deleted with the others. */
export const lockShipmentsOf = statement<OfAddress>(`
  select from shipments s
  where s.business_id = $1 and s.reference in (select reference from order_recipients where business_id = $1 and email = $2)
  order by s.reference, s.tracking_number for update`);

export const deleteOrdersOf = statement<
  OfAddress,
  { deleted: number; shared: string[]; named_ids: string[] }
>(`
  with mine as materialized (
    select n.reference, n.named_id, exists (
      select from order_recipients other
      where other.business_id = $1 and other.reference = n.reference and other.email <> $2) as is_shared
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
