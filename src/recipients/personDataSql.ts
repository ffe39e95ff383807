import { statement } from '../db/statement.ts';

type Row = Record<string, unknown>;
type OfPerson = [businessId: string, recipientId: string];

/** Rows as they are stored: a column that is added later is exported with the others. */
const whole = (alias: string, ...withheld: string[]): string =>
  `to_jsonb(${alias}) - ${['business_id', ...withheld].map((column) => `'${column}'`).join(' - ')} as row`;

export const exportPerson = statement<[businessId: string, email: string], { id: string; row: Row }>(`
  select r.id, ${whole('r')} from recipients r where r.business_id = $1 and r.email = $2`);

/** A page of messages, each with its sends and what happened to it; oldest first, after the one named. */
export const exportMessages = statement<
  [...OfPerson, afterId: string, limit: number],
  { id: string; row: Row; sends: Row[]; history: Row[] }
>(`
  select m.id, ${whole('m', 'recipient_id')},
    coalesce((select jsonb_agg(to_jsonb(s) - 'business_id' - 'recipient_id' - 'lease' - 'attempt_token'
        || jsonb_build_object('attempted', coalesce((
          select jsonb_agg(to_jsonb(a) - 'business_id' - 'send_id' order by a.attempt) from send_attempts a
          where a.business_id = s.business_id and a.send_id = s.id), '[]')) order by s.id)
      from sends s where s.business_id = m.business_id and s.message_id = m.id), '[]') as sends,
    coalesce((select jsonb_agg(to_jsonb(e) - 'business_id' - 'message_id' order by e.id)
      from message_events e where e.business_id = m.business_id and e.message_id = m.id), '[]') as history
  from messages m where m.business_id = $1 and m.recipient_id = $2 and m.id > $3
  order by m.id limit $4`);

const ofPerson = (table: string, withheld: string[] = [], key = 'id') =>
  statement<OfPerson, { row: Row }>(`
    select ${whole('t', 'recipient_id', ...withheld)} from ${table} t
    where t.business_id = $1 and t.recipient_id = $2 order by t.${key}`);

export const exportConsent = ofPerson('consent_log');
export const exportReplies = ofPerson('whatsapp_replies');
export const exportEvents = ofPerson('events');
export const exportAudit = ofPerson('audit_entries');
export const exportCaptured = ofPerson('sandbox_messages');
/** Without what opens them: that is stored as a hash, and is a secret. */
export const exportLinks = ofPerson('links', ['token_hash'], 'send_id');
export const exportSessions = ofPerson('inbox_sessions', ['token_hash']);

/** Mail of the service's own: forwarded replies, acknowledgements, new links. */
export const exportServiceMail = statement<OfPerson, { row: Row }>(`
  select ${whole('s', 'recipient_id', 'lease', 'attempt_token')} from sends s
  where s.business_id = $1 and s.recipient_id = $2 and s.message_id is null order by s.id`);

export const exportAnswers = statement<OfPerson, { row: Row }>(`
  select ${whole('i', 'recipient_id', 'fingerprint')} from idempotency_records i
  where i.business_id = $1 and i.recipient_id = $2 order by i.created_at, i.scope, i.key`);

/** What is held by the address or the number alone, under a keyed hash; also of somebody who was erased. */
export const exportSuppressions = statement<[businessId: string, emailHash: Buffer], { row: Row }>(`
  select ${whole('s', 'email_hash')} from suppressions s where s.business_id = $1 and s.email_hash = $2 order by s.at`);

export interface NumberRows {
  stops: Row[];
  messaged_numbers: Row[];
  auto_reply_window_until: Date | null;
  not_on_whatsapp_until: Date | null;
}

export const exportNumber = statement<[businessId: string, numberHash: Buffer], NumberRows>(`
  select
    coalesce((select jsonb_agg(to_jsonb(s) - 'business_id' - 'number_hash') from stops s
      where s.business_id = $1 and s.number_hash = $2), '[]') as stops,
    coalesce((select jsonb_agg(to_jsonb(m) - 'business_id' - 'number_hash') from messaged_numbers m
      where m.business_id = $1 and m.number_hash = $2), '[]') as messaged_numbers,
    (select until from auto_reply_windows where business_id = $1 and number_hash = $2) as auto_reply_window_until,
    (select until from whatsapp_unreachable where business_id = $1 and number_hash = $2) as not_on_whatsapp_until`);

/** All of an export shows one moment, however long it takes to read. */
export const freezeView = statement<[]>(`set transaction isolation level repeatable read, read only`);

/** What an event says of a person. The order's own number stays: it is the merchant's, and tells what the event is about. */
export const PERSONAL_IN_EVENTS = ['recipient_email', 'recipient_phone', 'subject', 'body'] as const;

/**
 * Takes a person out of what merchants are told, delivered or not, of one type or of all. A delivery is rendered from
 * here each time it is tried, so what still waits arrives without them. Answers how many deliveries wait. (Every event
 * about a person names their address, until it is scrubbed.)
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

/** JSON text of an object, to the byte as it is in `object`, but for the fields that `changes` rewrites. */
const rewritten = (object: string, changes: string): string => `(
  select '{' || string_agg(to_json(field.key)::text || ':' || case field.key ${changes} else field.value::text end,
    ',' order by field.place) || '}'
  from json_each(${object}) with ordinality field (key, value, place))`;

/** A result without the person. A subject is never null in a result, so it becomes empty. */
const scrubbedResult = rewritten(
  `item.content -> 'result'`,
  `when 'recipient_email' then 'null' when 'subject' then '""' when 'reference' then 'null' when 'order_status' then 'null'`,
);

/**
 * Deletes the answers that name a person, and takes them out of the answers to batches, whose other items stay as they
 * were to the byte. A batch is found by its items' own answers, whose keys are the batch's with their place appended, and
 * by what says that it repeats an older one; both are kept for as long as it is.
 */
export const deleteAnswers = statement<
  [businessId: string, recipientId: string, email: string],
  { deleted: number }
>(`
  with gone as (
    delete from idempotency_records where business_id = $1 and recipient_id = $2 returning scope, key
  ), batch as (
    select distinct regexp_replace(key, '#[0-9]+$', '') as key from gone
    where scope in ('push', 'batch_item') and key ~ '#[0-9]+$'
  ), scrubbed as (
    update idempotency_records i set response = (
      select '{"items":[' || string_agg(
          case when item.content #>> '{result,recipient_email}' = $3
            then ${rewritten('item.content', `when 'result' then ${scrubbedResult}`)}
            else item.content::text end,
          ',' order by item.place)
        || '],"succeeded":' || (i.response::json ->> 'succeeded') || ',"failed":' || (i.response::json ->> 'failed') || '}'
      from json_array_elements(i.response::json -> 'items') with ordinality item (content, place))
    from batch where i.business_id = $1 and i.scope = 'batch' and i.key = batch.key
  )
  select count(*) filter (where scope <> 'batch_item')::int as deleted from gone`);

/**
 * Takes the caller's own text out of the details of failed items, in all stored answers to a business's batches: of such an item
 * nobody knows whom it was about. What stands in its place was stored beside the answer, in few rows if in any.
 */
export const scrubDetails = statement<[businessId: string]>(`
  with erased as (
    delete from idempotency_records where business_id = $1 and scope = 'batch_item' and recipient_id is null
    returning regexp_replace(key, '#[0-9]+$', '') as key, substring(key from '[0-9]+$')::int as index, response as detail
  )
  update idempotency_records i set response = (
    select '{"items":[' || string_agg(
        case when e.detail is null then item.content::text
          else ${rewritten('item.content', `when 'detail' then to_json(e.detail)::text`)} end,
        ',' order by item.place)
      || '],"succeeded":' || (i.response::json ->> 'succeeded') || ',"failed":' || (i.response::json ->> 'failed') || '}'
    from json_array_elements(i.response::json -> 'items') with ordinality item (content, place)
    left join erased e on e.key = i.key and e.index = item.place - 1)
  from (select distinct key from erased) batch
  where i.business_id = $1 and i.scope = 'batch' and i.key = batch.key`);
