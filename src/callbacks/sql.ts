import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';

/** Report ids are stored as hashes, since some providers put the person's number into them. */
const hashed = (name: string): string => `encode(sha256(convert_to(${name}, 'UTF8')), 'hex')`;

/** Stores the ids of reports and inbound messages; returns those that are new. */
export const rememberReports = statement<
  [providers: string[], reportIds: string[], now: Date],
  { provider: string; report_id: string }
>(`
  with reports as (
    select distinct provider, report_id, ${hashed('report_id')} as hash
    from unnest($1::text[], $2::text[]) k (provider, report_id)
  ), inserted as (
    insert into provider_reports (provider, report_id, received_at)
    select provider, hash, $3::timestamptz from reports
    on conflict do nothing
    returning provider, report_id
  )
  select r.provider, r.report_id from reports r join inserted i on i.provider = r.provider and i.report_id = r.hash`);

/** How many emails to each recipient have bounced since then: nudges of the messages since about then, and links asked for. */
export const countBounces = statementOfBusinesses<
  [businessIds: string[], recipientIds: string[], since: Date, sinceId: string],
  { recipient_id: string; bounces: number }
>(
  ['businesses', 'parallel', 'same', 'same'],
  `
  select k.id as recipient_id, count(*)::int as bounces
  from unnest($1::text[], $2::text[]) k (business_id, id) cross join lateral (
    select s.bounced_at from messages m join sends s on s.business_id = m.business_id and s.message_id = m.id
    where m.business_id = k.business_id and m.recipient_id = k.id and m.id > $4 and s.channel = 'email'
    union all
    select bounced_at from sends
    where business_id = k.business_id and recipient_id = k.id and message_id is null and purpose = 'new_link') b
  where b.bounced_at > $3::timestamptz
  group by k.id`,
);
