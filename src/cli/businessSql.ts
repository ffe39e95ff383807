import { statement } from '../db/statement.ts';

export interface AccountRow {
  balance: number;
  reserved: number;
  /** UTC, `2026-08-20`; the counters of a day are those of this one. */
  day: string | null;
  emailsToday: number;
  textsToday: number;
  emailsInPeriod: number;
}

export const readAccount = statement<[businessId: string], AccountRow>(`
  select c.balance, c.reserved, to_char(u.day, 'YYYY-MM-DD') as day, u.emails_today as "emailsToday",
    u.texts_today as "textsToday", u.emails_in_period as "emailsInPeriod"
  from credit_accounts c join business_usage u using (business_id)
  where c.business_id = $1`);

export interface EndpointRow {
  id: string;
  url: string;
  disabled: boolean;
  consecutive_failures: number;
  last_error: string | null;
}

export const listEndpoints = statement<[businessId: string], EndpointRow>(`
  select id, url, disabled_at is not null as disabled, consecutive_failures, last_error
  from webhook_endpoints where business_id = $1 and deleted_at is null order by id desc`);
