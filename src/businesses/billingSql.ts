import { CLAIMED_SENDS_MAX } from '../config/limits.ts';
import { statementOfBusinesses, writesOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';

export interface AccountRow {
  business_id: string;
  balance: number;
  reserved: number;
  /** The low-balance event was recorded; it is not repeated until the balance has recovered. */
  low_balance_notified: boolean;
  threshold: number;
}

const ACCOUNTS = `
  select a.business_id, a.balance, a.reserved, a.low_balance_notified, b.low_balance_threshold as threshold
  from credit_accounts a join businesses b on b.id = a.business_id
  where a.business_id = any ($1::text[])
  order by a.business_id`;

/** Locked after sends and before usage, in order of id, so that concurrent transactions cannot deadlock. */
export const lockAccounts = statementOfBusinesses<[businessIds: string[]], AccountRow>(
  ['businesses'],
  `${ACCOUNTS} for no key update of a`,
);

export const readAccounts = statementOfBusinesses<[businessIds: string[]], AccountRow>(
  ['businesses'],
  ACCOUNTS,
);

/** Adds ledger entries `l`, each with its country, to the sums by month. In order, so that two writers cannot deadlock. */
export const addToCountries = (entries: string): string => `
    insert into credits_by_country as c (business_id, month, country, credits)
    select business_id, date_trunc('month', at at time zone 'UTC')::date, country, -sum(amount)
    from ${entries} where country is not null group by 1, 2, 3 order by 1, 2, 3
    on conflict (business_id, month, country) do update set credits = c.credits + excluded.credits`;

const ADD_ENTRIES = `
    insert into credit_ledger (business_id, id, kind, amount, send_id, at)
    select business_id, id, kind, amount, send_id, at from json_populate_recordset(null::credit_ledger, $2::json)`;
const ADD_ENTRIES_TO_COUNTRIES = addToCountries(
  'json_to_recordset($2::json) as l (business_id text, country text, amount integer, at timestamptz)',
);
const SET_BALANCES = `
  update credit_accounts a set balance = n.balance, reserved = n.reserved, low_balance_notified = n.low_balance_notified
  from json_populate_recordset(null::credit_accounts, $1::json) n
  where a.business_id = n.business_id`;

/** The ledger's unique index allows one charge and one refund per send. */
export const writeAccounts = writesOfBusinesses<[accounts: string, ledger: string]>(['rows', 'rows'], {
  writes: { entry: ADD_ENTRIES, by_country: ADD_ENTRIES_TO_COUNTRIES, account: SET_BALANCES },
});

/** A balance at or above the threshold re-arms the low-balance event. */
export const grantOnce = statement<
  [businessId: string, ledgerId: string, credits: number, note: string | null, now: Date],
  { balance: number }
>(`
  with account as (
    update credit_accounts a set balance = a.balance + $3,
      low_balance_notified = a.low_balance_notified and a.balance + $3 < b.low_balance_threshold
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
  emails_today: number;
  texts_today: number;
  emails_in_period: number;
  allowance_reported: boolean;
  /** Whether permits that this transaction cannot see yet could pass a limit. */
  near_limit: boolean;
}

/** Permits of one business that run at the same time count in different rows, and rarely wait for each other. */
export const USAGE_SLOTS = 8;
/** What the permits that hold the other slots may add before they commit: a group each. */
const UNSEEN = USAGE_SLOTS * CLAIMED_SENDS_MAX;

/** The counts of the businesses $1 on the day $2. A business in warm-up is always near its limit, which is small. */
const COUNTED = `
  select t.*, (b.warmup or t.emails_today + ${UNSEEN} > b.daily_email_cap
      or (not t.allowance_reported and t.emails_in_period + ${UNSEEN} > b.email_allowance)) is true as near_limit
  from businesses b cross join lateral (
    select b.id as business_id,
      coalesce(sum(s.emails_today) filter (where s.day = $2::date), 0)::int as emails_today,
      coalesce(sum(s.texts_today) filter (where s.day = $2::date), 0)::int as texts_today,
      coalesce(sum(s.emails_in_period), 0)::int as emails_in_period,
      exists (select from business_usage u where u.business_id = b.id and u.allowance_reported) as allowance_reported
    from usage_slots s where s.business_id = b.id
  ) t
  where b.id = any ($1::text[])`;

/** The last lock of a permit: one slot of each business, or near a limit all. In order, so that two permits cannot deadlock. */
export const lockUsage = statementOfBusinesses<
  [businessIds: string[], day: string, slot: number],
  { business_id: string }
>(
  ['businesses', 'same', 'same'],
  `
  with counted as materialized (${COUNTED})
  select s.business_id from counted c join usage_slots s on s.business_id = c.business_id
  where (c.near_limit or s.slot = $3)
  order by s.business_id, s.slot for no key update of s`,
);

/** To be read after the lock: other permits that are not counted here hold another slot. */
export const readUsage = statementOfBusinesses<[businessIds: string[], day: string], UsageRow>(
  ['businesses', 'same'],
  COUNTED,
);

/** An operator's change of settings waits for all permits of the business: a send either comes before the change or sees it. */
export const lockAllUsage = statement<[businessId: string]>(`
  select from usage_slots where business_id = $1 order by slot for no key update`);

/** Adds to the slot that this transaction has locked. */
export const writeUsage = statementOfBusinesses<[usage: string, day: string, slot: number]>(
  ['rows', 'same', 'same'],
  `
  update usage_slots s set day = $2::date,
    emails_today = n.emails + case when s.day = $2::date then s.emails_today else 0 end,
    texts_today = n.texts + case when s.day = $2::date then s.texts_today else 0 end,
    emails_in_period = s.emails_in_period + n.emails
  from json_to_recordset($1::json) as n (business_id text, emails integer, texts integer)
  where s.business_id = n.business_id and s.slot = $3`,
);

export const markAllowanceReported = statementOfBusinesses<[businessIds: string[]]>(
  ['businesses'],
  `
  update business_usage set allowance_reported = true where business_id = any ($1::text[])`,
);
