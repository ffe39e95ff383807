import { statement } from '../db/statement.ts';
import { AVOIDED, isConditionalSql } from './counters.ts';
import { HISTOGRAM_RATIO, LAST_BUCKET } from './histogram.ts';
import { SLOTS, utcDay } from './sql.ts';

export interface RecountRow {
  day: string;
  counts: Record<string, number>;
  /** Openings by bucket. */
  opened: Record<string, number> | null;
}

/** Whether a provider took it, or may have. A rejection can be the provider's answer, or its report about what it had taken. */
const SENT = `(s.state in ('accepted', 'delivered', 'read', 'failed') or s.state = 'rejected' and (s.attempt_token is not null
      or exists (select from send_attempts a where a.business_id = $1 and a.send_id = s.id and a.outcome in ('accepted', 'unknown'))))`;

/** The counter of a send that ended without being sent; null: none. */
const ENDED = `case
      when s.state = 'skipped' then case s.channel when 'email' then 'email_not_sent' else s.channel || '_skipped' end
      when s.reason = 'superseded' then null
      when s.channel = 'email' then 'email_not_sent'
${Object.entries(AVOIDED)
  .map(
    ([reason, counter]) => `
      when ${isConditionalSql('s')} and s.reason = '${reason}' then '${counter}'`,
  )
  .join('')}
      else s.channel || '_skipped' end`;

/** Counts a business anew from messages, sends, attempts, the ledger and the history, by day. Erased people are not in it. */
export const recountDays = statement<[businessId: string, from: string, to: string], RecountRow>(`
  with m as materialized (
    select created_at, opened_at, sms_skipped, whatsapp_skipped from messages where business_id = $1
  ), s as materialized (
    select business_id, id, channel, purpose, state, reason, credits, attempt_token, escalate_minutes, fallback_of, submitted_at,
      delivered_at, bounced_at, complained_at, last_status_at
    from sends where business_id = $1 and message_id is not null
  ), ended as materialized (
    select ${utcDay('s.last_status_at')} as day, ${ENDED} as counter, s.credits from s where s.state in ('skipped', 'cancelled')
  ), fact as (
    select ${utcDay('created_at')} as day, 'messages' as counter, 1 as n from m
    union all select ${utcDay('created_at')}, 'sms_skipped', 1 from m where sms_skipped is not null
    union all select ${utcDay('created_at')}, 'whatsapp_skipped', 1 from m where whatsapp_skipped is not null
    union all select ${utcDay('opened_at')}, 'email_opened', 1 from m where opened_at is not null
    union all select ${utcDay('s.submitted_at')}, s.channel || '_sent', 1 from s where s.submitted_at is not null and ${SENT}
    union all select ${utcDay('delivered_at')}, channel || '_delivered', 1 from s where delivered_at is not null
    union all select ${utcDay('bounced_at')}, 'email_bounced', 1 from s where bounced_at is not null
    union all select ${utcDay('complained_at')}, 'email_complained', 1 from s where complained_at is not null
    union all select day, counter, 1 from ended where counter is not null
    union all select day, 'avoided_credits', credits from ended where counter like 'avoided%'
    union all select ${utcDay('e.at')}, case e.type when 'message.failed' then 'email_failed' else replace(e.type, '.', '_') end, 1
      from message_events e where e.business_id = $1 and e.type in
        ('message.failed', 'sms.failed', 'sms.rejected', 'sms.skipped', 'whatsapp.failed', 'whatsapp.rejected', 'whatsapp.skipped', 'whatsapp.read')
    union all select ${utcDay('l.at')}, s.channel || '_credits', -l.amount
      from credit_ledger l join sends s on s.business_id = l.business_id and s.id = l.send_id where l.business_id = $1
  ), counted as (
    select day, counter, sum(n)::int as n from fact where day between $2::date and $3::date group by day, counter
  ), opening as (
    select ${utcDay('opened_at')} as day,
      least(floor(ln(greatest(extract(epoch from opened_at - created_at)::float8, 1)) / ln(${HISTOGRAM_RATIO}::float8))::int, ${LAST_BUCKET}) as bucket
    from m where opened_at is not null
  ), histogram as (
    select day, json_object_agg(bucket, n) as opened from (
      select day, bucket, count(*)::int as n from opening group by day, bucket) b group by day
  )
  select c.day::text as day, json_object_agg(c.counter, c.n) as counts, (array_agg(h.opened))[1] as opened
  from counted c left join histogram h on h.day = c.day group by c.day order by c.day`);

/** The first day with anything to count, and the last erasure. */
export const recountRange = statement<
  [businessId: string],
  { first_at: Date | null; erased_at: Date | null }
>(`
  select (select min(created_at) from messages where business_id = $1) as first_at,
    (select max(at) from audit_entries where business_id = $1 and action = 'recipient.erased') as erased_at`);

/**
 * Locks every slot of these days, and makes the missing ones first: a commit that counts on one of them comes entirely
 * before the recount or entirely after.
 */
export const makeSlots = statement<[businessId: string, from: string, to: string]>(`
  insert into usage_counters (business_id, day, slot)
  select $1, day::date, slot from generate_series($2::date, $3::date, interval '1 day') day cross join generate_series(0, ${SLOTS}) slot
  order by day, slot on conflict do nothing`);

export const lockSlots = statement<[businessId: string, from: string, to: string]>(`
  select from usage_counters where business_id = $1 and day between $2::date and $3::date
  order by day, slot for update`);
