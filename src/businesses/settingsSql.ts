import { statement } from '../db/statement.ts';
import type { Settings } from './settings.ts';

const COLUMNS = `
  id, name, contact_email as "contactEmail", colour, active, paused, plan,
  plan_period_started_at as "periodStartedAt", plan_period_end as "periodEnd", plan_lapsed_at as "lapsedAt",
  email_allowance as "emailAllowance", daily_email_cap as "dailyEmailCap",
  sms_mode as "smsMode", whatsapp_mode as "whatsappMode", sms_enabled_at as "smsEnabledAt", warmup, countries,
  paid_per_recipient_hour as "paidPerRecipientHour", low_balance_threshold as "lowBalanceThreshold",
  reply_forward as "replyForward", created_at as "createdAt"`;

export const readSettings = statement<[businessIds: readonly string[]], Settings>(`
  select ${COLUMNS} from businesses where id = any ($1::text[])`);

export const listSettings = statement<[], Settings & { balance: number }>(`
  select ${COLUMNS}, coalesce(c.balance, 0) as balance
  from businesses left join credit_accounts c on c.business_id = id
  order by id desc`);

/** Changes of one business follow each other. No key update: rows that refer to the business need not wait. */
export const lockSettings = statement<[businessId: string], Settings>(`
  select ${COLUMNS} from businesses where id = $1 for no key update`);

/** Writes every setting, as JSON of `Settings`, since the row is locked and was read in the same transaction. */
export const writeSettings = statement<[settings: string]>(`
  update businesses b set
    name = s.name, contact_email = s."contactEmail", colour = s.colour, active = s.active, paused = s.paused,
    plan = s.plan, plan_period_started_at = s."periodStartedAt", plan_period_end = s."periodEnd",
    plan_lapsed_at = s."lapsedAt", email_allowance = s."emailAllowance", daily_email_cap = s."dailyEmailCap",
    sms_mode = s."smsMode", whatsapp_mode = s."whatsappMode", sms_enabled_at = s."smsEnabledAt", warmup = s.warmup,
    countries = s.countries, paid_per_recipient_hour = s."paidPerRecipientHour",
    low_balance_threshold = s."lowBalanceThreshold", reply_forward = s."replyForward"
  from jsonb_to_record($1::jsonb) as s (
    id text, name text, "contactEmail" text, colour text, active boolean, paused boolean, plan text,
    "periodStartedAt" timestamptz, "periodEnd" timestamptz, "lapsedAt" timestamptz,
    "emailAllowance" integer, "dailyEmailCap" integer, "smsMode" text, "whatsappMode" text,
    "smsEnabledAt" timestamptz, warmup boolean, countries text[], "paidPerRecipientHour" integer,
    "lowBalanceThreshold" integer, "replyForward" text)
  where b.id = s.id`);

export const beginPeriod = statement<[businessId: string]>(`
  update business_usage set emails_in_period = 0, allowance_reported = false where business_id = $1`);

/** A threshold that the balance is not below any more lets the low-balance event fire again. */
export const rearmLowBalance = statement<[businessId: string, threshold: number]>(`
  update credit_accounts set low_balance_told = false
  where business_id = $1 and low_balance_told and balance >= $2`);
