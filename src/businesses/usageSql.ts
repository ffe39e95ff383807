import { statement } from '../db/statement.ts';

export interface UsageRow {
  business_id: string;
  /** The day that the counts of today are about, as `2026-08-20`. */
  day: string | null;
  emails_today: number;
  texts_today: number;
  emails_in_period: number;
  allowance_reported: boolean;
}

/**
 * The last lock: one row a business, taken by whoever is about to send for it. An operator who pauses or changes an
 * account takes it too, so that a send comes wholly before the change or sees it.
 */
export const lockUsage = statement<[businessIds: string[]], UsageRow>(`
  select business_id, day::text as day, emails_today, texts_today, emails_in_period, allowance_reported
  from business_usage where business_id = any ($1::text[])
  order by business_id for no key update`);

export const insertUsage = statement<[businessIds: string[]]>(`
  insert into business_usage (business_id) select unnest($1::text[]) on conflict do nothing`);

export const writeUsage = statement<[usage: string]>(`
  update business_usage u set day = n.day, emails_today = n.emails_today, texts_today = n.texts_today,
    emails_in_period = n.emails_in_period, allowance_reported = n.allowance_reported
  from json_populate_recordset(null::business_usage, $1::json) n
  where u.business_id = n.business_id`);
