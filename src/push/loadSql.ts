import { statement } from '../db/statement.ts';

export interface LoadedRow {
  records: LoadedRecord[] | null;
  businesses: LoadedBusiness[] | null;
  recipients: LoadedRecipient[] | null;
  suppressions:
    | { business_id: string; email_hash: string; unsubscribed: boolean; suppressed: boolean }[]
    | null;
  platform: { email_hash: string }[] | null;
  holders: { business_id: string; phone: string; id: string }[] | null;
  stops:
    | {
        business_id: string;
        number_hash: string;
        channel: 'sms' | 'whatsapp';
        made_by: 'text' | 'inbox' | 'dashboard';
      }[]
    | null;
  unreachable: { business_id: string; number_hash: string }[] | null;
  messages: LoadedMessage[] | null;
  waiting: LoadedSend[] | null;
  prices: { country: string; credits: number }[] | null;
  in_review: string[];
}

export interface LoadedRecord {
  business_id: string;
  scope: string;
  key: string;
  fingerprint: string;
  status: number;
  response: string;
  recipient_id: string | null;
}

export interface LoadedBusiness {
  id: string;
  name: string;
  active: boolean;
  paused: boolean;
  plan: 'active' | 'past_due' | 'lapsed';
  plan_period_end: string | null;
  sms_mode: 'on' | 'on_request' | 'off' | 'not_enabled';
  whatsapp_mode: 'on' | 'on_request' | 'off' | 'not_enabled';
  countries: string[] | null;
  paid_per_recipient_hour: number | null;
  spendable: number;
}

export interface LoadedRecipient {
  business_id: string;
  id: string;
  email: string;
  phone: string | null;
  phone_country: string | null;
  sms_status: 'none' | 'active' | 'stopped';
  sms_status_at: string | null;
  sms_stopped_by: 'text' | 'inbox' | 'dashboard' | null;
  sms_consent_at: string | null;
  sms_consent_source: 'push' | 'api' | 'admin' | null;
  whatsapp_status: 'none' | 'active' | 'stopped';
  whatsapp_status_at: string | null;
  paid_last_hour: number;
}

export interface LoadedMessage {
  business_id: string;
  id: string;
  recipient_id: string;
  recipient_email: string;
  subject: string;
  body: string;
  reference: string | null;
  order_status: string | null;
  kind: 'one_off' | 'updateable';
  status: 'active' | 'obsolete' | 'retracted';
  scheduled_for: string | null;
  created_at: string;
  updated_at: string;
}

export interface LoadedSend {
  business_id: string;
  id: string;
  message_id: string;
  channel: 'email' | 'sms' | 'whatsapp';
  state: 'held' | 'queued';
  reserved: number;
  charged: number;
  fallback_of: string | null;
}

/**
 * Everything the decisions of a list need, in one answer. What they may change is locked: a recipient that gets a
 * number or consent, the message that is updated or made obsolete with its waiting sends, and the credit account of
 * a business that may pay, in this order: `… >= 0` makes a part wait for the locks before it. Everything else is only
 * read.
 */
export const loadList = statement<
  [
    now: Date,
    hourAgo: Date,
    records: string,
    businessIds: string[],
    payingBusinessIds: string[],
    people: string,
    numbers: string,
    updateables: string,
    obsoletes: string,
  ],
  LoadedRow
>(`
  with person as materialized (
    select p.business_id, p.email, p.email_hash, p.changes
    from jsonb_to_recordset($6::jsonb) as p (business_id text, email text, email_hash bytea, changes boolean)
  ), changed as materialized (
    select r.* from recipients r
    where (r.business_id, r.email) in (select business_id, email from person where changes)
    order by r.id for no key update
  ), met as materialized (
    select * from changed
    union all
    select r.* from recipients r
    join person p on p.business_id = r.business_id and p.email = r.email and not p.changes
  ), number as materialized (
    select n.business_id, n.number, n.number_hash
    from jsonb_to_recordset($7::jsonb) as n (business_id text, number text, number_hash bytea)
  ), subject as materialized (
    select u.business_id, u.email, u.subject
    from jsonb_to_recordset($8::jsonb) as u (business_id text, email text, subject text)
  ), touched as materialized (
    select m.* from messages m
    where (m.business_id, m.id) in (
        select o.business_id, o.id from jsonb_to_recordset($9::jsonb) as o (business_id text, id text)
        union all
        select m2.business_id, m2.id from subject s
        join met r on r.business_id = s.business_id and r.email = s.email
        join messages m2 on m2.business_id = r.business_id and m2.recipient_id = r.id and m2.subject = s.subject
          and m2.kind = 'updateable' and m2.status = 'active')
      and m.status = 'active' and (select count(*) from changed) >= 0
    order by m.id for no key update
  ), waiting as materialized (
    select s.business_id, s.id, s.message_id, s.channel, s.state, s.fallback_of,
      case when s.reserved then s.credits else 0 end as reserved, case when s.charged then s.credits else 0 end as charged
    from sends s
    where (s.business_id, s.message_id) in (select business_id, id from touched) and s.state in ('held', 'queued')
    order by s.id for no key update
  ), account as materialized (
    select business_id, balance - reserved as spendable from credit_accounts
    where business_id = any ($4::text[]) and (select count(*) from waiting) >= 0 and (business_id = any ($5::text[])
      or business_id in (select id from businesses where id = any ($4::text[]) and 'on' in (sms_mode, whatsapp_mode)))
    order by business_id for no key update
  )
  select
    (select json_agg(i) from (
      select i.business_id, i.scope, i.key, encode(i.fingerprint, 'hex') as fingerprint, i.status, i.response, i.recipient_id
      from jsonb_to_recordset($3::jsonb) as w (business_id text, scope text, key text)
      join idempotency_records i on i.business_id = w.business_id and i.scope = w.scope and i.key = w.key
      where i.expires_at > $1) i) as records,
    (select json_agg(b) from (
      select b.id, b.name, b.active, b.paused, b.plan, b.plan_period_end, b.sms_mode, b.whatsapp_mode, b.countries,
        b.paid_per_recipient_hour, coalesce(a.spendable, 0) as spendable
      from businesses b left join account a on a.business_id = b.id where b.id = any ($4::text[])) b) as businesses,
    (select json_agg(r) from (
      select met.*, case when b.paid_per_recipient_hour is null then 0 else (
        select count(*) from messages m join sends s on s.business_id = m.business_id and s.message_id = m.id
        where m.business_id = met.business_id and m.recipient_id = met.id and s.channel <> 'email' and s.submitted_at > $2
        ) end::int as paid_last_hour
      from met join businesses b on b.id = met.business_id) r) as recipients,
    (select json_agg(s) from (
      select s.business_id, encode(s.email_hash, 'hex') as email_hash,
        bool_or(s.reason = 'unsubscribe') as unsubscribed, bool_or(s.reason <> 'unsubscribe') as suppressed
      from suppressions s where (s.business_id, s.email_hash) in (select business_id, email_hash from person)
      group by s.business_id, s.email_hash) s) as suppressions,
    (select json_agg(p) from (
      select encode(email_hash, 'hex') as email_hash from platform_suppressions
      where email_hash in (select email_hash from person)) p) as platform,
    (select json_agg(h) from (
      select r.business_id, r.phone, r.id from number n
      join recipients r on r.business_id = n.business_id and r.phone = n.number) h) as holders,
    (select json_agg(s) from (
      select s.business_id, encode(s.number_hash, 'hex') as number_hash, s.channel, s.made_by
      from stops s where (s.business_id, s.number_hash) in (select business_id, number_hash from number)) s) as stops,
    (select json_agg(w) from (
      select w.business_id, encode(w.number_hash, 'hex') as number_hash from whatsapp_unreachable w
      where (w.business_id, w.number_hash) in (select business_id, number_hash from number) and w.until > $1) w) as unreachable,
    (select json_agg(m) from (
      select t.business_id, t.id, t.recipient_id, r.email as recipient_email, t.subject, t.body, t.reference, t.order_status,
        t.kind, t.status, t.scheduled_for, t.created_at, t.updated_at
      from touched t join recipients r on r.business_id = t.business_id and r.id = t.recipient_id) m) as messages,
    (select json_agg(w) from waiting w) as waiting,
    (select json_agg(p) from country_prices p) as prices,
    array(select order_status from whatsapp_templates where state = 'in_review') as in_review`);
