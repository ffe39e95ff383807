import { addToCountries } from '../businesses/billingSql.ts';
import { IDEMPOTENCY_MEMORY_MS } from '../config/limits.ts';
import { statementOfBusinesses, writesOfBusinesses } from '../db/perBusiness.ts';
import { insertOrderChanges } from '../orders/changesSql.ts';
import { cancelWaiting, insertEmailsOf, insertSends } from '../outbox/sendsSql.ts';
import { addCounts, addCountsIn, utcDay } from '../usage/sql.ts';
import { eventsIn, WRITE_EVENTS } from '../webhooks/deliveriesSql.ts';

const ON_EXPIRED_CONFLICT = `on conflict (business_id, scope, key) do update set fingerprint = excluded.fingerprint,
      status = excluded.status, response = excluded.response, recipient_id = excluded.recipient_id,
      created_at = excluded.created_at, expires_at = excluded.expires_at
    where i.expires_at <= excluded.created_at`;
/** A refund is rare enough to look its country up. */
const REFUNDS_WITH_COUNTRY = `(
      select s.business_id, r.amount, r.at, s.country
      from json_populate_recordset(null::credit_ledger, $13::json) r
      join sends s on s.business_id = r.business_id and s.id = r.send_id) l`;
const MEMORY = `interval '${IDEMPOTENCY_MEMORY_MS} milliseconds'`;

/**
 * Runs before the other writes when a group moves a number from one recipient to another. The unique index on numbers is
 * checked row by row, and one statement cannot update a row twice.
 */
export const clearReassignedPhones = statementOfBusinesses<[businessIds: string[], numbers: string[]]>(
  ['businesses', 'parallel'],
  `
  update recipients set phone = null, phone_country = null
  where (business_id, phone) in (select * from unnest($1::text[], $2::text[]))`,
);

/** What changes, each a JSON recordset. */
export type ChangeParameters = [
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
  languages: string,
  orderChanges: string,
];

/**
 * Writes the decisions of a group. Each part is a JSON recordset; empty parts cost next to nothing. In a race, a constraint
 * fails (one updateable message per subject, one recipient per number, one waiting send per channel, reserved credits within
 * the balance), and the group runs again.
 */
export const writeGroupChanges = writesOfBusinesses<[now: Date, ...ChangeParameters]>(
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
    'rows',
    'rows',
  ],
  {
    reads: { event: eventsIn('$11::jsonb') },
    writes: {
      changed_recipient: `
    update recipients r set phone = c.phone, phone_country = c.phone_country, sms_status = c.sms_status,
      sms_status_at = c.sms_status_at, sms_stopped_by = c.sms_stopped_by, sms_consent_at = c.sms_consent_at,
      sms_consent_source = c.sms_consent_source, whatsapp_status = c.whatsapp_status, whatsapp_status_at = c.whatsapp_status_at,
      language = c.language
    from json_populate_recordset(null::recipients, $3::json) c
    where r.business_id = c.business_id and r.id = c.id`,
      changed_language: changeLanguages('$16'),
      new_recipient: { after: ['changed_recipient'], write: insertRecipients('$2') },
      obsoleted: `
    update messages m set status = 'obsolete', obsoleted_at = $1, replaced_by = o.replaced_by
    from json_populate_recordset(null::messages, $6::json) o
    where m.business_id = o.business_id and m.id = o.id`,
      changed_message: `
    update messages m set body = c.body, reference = c.reference, order_status = c.order_status, updated_at = $1,
      order_status_at = c.order_status_at, tracking_number = c.tracking_number, milestone_at = c.milestone_at,
      told_by_hand = c.told_by_hand, scheduled_for = c.scheduled_for, unread_again = coalesce(c.unread_again, false),
      status = c.status, replaced_by = c.replaced_by, obsoleted_at = c.obsoleted_at, trace_context = c.trace_context
    from json_populate_recordset(null::messages, $5::json) c
    where m.business_id = c.business_id and m.id = c.id`,
      new_message: { after: ['obsoleted', 'changed_message'], write: insertMessages('$4', '$1') },
      cancelled: cancelWaiting('$8', '$1'),
      new_send: { after: ['cancelled'], write: insertSends('$7', '$1') },
      account: `
    update credit_accounts a set reserved = a.reserved + m.reserved, balance = a.balance + m.refunded,
      low_balance_notified = a.low_balance_notified and a.balance + m.refunded < b.low_balance_threshold
    from json_to_recordset($9::json) as m (business_id text, reserved integer, refunded integer)
    join businesses b on b.id = m.business_id
    where a.business_id = m.business_id`,
      refunded: `
    insert into credit_ledger (business_id, id, kind, amount, send_id, at)
    select business_id, id, 'refund', amount, send_id, at from json_populate_recordset(null::credit_ledger, $13::json)`,
      by_country: addToCountries(REFUNDS_WITH_COUNTRY),
      consent: `
    insert into consent_log (business_id, id, recipient_id, channel, action, source, at)
    select business_id, id, recipient_id, channel, action, source, at
    from json_populate_recordset(null::consent_log, $10::json)`,
      history: `
    insert into message_events (business_id, id, message_id, send_id, type, detail, at)
    select business_id, id, message_id, send_id, type, detail, at from json_populate_recordset(null::message_events, $14::json)`,
      order_change: insertOrderChanges('$17', '$1'),
      usage: addCounts('$15'),
      stored: storeResponses('$12', '$1'),
      ...WRITE_EVENTS,
    },
    counted: 'new_delivery',
  },
);

const PUSHES = `json_to_recordset($3::json) as p (business_id text, id text, recipient_id text, subject text, body text,
      kind text, reference text, order_status text, tracking_number text, scheduled_for timestamptz, sms_skipped text,
      whatsapp_skipped text, pushed_by text, send_id text, due_at timestamptz, scope text, key text, fingerprint bytea, status smallint, response text,
      trace_context text)`;

const COUNT_INSERTS = addCountsIn('($4::text[], $5::int[], $6::int[], $7::int[])', utcDay('$1'), [
  'messages',
  'sms_skipped',
  'whatsapp_skipped',
]);

const INSERT_MESSAGES_OF_PUSHES = `
    insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, order_status, tracking_number,
      scheduled_for, sms_skipped, whatsapp_skipped, pushed_by, trace_context, created_at, updated_at)
    select business_id, id, recipient_id, subject, body, kind, 'active', reference, order_status, tracking_number, scheduled_for,
      sms_skipped, whatsapp_skipped, pushed_by, trace_context, $1, $1
    from push where id is not null`;

const CHANGE_ORDERS_OF_PUSHES = `
    insert into order_changes (business_id, id, reference, recipient_id, status, at)
    select business_id, id, reference, recipient_id, order_status, $1 from push where reference is not null`;

const INSERT_RESPONSES_OF_PUSHES = `
  insert into idempotency_records (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
  select business_id, coalesce(scope, 'push'), key, fingerprint, coalesce(status, 201), response, recipient_id,
    $1, $1::timestamptz + ${MEMORY}
  from push`;

/**
 * The same for a group that only inserts and overwrites no expired response, as most do. It is faster: the parts of a
 * statement cost time even when they write no row, and so does each row of JSON.
 */
export const writeGroupInserts = writesOfBusinesses<
  [
    now: Date,
    recipients: string,
    pushes: string,
    businessIds: string[],
    messages: number[],
    smsSkipped: number[],
    whatsappSkipped: number[],
  ]
>(['same', 'rows', 'rows', 'businesses', 'parallel', 'parallel', 'parallel'], {
  reads: { push: `select * from ${PUSHES}` },
  writes: {
    new_recipient: insertRecipients('$2'),
    new_message: INSERT_MESSAGES_OF_PUSHES,
    new_send: insertEmailsOf('push', '$1'),
    order_change: CHANGE_ORDERS_OF_PUSHES,
    usage: COUNT_INSERTS,
    stored: INSERT_RESPONSES_OF_PUSHES,
  },
});

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
      order_status_at, tracking_number, milestone_at,
      scheduled_for, replaced_by, sms_skipped, whatsapp_skipped, pushed_by, trace_context, created_at, updated_at, obsoleted_at)
    select business_id, id, recipient_id, subject, body, kind, status, reference, order_status,
      order_status_at, tracking_number, milestone_at,
      scheduled_for, replaced_by, sms_skipped, whatsapp_skipped, pushed_by, trace_context, ${now}, ${now}, obsoleted_at
    from json_populate_recordset(null::messages, ${json}::json)`;
}

/** A response may overwrite one that has expired. */
export function storeResponses(json: string, now: string): string {
  return `insert into idempotency_records as i (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
    select business_id, scope, key, fingerprint, status, response, recipient_id,
      ${now}, ${now}::timestamptz + ${MEMORY}
    from json_populate_recordset(null::idempotency_records, ${json}::json)
    ${ON_EXPIRED_CONFLICT}`;
}
