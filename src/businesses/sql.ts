import type { Channel, Mode } from '../contract/channels.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import { USAGE_SLOTS } from './billingSql.ts';
import type { DomainState } from './domains/sql.ts';
import type { Settings } from './settings.ts';

/** With its credit account, its usage counters and the ledger entry of its first balance. No row: the id is taken. */
export const insertBusiness = statement<
  [
    id: string,
    name: string,
    smsMode: Mode,
    whatsappMode: Mode,
    smsEnabledAt: Date | null,
    countries: readonly string[] | null,
    contactEmail: string | null,
    credits: number,
    grantId: string,
    note: string,
    at: Date,
    language: string,
  ],
  { id: string }
>(`
  with created as (
    insert into businesses (id, name, sms_mode, whatsapp_mode, sms_enabled_at, countries, countries_ceiling, contact_email, created_at, language)
    values ($1, $2, $3, $4, $5, $6, $6, $7, $11, $12)
    on conflict (id) do nothing
    returning id
  ), account as (
    insert into credit_accounts (business_id, balance) select id, $8 from created
  ), usage as (
    insert into business_usage (business_id) select id from created
  ), slots as (
    insert into usage_slots (business_id, slot) select id, generate_series(0, ${USAGE_SLOTS - 1}) from created
  ), opening_grant as (
    insert into credit_ledger (business_id, id, kind, amount, note, at)
    select id, $9, 'grant', $8, $10, $11 from created where $8 > 0
  )
  select id from created`);

const COLUMNS = `
  id, name, contact_email as "contactEmail", support_email as "supportEmail", shop_url as "shopUrl", colour, logo, language, active, paused, plan,
  plan_period_started_at as "periodStartedAt", plan_period_end as "periodEnd", plan_lapsed_at as "lapsedAt",
  email_allowance as "emailAllowance", daily_email_cap as "dailyEmailCap",
  sms_mode as "smsMode", whatsapp_mode as "whatsappMode", sms_enabled_at as "smsEnabledAt", warmup, countries,
  own_countries as "ownCountries", countries_ceiling as "countriesCeiling",
  paid_per_recipient_hour as "paidPerRecipientHour", own_paid_per_recipient_hour as "ownPaidPerRecipientHour",
  paid_per_recipient_hour_ceiling as "paidPerRecipientHourCeiling",
  quiet_hours as "quietHours", quiet_hours_except as "quietHoursExcept",
  low_balance_threshold as "lowBalanceThreshold", reply_forward as "replyForward",
  reply_ack as "replyAck", reply_ack_credits as "replyAckCredits",
  tracking_nudges as "trackingNudges", tracking_channels as "trackingChannels",
  tracking_escalate_minutes as "trackingEscalateMinutes", created_at as "createdAt"`;

export const readSettings = statementOfBusinesses<[businessIds: readonly string[]], Settings>(
  ['businesses'],
  `
  select ${COLUMNS} from businesses where id = any ($1::text[])`,
);

export const listSettings = statement<[], Settings & { balance: number }>(`
  select ${COLUMNS}, coalesce(c.balance, 0) as balance
  from businesses left join credit_accounts c on c.business_id = id
  order by id desc`);

/** Serialises changes of one business. `for no key update` does not block rows whose foreign keys refer to it. */
export const lockSettings = statement<[businessId: string], Settings>(`
  select ${COLUMNS} from businesses where id = $1 for no key update`);

/** Writes every field, given as JSON of `Settings`: the same transaction locked and read the row. `recheckAt` is for changed quiet hours. */
export const writeSettings = statement<[businessId: string, settings: string, recheckAt: Date]>(`
  update businesses set
    name = s.name, contact_email = s."contactEmail", support_email = s."supportEmail", shop_url = s."shopUrl", colour = s.colour, logo = s.logo, language = s.language, active = s.active,
    paused = s.paused, plan = s.plan, plan_period_started_at = s."periodStartedAt", plan_period_end = s."periodEnd",
    plan_lapsed_at = s."lapsedAt", email_allowance = s."emailAllowance", daily_email_cap = s."dailyEmailCap",
    sms_mode = s."smsMode", whatsapp_mode = s."whatsappMode", sms_enabled_at = s."smsEnabledAt", warmup = s.warmup,
    countries = s.countries, countries_ceiling = s."countriesCeiling", own_countries = s."ownCountries",
    paid_per_recipient_hour = s."paidPerRecipientHour", paid_per_recipient_hour_ceiling = s."paidPerRecipientHourCeiling",
    own_paid_per_recipient_hour = s."ownPaidPerRecipientHour",
    quiet_hours = s."quietHours", quiet_hours_except = s."quietHoursExcept",
    quiet_hours_recheck_at = case
      when (businesses.quiet_hours, businesses.quiet_hours_except) is distinct from (s."quietHours", s."quietHoursExcept") then $3
      else businesses.quiet_hours_recheck_at end,
    low_balance_threshold = s."lowBalanceThreshold", reply_forward = s."replyForward",
    reply_ack = s."replyAck", reply_ack_credits = s."replyAckCredits",
    tracking_nudges = s."trackingNudges", tracking_channels = s."trackingChannels",
    tracking_escalate_minutes = s."trackingEscalateMinutes"
  from jsonb_to_recordset(jsonb_build_array($2::jsonb)) as s (
    name text, "contactEmail" text, "supportEmail" text, "shopUrl" text, colour text, logo text, language text, active boolean, paused boolean, plan text,
    "periodStartedAt" timestamptz, "periodEnd" timestamptz, "lapsedAt" timestamptz,
    "emailAllowance" integer, "dailyEmailCap" integer, "smsMode" text, "whatsappMode" text,
    "smsEnabledAt" timestamptz, warmup boolean, countries text[], "countriesCeiling" text[], "ownCountries" text[],
    "paidPerRecipientHour" integer, "paidPerRecipientHourCeiling" integer, "ownPaidPerRecipientHour" integer,
    "quietHours" text, "quietHoursExcept" text[], "lowBalanceThreshold" integer, "replyForward" text, "replyAck" text, "replyAckCredits" integer,
    "trackingNudges" text[], "trackingChannels" text[],
    "trackingEscalateMinutes" integer)
  where businesses.id = $1`);

/** The business whose quiet hours changed first, and when to look again at what waits for their end. */
export const nextQuietHoursRecheck = statement<[], { id: string; at: Date }>(`
  select id, quiet_hours_recheck_at as at from businesses where quiet_hours_recheck_at is not null
  order by quiet_hours_recheck_at limit 1`);

/** Unless they changed again meanwhile. */
export const quietHoursRechecked = statement<[businessId: string, at: Date]>(`
  update businesses set quiet_hours_recheck_at = null where id = $1 and quiet_hours_recheck_at = $2`);

export const beginPeriod = statement<[businessId: string]>(`
  with slots as (update usage_slots set emails_in_period = 0 where business_id = $1)
  update business_usage set allowance_reported = false where business_id = $1`);

/** A balance at or above the new threshold re-arms the low-balance event. */
export const rearmLowBalance = statement<[businessId: string, threshold: number]>(`
  update credit_accounts set low_balance_notified = false
  where business_id = $1 and low_balance_notified and balance >= $2`);

/** Serialises processes that start at the same time. */
export const lockDemo = statement<[lock: bigint]>(`
  select pg_advisory_xact_lock($1)`);

export const lastToChangeActive = statement<[businessId: string], { actor: string }>(`
  select actor from audit_entries
  where business_id = $1 and action = 'settings.changed' and detail ? 'active'
  order by at desc, id desc limit 1`);

/*
 * Expressions that read the small tables of operator-wide settings. They order by key to use the index: the transactions that
 * use them disable sequential scans, and Postgres estimates one as so expensive that it JIT-compiles the statement, which
 * takes seconds.
 */

export const PRICES =
  '(select json_agg(p) from (select country, credits from country_prices order by country) p)';

export const TEMPLATES_IN_REVIEW =
  "array(select order_status from whatsapp_templates where state = 'in_review' order by order_status)";

/** Only where a number may be messaged: there can be a hundred rows, and every group of sends reads this. */
export const TEMPLATES_TRANSLATED = `array(
      select language || ' ' || order_status from template_translations
      where state <> 'in_review' and exists (select from number) order by language, order_status)`;

export const insertAudit = statement<
  [
    businessId: string,
    id: string,
    actor: string,
    action: string,
    recipientId: string | null,
    subject: string | null,
    detail: string,
    at: Date,
  ]
>(`
  insert into audit_entries (business_id, id, actor, action, recipient_id, subject, detail, at)
  values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8)`);

export const insertPlatformAudit = statement<
  [id: string, actor: string, action: string, detail: string, at: Date]
>(`
  insert into platform_audit_entries (id, actor, action, detail, at) values ($1, $2, $3, $4::jsonb, $5)`);

interface PriceRow {
  country: string;
  credits: number;
}

export const setPrice = statement<[country: string, credits: number]>(`
  insert into country_prices (country, credits) values ($1, $2)
  on conflict (country) do update set credits = excluded.credits`);

export const lockPrice = statement<[country: string], PriceRow>(`
  select country, credits from country_prices where country = $1 for update`);

export const listPrices = statement<[], PriceRow>(`
  select country, credits from country_prices order by country`);

interface SenderRow {
  channel: Channel;
  address: string;
}

/** `provider` null: with every one of the channel. `domain_state` null: the address is used as it is. */
export interface ListedSender extends SenderRow {
  provider: string | null;
  domain_state: DomainState | null;
}

export const setSender = statement<[businessId: string, channel: Channel, address: string]>(`
  insert into business_senders (business_id, channel, address) values ($1, $2, $3)
  on conflict (business_id, channel) do update set address = excluded.address`);

export const removeSender = statement<[businessId: string, channel: Channel], SenderRow>(`
  delete from business_senders where business_id = $1 and channel = $2 returning channel, address`);

export const setProviderSender = statement<
  [businessId: string, channel: Channel, provider: string, address: string]
>(`
  insert into provider_senders (business_id, channel, provider, address) values ($1, $2, $3, $4)
  on conflict (business_id, channel, provider) do update set address = excluded.address`);

export const removeProviderSender = statement<
  [businessId: string, channel: Channel, provider: string],
  SenderRow
>(`
  delete from provider_senders where business_id = $1 and channel = $2 and provider = $3 returning channel, address`);

/** Those with every provider before those with one. */
export const listSenders = statement<[businessId: string], ListedSender>(`
  select s.channel, null::text as provider, s.address, d.state as domain_state
  from business_senders s left join sender_domains d on d.business_id = s.business_id and s.channel = 'email'
  where s.business_id = $1
  union all
  select channel, provider, address, null from provider_senders where business_id = $1
  order by channel, provider nulls first`);

export interface BusinessAccountRow {
  balance: number;
  reserved: number;
  /** Whether the balance fell below the shop's threshold, and has not recovered. */
  ranLow: boolean;
  /** The UTC day of the `…Today` counts, as `2026-08-20`. */
  day: string | null;
  emailsToday: number;
  textsToday: number;
  emailsInPeriod: number;
}

export const readAccount = statement<[businessId: string], BusinessAccountRow>(`
  with slots as (
    select day, emails_today, texts_today, emails_in_period from usage_slots where business_id = $1
  ), today as (select max(day) as day from slots)
  select c.balance, c.reserved, c.low_balance_notified as "ranLow", to_char(t.day, 'YYYY-MM-DD') as day, u.*
  from credit_accounts c, today t, lateral (
    select coalesce(sum(emails_today) filter (where day = t.day), 0)::int as "emailsToday",
      coalesce(sum(texts_today) filter (where day = t.day), 0)::int as "textsToday",
      coalesce(sum(emails_in_period), 0)::int as "emailsInPeriod"
    from slots) u
  where c.business_id = $1`);
