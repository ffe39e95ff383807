import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import { ADDRESS_FACTS, numberFacts, PLATFORM_FACTS, paidSince, senderFacts } from '../outbox/factsSql.ts';
import type { SnapshotCaller, SnapshotPerson, SnapshotRow } from './buildSnapshot.ts';
import type { ReadResponse } from './records.ts';

/** Which of these API keys are not revoked; the two arrays are parallel. */
export const callersOf = (businessIds: string, keyIds: string): string => `(select json_agg(c) from (
      select k.business_id, k.id, b.active from unnest(${businessIds}::text[], ${keyIds}::text[]) u (business_id, id)
      cross join lateral (
        select business_id, id from api_keys where business_id = u.business_id and id = u.id and revoked_at is null offset 0) k
      cross join lateral (select active from businesses where id = k.business_id offset 0) b) c)`;

/** The stored responses, including expired ones, for a JSON recordset of keys by business and scope. */
export const answersTo = (keys: string, now: string): string => `
      select i.business_id, i.scope, i.key, encode(i.fingerprint, 'hex') as fingerprint, i.status, i.response, i.recipient_id,
        i.expires_at <= ${now} as expired
      from jsonb_to_recordset(${keys}::jsonb) as w (business_id text, scope text, keys text[])
      cross join lateral unnest(w.keys) k (key) cross join lateral (
        select * from idempotency_records
        where business_id = w.business_id and scope = w.scope and key = k.key offset 0) i`;

/**
 * The parts of a stored batch in the order of its items' keys. They are stored at the same moment as the batch: a key of an item may have
 * been used again since.
 */
export const loadBatchParts = statement<
  [businessId: string, batchKey: string, itemKeys: string[]],
  { status: number; response: string }
>(`
  select i.status, i.response
  from idempotency_records b cross join lateral unnest($3::text[]) with ordinality k (key, place) cross join lateral (
    select * from idempotency_records
    where business_id = $1 and scope in ('push', 'batch_item') and key = k.key and created_at = b.created_at offset 0) i
  where b.business_id = $1 and b.scope = 'batch' and b.key = $2
  order by k.place`);

/** The recipients of a group, by business for fewer index lookups; `changing` are those that may change. */
const peopleIn = (json: string): string => `select * from jsonb_to_recordset(${json}::jsonb)
      as p (business_id text, emails text[], changing text[], email_hashes bytea[])`;

/**
 * Loads the snapshot of a group in one round trip. It locks the rows that decisions may change, in the common order:
 * recipients that get a number or consent, messages that are updated or made obsolete, their waiting sends, and the
 * accounts of businesses that may pay. `… >= 0` makes a part wait for the locks before it.
 *
 * `lateral … offset 0` forces one index lookup per listed key. Without it the planner may scan the table, which looks cheap
 * when its statistics are from an empty table. `= any` would not do: for that Postgres 15 and 16 may read all rows of the
 * business and filter them, which looks cheap where most businesses are small.
 */
export const loadGroupRows = groupRows({
  lock: 'for no key update',
  accounts: `business_id in (
      select unnest($4::text[])
      union all
      select id from businesses where id = any ($3::text[]) and 'on' in (sms_mode, whatsapp_mode))`,
});

/** The same for a preview: it locks nothing, and says the balance also where nothing is paid. */
export const peekGroupRows = groupRows({
  lock: 'offset 0',
  accounts: `cardinality($4::text[]) >= 0`,
});

type GroupRowsParams = [
  now: Date,
  hourAgo: Date,
  businessIds: string[],
  payingBusinessIds: string[],
  people: string,
  numbers: string,
  updateables: string,
  obsoletes: string,
];

interface GroupLoad {
  lock: 'for no key update' | 'offset 0';
  accounts: string;
}

function groupRows({ lock, accounts }: GroupLoad) {
  return statementOfBusinesses<GroupRowsParams, SnapshotRow>(
    ['same', 'same', 'businesses', 'businesses', 'rows', 'rows', 'rows', 'rows'],
    `
  with people as materialized (
    ${peopleIn('$5')}
  ), recipients_to_lock as materialized (
    select r.business_id, r.id from people p cross join lateral unnest(p.changing) c (email) cross join lateral (
      select business_id, id from recipients where business_id = p.business_id and email = c.email offset 0) r
    order by r.id
  ), recipients_locked as materialized (
    select r.* from recipients_to_lock c cross join lateral (
      select * from recipients where business_id = c.business_id and id = c.id ${lock}) r
  ), recipients_read as materialized (
    select * from recipients_locked
    union all
    select r.* from people p cross join lateral unnest(p.emails) e (email) cross join lateral (
      select * from recipients where business_id = p.business_id and email = e.email offset 0) r
  ), number as materialized (
    select n.business_id, n.number, n.number_hash
    from jsonb_to_recordset($6::jsonb) as n (business_id text, number text, number_hash bytea)
  ), subject as materialized (
    select u.business_id, u.email, u.subject
    from jsonb_to_recordset($7::jsonb) as u (business_id text, email text, subject text)
  ), messages_to_lock as materialized (
    select o.business_id, o.id from jsonb_to_recordset($8::jsonb) as o (business_id text, id text)
    union
    select m.business_id, m.id from subject s
    join recipients_read r on r.business_id = s.business_id and r.email = s.email
    cross join lateral (
      select business_id, id from messages
      where business_id = r.business_id and recipient_id = r.id and subject = s.subject
        and kind = 'updateable' and status = 'active' offset 0) m
    order by id
  ), messages_locked as materialized (
    select m.* from messages_to_lock t cross join lateral (
      select * from messages where business_id = t.business_id and id = t.id and status = 'active' ${lock}) m
    where (select count(*) from recipients_locked) >= 0
  ), to_cancel as materialized (
    select s.business_id, s.id from messages_locked t cross join lateral (
      select business_id, id from sends
      where business_id = t.business_id and message_id = t.id and state in ('held', 'queued') offset 0) s
    order by s.id
  ), waiting as materialized (
    select s.business_id, s.id, s.message_id, s.channel, s.state, s.fallback_of, s.credits,
      s.purpose <> 'resend' and (s.escalate_minutes is not null or s.fallback_of is not null) as armed,
      case when s.reserved then s.credits else 0 end as reserved, case when s.charged then s.credits else 0 end as charged
    from to_cancel c cross join lateral (
      select * from sends
      where business_id = c.business_id and id = c.id and state in ('held', 'queued') ${lock}) s
  ), account as materialized (
    select business_id, balance - reserved as spendable from credit_accounts
    where business_id = any ($3::text[]) and (select count(*) from waiting) >= 0 and (${accounts})
    order by business_id ${lock}
  )
  select
    (select json_agg(b) from (
      select b.id, b.name, b.active, b.paused, b.plan, b.plan_period_end, b.sms_mode, b.whatsapp_mode, b.countries,
        b.paid_per_recipient_hour, b.quiet_hours, b.quiet_hours_except, b.language, coalesce(a.spendable, 0) as spendable
      from businesses b left join account a on a.business_id = b.id where b.id = any ($3::text[])) b) as businesses,
    (select json_agg(r) from (
      select r.*, case when b.paid_per_recipient_hour is null then 0 else (${paidSince('r.business_id', 'r.id', '$2')}) end::int as paid_last_hour
      from recipients_read r join businesses b on b.id = r.business_id) r) as recipients,
    ${ADDRESS_FACTS}, ${numberFacts('$1')}, ${senderFacts('$3', 'without keys')},
    (select json_agg(h) from (
      select r.business_id, r.phone, r.id from number n cross join lateral (
        select * from recipients where business_id = n.business_id and phone = n.number offset 0) r) h) as holders,
    (select json_agg(m) from (
      select t.business_id, t.id, t.recipient_id, r.email as recipient_email, t.subject, t.body, t.reference, t.order_status,
        t.order_status_at, t.tracking_number, t.milestone_at, t.told_by_hand, t.kind, t.status, t.scheduled_for, t.unread_again,
        t.created_at, t.updated_at
      from messages_locked t cross join lateral (
        select email from recipients where business_id = t.business_id and id = t.recipient_id offset 0) r) m) as messages,
    (select json_agg(w) from waiting w) as waiting,
    ${PLATFORM_FACTS}`,
  );
}

/**
 * The same for pushes that change no number or consent and touch no other message, to recipients with nothing but an
 * address. They cannot get a paid message, so it reads neither accounts nor numbers, and locks nothing. If a response is
 * stored for each of the `keys`, it reads no recipients either.
 */
export const loadPlainGroupRows = statementOfBusinesses<
  [
    now: Date,
    records: string,
    businessIds: string[],
    people: string,
    callersBusinessIds: string[],
    callersKeyIds: string[],
    keys: number,
  ],
  Pick<SnapshotRow, 'businesses' | 'suppressions' | 'platform' | 'senders'> & {
    records: ReadResponse[] | null;
    people: SnapshotPerson[] | null;
    callers: SnapshotCaller[] | null;
  }
>(
  ['same', 'rows', 'businesses', 'rows', 'businesses', 'parallel', 'same'],
  `
  with stored as materialized (${answersTo('$2', '$1')}
  ), people as materialized (
    ${peopleIn('$4')}
    where (select count(*) from stored where not expired) < $7
  )
  select
    ${callersOf('$5', '$6')} as callers,
    (select json_agg(i) from stored i) as records,
    (select json_agg(b) from (
      select id, name, active, paused, plan, plan_period_end, sms_mode, whatsapp_mode, countries, paid_per_recipient_hour,
        quiet_hours, quiet_hours_except, language, 0 as spendable
      from businesses where id = any ($3::text[])) b) as businesses,
    (select json_agg(r) from (
      select r.business_id, r.id, r.email, r.phone, r.language, r.phone is null and r.sms_status = 'none' and r.whatsapp_status = 'none'
        and coalesce(r.sms_status_at, r.sms_consent_at, r.whatsapp_status_at, r.unsubscribed_at) is null as plain
      from people p cross join lateral unnest(p.emails) e (email) cross join lateral (
        select * from recipients where business_id = p.business_id and email = e.email offset 0) r) r) as people,
    ${ADDRESS_FACTS}, ${senderFacts('$3', 'without keys')}`,
);

/**
 * Takes the advisory locks of a group without waiting: an item whose key is locked is answered "in progress", an item whose
 * recipient is locked is deferred. It is a separate statement, so that the next one sees everything committed before the
 * locks were taken.
 */
export const tryGroupLocks = statement<
  [keyLocks: bigint[], batchLocks: bigint[], recipientLocks: bigint[]],
  { keys: boolean[]; batches: boolean[]; recipients: boolean[] }
>(`
  select
    array(select pg_try_advisory_xact_lock(k) from unnest($1::bigint[]) with ordinality u (k, n) order by n) as keys,
    array(select pg_try_advisory_xact_lock_shared(k) from unnest($2::bigint[]) with ordinality u (k, n) order by n) as batches,
    array(select pg_try_advisory_xact_lock(k) from unnest($3::bigint[]) with ordinality u (k, n) order by n) as recipients`);

/**
 * Waits for the recipients' locks. Keys are tried first, without waiting: if one is locked, the answer is "in progress" at
 * once. Recipients are sorted, so two transactions cannot deadlock.
 */
export const waitForGroupLocks = statement<
  [keyLocks: bigint[], batchLocks: bigint[], recipientLocks: bigint[]],
  { keys: boolean[] }
>(`
  with key as materialized (
    select pg_try_advisory_xact_lock(k) as free, n from unnest($1::bigint[]) with ordinality u (k, n)
    union all
    select pg_try_advisory_xact_lock_shared(k), cardinality($1) + n from unnest($2::bigint[]) with ordinality u (k, n)
  ), waited as materialized (
    select pg_advisory_xact_lock(k) from unnest($3::bigint[]) with ordinality u (k, n)
    where (select bool_and(free) from key) order by n
  )
  select array(select free from key order by n) as keys, (select count(*) from waited) as waited`);

/**
 * Pipelined behind the lock statement. Reads the callers' valid API keys, the current number of each recipient, whose keyed
 * hash `loadGroupRows` needs, and the stored responses: a group of replays needs nothing else.
 */
export const preloadGroup = statementOfBusinesses<
  [
    now: Date,
    records: string,
    businessIds: string[],
    emails: string[],
    callersBusinessIds: string[],
    callersKeyIds: string[],
  ],
  { callers: SnapshotCaller[] | null; phones: (string | null)[]; records: ReadResponse[] | null }
>(
  ['same', 'rows', 'businesses', 'parallel', 'businesses', 'parallel'],
  `
  select
    ${callersOf('$5', '$6')} as callers,
    array(select r.phone from unnest($3::text[], $4::text[]) with ordinality u (business_id, email, n)
      left join lateral (select phone from recipients where business_id = u.business_id and email = u.email offset 0) r on true
      order by n) as phones,
    (select json_agg(i) from (${answersTo('$2', '$1')}) i) as records`,
);
