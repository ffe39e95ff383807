import { type KeyRow, listKeys } from '../businesses/keysSql.ts';
import { effectivePlan, noSuchBusiness, type Settings } from '../businesses/settings.ts';
import {
  type BusinessAccountRow,
  type ListedSender,
  listSenders,
  readAccount,
  readSettings,
} from '../businesses/sql.ts';
import type { Client, Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { dayOf } from '../usage/counters.ts';
import { type Endpoint, listLiveEndpoints } from '../webhooks/endpointsSql.ts';
import type { Report } from './command.ts';
import { facts, listReport, table } from './layout.ts';

export async function businessReport(db: Queryable, businessId: string, now: Date): Promise<Report> {
  const settings = await requireBusiness(db, businessId);
  const [account] = await readAccount(db, businessId);
  const keys = await listKeys(db, businessId);
  const endpoints = (await listLiveEndpoints(db, businessId)).map(endpointFields);
  const heading = ['endpoint', 'url', 'disabled', 'failures', 'last error'];
  const endpointList = listReport(heading, endpoints, 'No webhook endpoints.');
  const senders = sendersShown(await listSenders(db, businessId));
  const fields = { ...settingFields(settings, now), ...accountFields(account, now) };
  const { countries, countries_ceiling } = fields;
  const shown = { ...fields, countries: countries ?? 'all', countries_ceiling: countries_ceiling ?? 'all' };
  return {
    json: { ...fields, keys, endpoints, senders: senders.items },
    text: [facts(Object.entries(shown)), keyTable(keys), endpointList.text, senders.text].join('\n\n'),
  };
}

/** A business's own senders, as `sender list` and `business show` have them. */
export function sendersShown(senders: readonly ListedSender[]) {
  const heading = ['channel', 'provider', 'address', 'domain'];
  const { text } = listReport(heading, senders, 'This business uses the shared senders.');
  const items = senders.map(({ channel, provider, address, domain_state: domain }) => ({
    channel,
    ...(provider !== null && { provider }),
    address,
    ...(domain !== null && { domain }),
  }));
  return { items, text };
}

/** The settings of a business; throws if there is none with this id. */
export async function requireBusiness(db: Queryable, businessId: string): Promise<Settings> {
  const [settings] = await readSettings(db, [businessId]);
  if (!settings) throw noSuchBusiness(businessId);
  return settings;
}

/** One transaction about a business; throws if there is none with this id. */
export const changeBusiness = <T>(pool: Pool, businessId: string, change: (tx: Client) => Promise<T>) =>
  transaction(pool, async (tx) => {
    await requireBusiness(tx, businessId);
    return change(tx);
  });

/** Named like the flags that change them; `…_ceiling` is what the flag set, `own_…` what the shop chose, and the plain name what applies. */
const settingFields = (settings: Settings, now: Date) => ({
  business_id: settings.id,
  name: settings.name,
  active: settings.active,
  paused: settings.paused,
  plan: effectivePlan(settings, now),
  period_started_at: settings.periodStartedAt,
  period_end: settings.periodEnd,
  lapsed_at: settings.lapsedAt,
  email_allowance: settings.emailAllowance,
  daily_email_cap: settings.dailyEmailCap,
  sms: settings.smsMode,
  sms_enabled_at: settings.smsEnabledAt,
  warmup: settings.warmup,
  whatsapp: settings.whatsappMode,
  countries: settings.countries,
  countries_ceiling: settings.countriesCeiling,
  own_countries: settings.ownCountries,
  paid_per_recipient_hour: settings.paidPerRecipientHour,
  paid_per_recipient_hour_ceiling: settings.paidPerRecipientHourCeiling,
  own_paid_per_recipient_hour: settings.ownPaidPerRecipientHour,
  quiet_hours: settings.quietHours,
  quiet_hours_except: settings.quietHoursExcept,
  low_balance_threshold: settings.lowBalanceThreshold,
  reply_forward: settings.replyForward,
  reply_ack: settings.replyAck,
  reply_ack_credits: settings.replyAckCredits,
  tracking_nudges: settings.trackingNudges,
  tracking_channels: settings.trackingChannels,
  tracking_escalate_minutes: settings.trackingEscalateMinutes,
  contact_email: settings.contactEmail,
  support_email: settings.supportEmail,
  shop_url: settings.shopUrl,
  language: settings.language,
  colour: settings.colour,
  logo: settings.logo,
  created_at: settings.createdAt,
});

function accountFields(account: BusinessAccountRow | undefined, now: Date) {
  const today = account?.day === dayOf(now);
  return {
    balance: account?.balance ?? 0,
    reserved: account?.reserved ?? 0,
    emails_today: today ? (account?.emailsToday ?? 0) : 0,
    texts_today: today ? (account?.textsToday ?? 0) : 0,
    emails_in_period: account?.emailsInPeriod ?? 0,
  };
}

const keyTable = (keys: readonly KeyRow[]): string =>
  table(
    ['key', 'masked', 'name', 'access', 'created', 'minted by'],
    keys.map((key) => [key.id, key.masked, key.name, key.access, key.created, key.minted_by]),
    'No active keys.',
  );

const endpointFields = ({ id, url, disabled, consecutive_failures, last_error }: Endpoint) => ({
  endpoint_id: id,
  url,
  disabled,
  consecutive_failures,
  last_error,
});
