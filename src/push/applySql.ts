import { addToCountries } from '../businesses/billingSql.ts';
import { IDEMPOTENCY_MEMORY_MS } from '../config/limits.ts';
import { statement } from '../db/statement.ts';
import { cancelWaiting, insertEmailsOf, insertSends } from '../outbox/sendsSql.ts';
import { addCounts, addCountsIn, utcDay } from '../usage/sql.ts';
import { writeEvents } from '../webhooks/deliveriesSql.ts';

const INSTEAD_OF_OUTDATED = `on conflict (business_id, scope, key) do update set fingerprint = excluded.fingerprint,
      status = excluded.status, response = excluded.response, recipient_id = excluded.recipient_id,
      created_at = excluded.created_at, expires_at = excluded.expires_at
    where i.expires_at <= $1`;
/** A refund is rare enough to look its country up. */
const REFUNDS_WITH_COUNTRY = `(
      select r.business_id, r.amount, r.at,
        (select s.country from sends s where s.business_id = r.business_id and s.id = r.send_id) as country
      from json_populate_recordset(null::credit_ledger, $13::json) r) l`;
const MEMORY = `interval '${IDEMPOTENCY_MEMORY_MS} milliseconds'`;

/**
 * Runs before the other writes when a group moves a number from one recipient to another. The unique index on numbers is
 * checked row by row, and one statement cannot update a row twice.
 */
export const clearReassignedPhones = statement<[businessIds: string[], numbers: string[]]>(`
  update recipients set phone = null, phone_country = null
  where (business_id, phone) in (select * from unnest($1::text[], $2::text[]))`);

/**
 * Writes the decisions of a group in one statement. Each part is a JSON recordset; empty parts cost next to nothing. In a
 * race, a constraint fails (one updateable message per subject, one recipient per number, one waiting send per channel,
 * reserved credits within the balance), and the group runs again. CTEs run in no fixed order: `… >= 0` makes an insert
 * wait for the update that clears its unique key.
 */
export const writeGroupChanges = statement<
  [
    now: Date,
    recipients: string,
    changedRecipients: string,
    messages: string,
    changedMessages: string,
    obsoleted: string,
    sends: string,
    cancelled: string,
    credits: string,
    consent: string,
    events: string,
    records: string,
    refunds: string,
    history: string,
    counts: string,
    batchResponse: string | null,
    languages: string,
  ],
  { deliveries: number }
>(`
  with changed_recipient as (
    update recipients r set phone = c.phone, phone_country = c.phone_country, sms_status = c.sms_status,
      sms_status_at = c.sms_status_at, sms_stopped_by = c.sms_stopped_by, sms_consent_at = c.sms_consent_at,
      sms_consent_source = c.sms_consent_source, whatsapp_status = c.whatsapp_status, whatsapp_status_at = c.whatsapp_status_at,
      language = c.language
    from json_populate_recordset(null::recipients, $3::json) c
    where r.business_id = c.business_id and r.id = c.id
    returning 1
  ), changed_language as (
    ${changeLanguages('$17')}
  ), new_recipient as (
    ${insertRecipients('$2')} where (select count(*) from changed_recipient) >= 0
  ), obsoleted as (
    update messages m set status = 'obsolete', obsoleted_at = $1, replaced_by = o.replaced_by
    from json_populate_recordset(null::messages, $6::json) o
    where m.business_id = o.business_id and m.id = o.id
    returning 1
  ), changed_message as (
    update messages m set body = c.body, reference = c.reference, order_status = c.order_status, updated_at = $1,
      scheduled_for = c.scheduled_for, status = c.status, replaced_by = c.replaced_by,
      obsoleted_at = c.obsoleted_at, trace_context = c.trace_context
    from json_populate_recordset(null::messages, $5::json) c
    where m.business_id = c.business_id and m.id = c.id
    returning 1
  ), new_message as (
    ${insertMessages('$4', '$1')}
    where (select count(*) from obsoleted) + (select count(*) from changed_message) >= 0
  ), called_off as (
    ${cancelWaiting('$8', '$1')}
  ), new_send as (
    ${insertSends('$7', '$1')} where (select count(*) from called_off) >= 0
  ), account as (
    update credit_accounts a set reserved = a.reserved + m.set_aside, balance = a.balance + m.given_back,
      low_balance_told = a.low_balance_told and a.balance + m.given_back < b.low_balance_threshold
    from json_to_recordset($9::json) as m (business_id text, set_aside integer, given_back integer)
    join businesses b on b.id = m.business_id
    where a.business_id = m.business_id
  ), given_back as (
    insert into credit_ledger (business_id, id, kind, amount, send_id, at)
    select business_id, id, 'refund', amount, send_id, at from json_populate_recordset(null::credit_ledger, $13::json)
  ), by_country as (${addToCountries(REFUNDS_WITH_COUNTRY)}
  ), consented as (
    insert into consent_log (business_id, id, recipient_id, channel, action, source, at)
    select business_id, id, recipient_id, channel, action, source, at
    from json_populate_recordset(null::consent_log, $10::json)
  ), history as (
    insert into message_events (business_id, id, message_id, type, detail, at)
    select business_id, id, message_id, type, detail, at from json_populate_recordset(null::message_events, $14::json)
  ), counted as (
    ${addCounts('$15')}
  ), ${writeEvents('$11::jsonb')}, remembered as (
    ${rememberAnswers('$12', '$16', '$1')} ${INSTEAD_OF_OUTDATED}
  )
  select count(*)::int as deliveries from new_delivery`);

/**
 * The same for a group that only inserts and overwrites no expired response, as most do. It is faster: the parts of a
 * statement cost time even when they write no row, and so does each row of JSON.
 */
export const writeGroupInserts = statement<
  [
    now: Date,
    recipients: string,
    pushes: string,
    batchResponse: string | null,
    businessIds: string[],
    messages: number[],
    smsSkipped: number[],
    whatsappSkipped: number[],
  ]
>(`
  with new_recipient as (${insertRecipients('$2')}), push as materialized (
    select * from json_to_recordset($3::json) as p (business_id text, id text, recipient_id text, subject text, body text,
      kind text, reference text, order_status text, scheduled_for timestamptz, sms_skipped text, whatsapp_skipped text,
      send_id text, due_at timestamptz, scope text, key text, fingerprint bytea, status smallint, response text,
      trace_context text)
  ), new_message as (
    insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, order_status, scheduled_for,
      sms_skipped, whatsapp_skipped, trace_context, created_at, updated_at)
    select business_id, id, recipient_id, subject, body, kind, 'active', reference, order_status, scheduled_for,
      sms_skipped, whatsapp_skipped, trace_context, $1, $1
    from push where id is not null
  ), new_send as (
    ${insertEmailsOf('push', '$1')}
  ), counted as (
    ${addCountsIn('($5::text[], $6::int[], $7::int[], $8::int[])', utcDay('$1'), ['messages', 'sms_skipped', 'whatsapp_skipped'])}
  )
  insert into idempotency_records (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
  select business_id, coalesce(scope, 'push'), key, fingerprint, coalesce(status, 201), coalesce(response, $4), recipient_id,
    $1, $1::timestamptz + ${MEMORY}
  from push`);

function insertRecipients(json: string): string {
  return `insert into recipients (business_id, id, email, phone, phone_country, sms_status, sms_status_at, sms_stopped_by,
      sms_consent_at, sms_consent_source, whatsapp_status, whatsapp_status_at, unsubscribed_at, language, created_at)
    select business_id, id, email, phone, phone_country, sms_status, sms_status_at, sms_stopped_by,
      sms_consent_at, sms_consent_source, whatsapp_status, whatsapp_status_at, unsubscribed_at, language, created_at
    from json_populate_recordset(null::recipients, ${json}::json)`;
}

/**
 * Changes nothing but the language, of recipients that may not be locked yet: a stop or an unsubscription at the same time is
 * kept. Locked in the order of ids, as everywhere.
 */
function changeLanguages(json: string): string {
  return `update recipients r set language = w.language
    from (
      select k.business_id, k.id, k.language
      from json_to_recordset(${json}::json) as k (business_id text, id text, language text) cross join lateral (
        select from recipients where business_id = k.business_id and id = k.id for no key update) locked) w
    where r.business_id = w.business_id and r.id = w.id`;
}

function insertMessages(json: string, now: string): string {
  return `insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, order_status,
      scheduled_for, replaced_by, sms_skipped, whatsapp_skipped, trace_context, created_at, updated_at, obsoleted_at)
    select business_id, id, recipient_id, subject, body, kind, status, reference, order_status,
      scheduled_for, replaced_by, sms_skipped, whatsapp_skipped, trace_context, ${now}, ${now}, obsoleted_at
    from json_populate_recordset(null::messages, ${json}::json)`;
}

function rememberAnswers(json: string, batchResponse: string, now: string): string {
  return `insert into idempotency_records as i (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
    select business_id, scope, key, fingerprint, status, coalesce(response, ${batchResponse}), recipient_id,
      ${now}, ${now}::timestamptz + ${MEMORY}
    from json_populate_recordset(null::idempotency_records, ${json}::json)`;
}
