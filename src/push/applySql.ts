import { addToCountries } from '../businesses/billingSql.ts';
import { IDEMPOTENCY_MEMORY_MS } from '../config/limits.ts';
import { type StatementForm, statementOfBusinesses } from '../db/perBusiness.ts';
import { cancelWaiting, insertEmailsOf, insertSends } from '../outbox/sendsSql.ts';
import { addCounts, addCountsIn, utcDay } from '../usage/sql.ts';
import { writeEvents, writeEventsInSteps } from '../webhooks/deliveriesSql.ts';

const INSTEAD_OF_OUTDATED = `on conflict (business_id, scope, key) do update set fingerprint = excluded.fingerprint,
      status = excluded.status, response = excluded.response, recipient_id = excluded.recipient_id,
      created_at = excluded.created_at, expires_at = excluded.expires_at
    where i.expires_at <= excluded.created_at`;
/** A refund is rare enough to look its country up. */
const refundsWithCountry = ({ only }: StatementForm): string => `(
      select s.business_id, r.amount, r.at, s.country
      from json_populate_recordset(null::credit_ledger, $13::json) r
      join sends s on s.business_id = r.business_id and s.id = r.send_id${only('s.business_id')}) l`;
const MEMORY = `interval '${IDEMPOTENCY_MEMORY_MS} milliseconds'`;

/**
 * Runs before the other writes when a group moves a number from one recipient to another. The unique index on numbers is
 * checked row by row, and one statement cannot update a row twice.
 */
export const clearReassignedPhones = statementOfBusinesses<[businessIds: string[], numbers: string[]]>(
  ['businesses', 'beside'],
  ({ only }) => `
  update recipients set phone = null, phone_country = null
  where (business_id, phone) in (select * from unnest($1::text[], $2::text[]))${only()}`,
);

/**
 * Writes the decisions of a group in one statement. Each part is a JSON recordset; empty parts cost next to nothing. In a
 * race, a constraint fails (one updateable message per subject, one recipient per number, one waiting send per channel,
 * reserved credits within the balance), and the group runs again. CTEs run in no fixed order: `… >= 0` makes an insert
 * wait for the update that clears its unique key.
 */
export const writeGroupChanges = statementOfBusinesses<
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
>(
  [
    'same',
    'rows',
    'rows',
    'rows',
    'rows',
    'rows',
    'rows',
    'rows',
    'rows',
    'rows',
    'rows',
    'rows',
    'rows',
    'rows',
    'rows',
    'same',
    'rows',
  ],
  (form) => (form.onCluster ? changesInSteps(changeParts(form), form) : changesAtOnce(changeParts(form))),
);

type ChangeParts = ReturnType<typeof changeParts>;

function changeParts(form: StatementForm) {
  return {
    changedRecipient: `
    update recipients r set phone = c.phone, phone_country = c.phone_country, sms_status = c.sms_status,
      sms_status_at = c.sms_status_at, sms_stopped_by = c.sms_stopped_by, sms_consent_at = c.sms_consent_at,
      sms_consent_source = c.sms_consent_source, whatsapp_status = c.whatsapp_status, whatsapp_status_at = c.whatsapp_status_at,
      language = c.language
    from json_populate_recordset(null::recipients, $3::json) c
    where r.business_id = c.business_id and r.id = c.id${form.only('r.business_id')}
    returning 1`,
    changedLanguage: changeLanguages(form, '$17'),
    newRecipient: insertRecipients('$2'),
    obsoleted: `
    update messages m set status = 'obsolete', obsoleted_at = $1, replaced_by = o.replaced_by
    from json_populate_recordset(null::messages, $6::json) o
    where m.business_id = o.business_id and m.id = o.id${form.only('m.business_id')}
    returning 1`,
    changedMessage: `
    update messages m set body = c.body, reference = c.reference, order_status = c.order_status, updated_at = $1,
      scheduled_for = c.scheduled_for, unread_again = coalesce(c.unread_again, false), status = c.status, replaced_by = c.replaced_by,
      obsoleted_at = c.obsoleted_at, trace_context = c.trace_context
    from json_populate_recordset(null::messages, $5::json) c
    where m.business_id = c.business_id and m.id = c.id${form.only('m.business_id')}
    returning 1`,
    newMessage: insertMessages('$4', '$1'),
    cancelled: cancelWaiting(form, '$8', '$1'),
    newSend: insertSends('$7', '$1'),
    account: `
    update credit_accounts a set reserved = a.reserved + m.set_aside, balance = a.balance + m.given_back,
      low_balance_told = a.low_balance_told and a.balance + m.given_back < b.low_balance_threshold
    from json_to_recordset($9::json) as m (business_id text, set_aside integer, given_back integer)
    join businesses b on b.id = m.business_id${form.only('b.id')}
    where a.business_id = m.business_id${form.only('a.business_id')}`,
    refund: `
    insert into credit_ledger (business_id, id, kind, amount, send_id, at)
    select business_id, id, 'refund', amount, send_id, at from json_populate_recordset(null::credit_ledger, $13::json)`,
    refundByCountry: addToCountries(refundsWithCountry(form)),
    consent: `
    insert into consent_log (business_id, id, recipient_id, channel, action, source, at)
    select business_id, id, recipient_id, channel, action, source, at
    from json_populate_recordset(null::consent_log, $10::json)`,
    history: `
    insert into message_events (business_id, id, message_id, type, detail, at)
    select business_id, id, message_id, type, detail, at from json_populate_recordset(null::message_events, $14::json)`,
    counts: addCounts('$15'),
    response: `${rememberAnswers('$12', '$16', '$1')} ${INSTEAD_OF_OUTDATED}`,
  };
}

function changesAtOnce(part: ChangeParts): string {
  return `
  with changed_recipient as (${part.changedRecipient}
  ), changed_language as (${part.changedLanguage}
  ), new_recipient as (
    ${part.newRecipient} where (select count(*) from changed_recipient) >= 0
  ), obsoleted as (${part.obsoleted}
  ), changed_message as (${part.changedMessage}
  ), new_message as (
    ${part.newMessage}
    where (select count(*) from obsoleted) + (select count(*) from changed_message) >= 0
  ), called_off as (${part.cancelled}
  ), new_send as (
    ${part.newSend} where (select count(*) from called_off) >= 0
  ), account as (${part.account}
  ), given_back as (${part.refund}
  ), by_country as (${part.refundByCountry}
  ), consented as (${part.consent}
  ), history as (${part.history}
  ), counted as (${part.counts}
  ), ${writeEvents('$11::jsonb')}, remembered as (${part.response}
  )
  select count(*)::int as deliveries from new_delivery`;
}

/** In the order in which the rows refer to each other and in which they are locked everywhere. */
function changesInSteps(part: ChangeParts, form: StatementForm): string[] {
  const [events, deliveries, count] = writeEventsInSteps(form, '$11::jsonb');
  return [
    part.changedRecipient,
    part.changedLanguage,
    part.newRecipient,
    part.obsoleted,
    part.changedMessage,
    part.newMessage,
    part.cancelled,
    part.newSend,
    part.account,
    part.refund,
    part.refundByCountry,
    part.consent,
    part.history,
    part.counts,
    part.response,
    events,
    deliveries,
    count,
  ];
}

const PUSHES = `json_to_recordset($3::json) as p (business_id text, id text, recipient_id text, subject text, body text,
      kind text, reference text, order_status text, scheduled_for timestamptz, sms_skipped text, whatsapp_skipped text,
      send_id text, due_at timestamptz, scope text, key text, fingerprint bytea, status smallint, response text,
      trace_context text)`;

const COUNT_INSERTS = addCountsIn('($5::text[], $6::int[], $7::int[], $8::int[])', utcDay('$1'), [
  'messages',
  'sms_skipped',
  'whatsapp_skipped',
]);

/**
 * The same for a group that only inserts and overwrites no expired response, as most do. It is faster: the parts of a
 * statement cost time even when they write no row, and so does each row of JSON.
 */
export const writeGroupInserts = statementOfBusinesses<
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
>(['same', 'rows', 'rows', 'same', 'businesses', 'beside', 'beside', 'beside'], ({ onCluster }) => {
  if (onCluster)
    return [
      insertRecipients('$2'),
      insertMessagesOf(PUSHES),
      insertEmailsOf(PUSHES, '$1'),
      COUNT_INSERTS,
      insertResponsesOf(PUSHES),
    ];
  return `
  with new_recipient as (${insertRecipients('$2')}), push as materialized (
    select * from ${PUSHES}
  ), new_message as (${insertMessagesOf('push')}
  ), new_send as (
    ${insertEmailsOf('push', '$1')}
  ), counted as (
    ${COUNT_INSERTS}
  )
  ${insertResponsesOf('push')}`;
});

function insertMessagesOf(pushes: string): string {
  return `
    insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, order_status, scheduled_for,
      sms_skipped, whatsapp_skipped, trace_context, created_at, updated_at)
    select business_id, id, recipient_id, subject, body, kind, 'active', reference, order_status, scheduled_for,
      sms_skipped, whatsapp_skipped, trace_context, $1, $1
    from ${pushes} where id is not null`;
}

function insertResponsesOf(pushes: string): string {
  return `
  insert into idempotency_records (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
  select business_id, coalesce(scope, 'push'), key, fingerprint, coalesce(status, 201), coalesce(response, $4), recipient_id,
    $1, $1::timestamptz + ${MEMORY}
  from ${pushes}`;
}

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
function changeLanguages({ only }: StatementForm, json: string): string {
  return `update recipients r set language = w.language
    from (
      select k.business_id, k.id, k.language
      from json_to_recordset(${json}::json) as k (business_id text, id text, language text) cross join lateral (
        select from recipients where business_id = k.business_id and id = k.id${only()} for no key update) locked) w
    where r.business_id = w.business_id and r.id = w.id${only('r.business_id')}`;
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
