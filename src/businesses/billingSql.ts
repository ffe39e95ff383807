import { statement } from '../db/statement.ts';

export interface AccountRow {
  business_id: string;
  balance: number;
  reserved: number;
  /** The low-balance event was recorded; it is not repeated until the balance has recovered. */
  low_balance_told: boolean;
  threshold: number;
}

/** Locked after sends and before usage, in order of id, so that concurrent transactions cannot deadlock. */
export const lockAccounts = statement<[businessIds: string[]], AccountRow>(`
  select a.business_id, a.balance, a.reserved, a.low_balance_told, b.low_balance_threshold as threshold
  from credit_accounts a join businesses b on b.id = a.business_id
  where a.business_id = any ($1::text[])
  order by a.business_id for no key update of a`);

/** The ledger's unique index allows one charge and one refund per send. */
export const writeAccounts = statement<[accounts: string, ledger: string]>(`
  with entry as (
    insert into credit_ledger (business_id, id, kind, amount, send_id, at)
    select business_id, id, kind, amount, send_id, at from json_populate_recordset(null::credit_ledger, $2::json)
  )
  update credit_accounts a set balance = n.balance, reserved = n.reserved, low_balance_told = n.low_balance_told
  from json_populate_recordset(null::credit_accounts, $1::json) n
  where a.business_id = n.business_id`);

/** A balance at or above the threshold re-arms the low-balance event. */
export const grantOnce = statement<
  [businessId: string, ledgerId: string, credits: number, note: string | null, now: Date],
  { balance: number }
>(`
  with account as (
    update credit_accounts a set balance = a.balance + $3,
      low_balance_told = a.low_balance_told and a.balance + $3 < b.low_balance_threshold
    from businesses b where a.business_id = $1 and b.id = a.business_id
    returning a.business_id, a.balance
  ), entry as (
    insert into credit_ledger (business_id, id, kind, amount, note, at)
    select business_id, $2, 'grant', $3, $4, $5 from account
  )
  select balance from account`);

export const readCredits = statement<[businessId: string], { balance: number; threshold: number }>(`
  select coalesce(a.balance, 0) as balance, b.low_balance_threshold as threshold
  from businesses b left join credit_accounts a on a.business_id = b.id
  where b.id = $1`);

/** `past_due` lapses when the paid period ends. The gates apply that at once; this stores it. */
export const lapseOverdue = statement<[now: Date], { id: string }>(`
  update businesses set plan = 'lapsed', plan_lapsed_at = $1
  where plan = 'past_due' and plan_period_end <= $1
  returning id`);

export const nextLapse = statement<[], { at: Date | null }>(`
  select min(plan_period_end) as at from businesses where plan = 'past_due'`);

export interface UsageRow {
  business_id: string;
  /** The day of the `…_today` counts, as `2026-08-20`. */
  day: string | null;
  emails_today: number;
  texts_today: number;
  emails_in_period: number;
  allowance_reported: boolean;
}

/**
 * The last lock: one row per business. A permit holds it, and so does an operator's change of settings, so that a send
 * either comes before the change or sees it.
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
