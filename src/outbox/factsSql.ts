import { PRICES, TEMPLATES_IN_REVIEW } from '../businesses/platformSql.ts';
import { statement } from '../db/statement.ts';
import type { Channel, PaidChannel } from '../nudges/channels.ts';

export interface MarksRow {
  suppressions:
    | { business_id: string; email_hash: string; unsubscribed: boolean; suppressed: boolean }[]
    | null;
  platform: string[];
  stops: { business_id: string; number_hash: string; channel: PaidChannel }[] | null;
  unreachable: { business_id: string; number_hash: string }[] | null;
  messaged: { business_id: string; number_hash: string }[] | null;
  senders: { business_id: string; channel: Channel; address: string }[] | null;
  paid: { business_id: string; recipient_id: string; count: number }[] | null;
  prices: { country: string; credits: number }[] | null;
  in_review: string[];
}

/**
 * What is on record about the people and businesses of a list, in one answer. `people` is a JSON recordset;
 * The hour's paid messages of a person are counted only where `paid` says that this is one and the account asks for it,
 * which few do.
 */
export const readMarks = statement<
  [people: string, businessIds: string[], now: Date, hourAgo: Date],
  MarksRow
>(`
  with person as materialized (
    select p.* from jsonb_to_recordset($1::jsonb)
      as p (business_id text, recipient_id text, email_hash bytea, number_hash bytea, paid boolean)
  )
  select
    (select json_agg(s) from (
      select s.business_id, encode(s.email_hash, 'hex') as email_hash,
        bool_or(s.reason = 'unsubscribe') as unsubscribed, bool_or(s.reason <> 'unsubscribe') as suppressed
      from suppressions s
      where (s.business_id, s.email_hash) in (select business_id, email_hash from person)
      group by s.business_id, s.email_hash) s) as suppressions,
    array(select encode(email_hash, 'hex') from platform_suppressions
      where email_hash in (select email_hash from person)) as platform,
    (select json_agg(s) from (
      select s.business_id, encode(s.number_hash, 'hex') as number_hash, s.channel from stops s
      where (s.business_id, s.number_hash) in (select business_id, number_hash from person)) s) as stops,
    (select json_agg(w) from (
      select w.business_id, encode(w.number_hash, 'hex') as number_hash from whatsapp_unreachable w
      where (w.business_id, w.number_hash) in (select business_id, number_hash from person) and w.until > $3) w) as unreachable,
    (select json_agg(m) from (
      select m.business_id, encode(m.number_hash, 'hex') as number_hash from messaged_numbers m
      where (m.business_id, m.number_hash) in (select business_id, number_hash from person)
        and m.channel = 'whatsapp' and m.submitted_at is not null) m) as messaged,
    (select json_agg(b) from (
      select business_id, channel, address from business_senders where business_id = any ($2::text[])) b) as senders,
    (select json_agg(c) from (
      select p.business_id, p.recipient_id, count(*)::int as count
      from (select distinct p.business_id, p.recipient_id from person p join businesses b on b.id = p.business_id
        where p.paid and b.paid_per_recipient_hour is not null) p
      join messages m on m.business_id = p.business_id and m.recipient_id = p.recipient_id
      join sends s on s.business_id = m.business_id and s.message_id = m.id
      where s.channel <> 'email' and s.submitted_at > $4
      group by p.business_id, p.recipient_id) c) as paid,
    ${PRICES} as prices,
    ${TEMPLATES_IN_REVIEW} as in_review`);
