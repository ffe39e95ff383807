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
