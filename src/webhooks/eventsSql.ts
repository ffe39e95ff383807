import { statement } from '../db/statement.ts';

/**
 * `with` part that writes the events of the named JSON recordset and fans them out: used on its own below and
 * spliced into the statement that applies a list of pushes. The foreign key is checked when the statement ends,
 * by when both sides are there. Deliveries of one moment come due a microsecond apart, in the order of their events,
 * so that the index of what is due is also the order of occurrence.
 */
export const writeEvents = (json: string): string => `
  new_event as (
    insert into events (business_id, id, type, occurred_at, message_id, recipient_id, data)
    select e.business_id, e.id, e.type, e.occurred_at, e.message_id, e.recipient_id, e.data
    from jsonb_to_recordset(${json}) as e (business_id text, id text, type text, occurred_at timestamptz,
      message_id text, recipient_id text, data jsonb)
    returning business_id, id, type, occurred_at
  ), new_delivery as (
    insert into webhook_deliveries (business_id, endpoint_id, event_id, due_at, created_at)
    select e.business_id, w.id, e.id,
      e.occurred_at - interval '1 millisecond' + least(e.place, 1000) * interval '1 microsecond', e.occurred_at
    from (select *, row_number() over (order by id) as place from new_event) e
    join webhook_endpoints w on w.business_id = e.business_id and w.deleted_at is null and w.disabled_at is null
      and (w.event_types = '{}' or e.type = any (w.event_types))
    returning 1
  )`;

export const insertEvents = statement<[events: string], { deliveries: number }>(`
  with ${writeEvents('$1::jsonb')}
  select count(*)::int as deliveries from new_delivery`);
