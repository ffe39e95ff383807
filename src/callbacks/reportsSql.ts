import { statement } from '../db/statement.ts';

/** Remembers reports by their names; answers those that were not known yet. */
export const rememberReports = statement<
  [providers: string[], reportIds: string[], now: Date],
  { provider: string; report_id: string }
>(`
  insert into provider_reports (provider, report_id, received_at)
  select distinct provider, report_id, $3::timestamptz from unnest($1::text[], $2::text[]) k (provider, report_id)
  on conflict do nothing
  returning provider, report_id`);
