import { statement } from '../db/statement.ts';

/** The personal fields of an event. The order's reference stays: it is the merchant's and identifies the order. */
export const PERSONAL_IN_EVENTS = ['recipient_email', 'recipient_phone', 'subject', 'body'] as const;

/**
 * Removes a person from events of one type or of all, delivered or not. Each webhook attempt renders its event afresh, so
 * pending deliveries arrive without the person. Returns how many are pending. Every event about a person has their address
 * until it is scrubbed, so the condition on it skips those already done.
 */
export const scrubEvents = statement<
  [businessId: string, recipientId: string, personal: readonly string[], type: string | null],
  { queued: number }
>(`
  with scrubbed as (
    update events set data = data || coalesce(
      (select jsonb_object_agg(field, null) from unnest($3::text[]) field where data ? field), '{}')
    where business_id = $1 and recipient_id = $2 and ($4::text is null or type = $4)
      and data ->> 'recipient_email' is not null
    returning id
  )
  select count(*)::int as queued from scrubbed e
  join webhook_deliveries d on d.business_id = $1 and d.event_id = e.id and d.state = 'pending'`);

/**
 * The JSON text of `object`, byte for byte, except for the fields that `changes` rewrites. Each names the key with `=`: Citus
 * writes the short form of `case` wrongly.
 */
const rewritten = (object: string, changes: string): string => `(
  select '{' || string_agg(to_json(field.key)::text || ':' || case ${changes} else field.value::text end,
    ',' order by field.place) || '}'
  from json_each(${object}) with ordinality field (key, value, place))`;

/** A result without the person. A subject is never null in a result, so it becomes empty. */
const scrubbedResult = rewritten(
  `item.content -> 'result'`,
  `when field.key in ('recipient_email', 'reference', 'order_status') then 'null' when field.key = 'subject' then '""'`,
);

/**
 * Deletes the stored responses about a person, and removes the person from responses to batches, whose other items stay
 * the same byte for byte. A batch is found through the records of its items, whose keys are the batch's key and `#index`;
 * retention keeps those as long as the batch.
 */
export const deleteAnswers = statement<
  [businessId: string, recipientId: string, email: string],
  { deleted: number }
>(`
  with deleted as (
    delete from idempotency_records where business_id = $1 and recipient_id = $2 returning scope, key
  ), batch as (
    select distinct regexp_replace(key, '#[0-9]+$', '') as key from deleted
    where scope in ('push', 'batch_item') and key ~ '#[0-9]+$'
  ), scrubbed as (
    update idempotency_records i set response = (
      select '{"items":[' || string_agg(
          case when item.content #>> '{result,recipient_email}' = $3
            then ${rewritten('item.content', `when field.key = 'result' then ${scrubbedResult}`)}
            else item.content::text end,
          ',' order by item.place)
        || '],"succeeded":' || (i.response::json ->> 'succeeded') || ',"failed":' || (i.response::json ->> 'failed') || '}'
      from json_array_elements(i.response::json -> 'items') with ordinality item (content, place))
    from batch where i.business_id = $1 and i.scope = 'batch' and i.key = batch.key
  )
  select count(*) filter (where scope <> 'batch_item')::int as deleted from deleted`);

/**
 * Replaces the details of failed items that quote the caller, in all stored batch responses of a business: nobody can say
 * which person such an item was about. The push stored the replacement text in `batch_item` records, few if any.
 */
export const scrubDetails = statement<[businessId: string]>(`
  with erased as (
    delete from idempotency_records where business_id = $1 and scope = 'batch_item' and recipient_id is null
    returning regexp_replace(key, '#[0-9]+$', '') as key, substring(key from '[0-9]+$')::int as index, response as detail
  )
  update idempotency_records i set response = (
    select '{"items":[' || string_agg(
        case when e.detail is null then item.content::text
          else ${rewritten('item.content', `when field.key = 'detail' then to_json(e.detail)::text`)} end,
        ',' order by item.place)
      || '],"succeeded":' || (i.response::json ->> 'succeeded') || ',"failed":' || (i.response::json ->> 'failed') || '}'
    from json_array_elements(i.response::json -> 'items') with ordinality item (content, place)
    left join erased e on e.key = i.key and e.index = item.place - 1)
  from (select distinct key from erased) batch
  where i.business_id = $1 and i.scope = 'batch' and i.key = batch.key`);
