import { statement } from '../db/statement.ts';
import type { RecipientKey } from './sql.ts';

/** The personal fields of an event. The order's reference stays: it is the merchant's and identifies the order. */
export const PERSONAL_IN_EVENTS = ['recipient_email', 'recipient_phone', 'subject', 'body'] as const;

/** Of the events `scrubbed`. */
const DELIVERIES_SCRUBBED = `delivery as (
    update webhook_deliveries d set is_scrubbed = true from scrubbed e where d.business_id = $1 and d.event_id = e.id
    returning d.state
  )
  select count(*) filter (where state = 'pending')::int as webhook_payloads_scrubbed from delivery`;

/**
 * Removes a person from events of one type or of all, delivered or not. Each webhook attempt renders its event afresh, so
 * pending deliveries arrive without the person. Returns how many are pending. Every event about a person has their address
 * until it is scrubbed, so the condition on it skips those already done.
 */
export const scrubEvents = statement<
  [...RecipientKey, personal: readonly string[], type: string | null],
  { webhook_payloads_scrubbed: number }
>(`
  with scrubbed as (
    update events set data = data || coalesce(
      (select jsonb_object_agg(field, null) from unnest($3::text[]) field where data ? field), '{}')
    where business_id = $1 and recipient_id = $2 and ($4::text is null or type = $4)
      and data ->> 'recipient_email' is not null
    returning id
  ), ${DELIVERIES_SCRUBBED}`);

/** The same for what was told of orders, under any of these ids. There the reference and the shipment are the person's. */
export const scrubOrderEvents = statement<
  [businessId: string, ids: readonly string[]],
  { webhook_payloads_scrubbed: number }
>(`
  with scrubbed as (
    update events set data = data || '{"recipient_email": null, "reference": null, "tracking_number": null}'
    where business_id = $1 and recipient_id = any ($2::text[]) and type = 'order.updated'
      and data ->> 'recipient_email' is not null
    returning id
  ), ${DELIVERIES_SCRUBBED}`);

/**
 * Deletes what endpoints answered to events of people, which may repeat them. A statement of its own after the events were scrubbed: an
 * attempt that was recorded while that waited for its delivery is seen only now, and none stores a response afterwards.
 */
export const deleteWebhookResponses = statement<
  [businessId: string, ids: readonly string[], type: string | null]
>(`
  update webhook_attempts a set response = null
  from events e join webhook_deliveries d on d.business_id = $1 and d.event_id = e.id
  where e.business_id = $1 and e.recipient_id = any ($2::text[]) and ($3::text is null or e.type = $3) and a.business_id = $1
    and a.endpoint_id = d.endpoint_id and a.event_id = d.event_id and a.response is not null`);

/** A push's result without the person, byte for byte in its other fields. A subject is never null in a result, so it becomes empty. */
const SCRUBBED_RESULT = `(
    select '{' || string_agg(to_json(field.key)::text || ':' || case
        when field.key in ('recipient_email', 'reference', 'order_status') then 'null'
        when field.key = 'subject' then '""'
        else field.value::text end,
      ',' order by field.place) || '}'
    from json_each(i.response::json) with ordinality field (key, value, place))`;

/**
 * A batch replays the responses of its pushes, stored at the same moment as its key: those about a person stay without the person, as its
 * parts alone. So do copies that it has of earlier responses. A fingerprint would let anybody try out what the request said. Returns how
 * many responses of pushes are gone.
 */
export const scrubBatchParts = statement<RecipientKey, { pushes: number }>(`
  with part as (
    select i.scope, i.key from idempotency_records i where i.business_id = $1 and i.recipient_id = $2 and (
      i.scope = 'batch_item' or i.scope = 'push' and exists (
        select from idempotency_records b where b.business_id = $1 and b.scope = 'batch'
          and b.key = regexp_replace(i.key, '#[0-9]+$', '') and b.key <> i.key and b.created_at = i.created_at))
  ), scrubbed as (
    update idempotency_records i set scope = 'batch_item', recipient_id = null, fingerprint = '', response = ${SCRUBBED_RESULT}
    from part where i.business_id = $1 and i.scope = part.scope and i.key = part.key
    returning part.scope
  )
  select count(*) filter (where scope = 'push')::int as pushes from scrubbed`);

/** Before parts are added: an expired part may have the key of a newer one. */
export const deleteExpiredParts = statement<[businessId: string, now: Date]>(`
  delete from idempotency_records where business_id = $1 and scope = 'batch_item' and expires_at <= $2`);

/** The stored responses about a person. */
export const deleteResponses = statement<RecipientKey, { deleted: number }>(`
  with deleted as (delete from idempotency_records where business_id = $1 and recipient_id = $2 returning 1)
  select count(*)::int as deleted from deleted`);

/** Whether a text in lower case has any of the spellings $3. */
const names = (text: string, spelling: string): string =>
  `exists (select from unnest($3::text[]) spelling where position(${spelling} in ${text}) > 0)`;

/**
 * Deletes what connected stores and tracking services told of a person: by the address, and, where none is stored, by each spelling of it
 * in what they sent, and by the person's orders. A body is bytes that may be no text, so it is searched as Postgres escapes it.
 */
export const deleteCalls = statement<[businessId: string, email: string, spellings: readonly string[]]>(`
  with registered as (
    delete from tracking_registrations r using order_recipients n, shipments s
    where r.business_id = $1 and n.business_id = $1 and n.email = $2 and s.business_id = $1 and s.reference = n.reference
      and r.tracking_number = s.tracking_number
  ), told as (
    delete from connection_orders o
    where o.business_id = $1 and (o.email = $2 or o.email is null and ${names('lower(o.known::text)', 'spelling')})
    returning o.connection_id, o.store_order
  )
  delete from connection_calls c where c.business_id = $1 and (c.email = $2 or c.email is null and (
    (c.connection_id, c.store_order) in (select connection_id, store_order from told)
    or c.order_number in (select reference from order_recipients where business_id = $1 and email = $2)
    or ${names(`lower(encode(c.body, 'escape'))`, `encode(convert_to(spelling, 'UTF8'), 'escape')`)}))`);

/**
 * Replaces what failed items of batches quote of the caller, in the whole business: nobody can say which person such an item was about.
 * Few if any.
 */
export const scrubDetails = statement<[businessId: string]>(`
  update idempotency_records set
    response = (jsonb_set(response::jsonb, '{detail}', response::jsonb -> 'erased_detail') - 'erased_detail')::text
  where business_id = $1 and scope = 'batch_item' and status <> 201 and response::json -> 'erased_detail' is not null`);
