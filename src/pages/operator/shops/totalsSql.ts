import { statementOfBusinesses } from '../../../db/perBusiness.ts';
import { statement } from '../../../db/statement.ts';
import { FOLDED_DAY } from '../../../usage/sql.ts';

type Range = [businessIds: readonly string[], from: string, to: string];

const COUNTED = `usage_counters where business_id = any ($1::text[]) and day between $2::date and $3::date and slot >= ${FOLDED_DAY}`;

export interface DayOfShop {
  business_id: string;
  day: string;
  messages: number;
  /** Emails, as the next ones. */
  sent: number;
  delivered: number;
  bounced: number;
  failed: number;
}

/** The days of some shops on which anything was counted: what their lines in a list need. */
export const countDaysOfShops = statementOfBusinesses<Range, DayOfShop>(
  ['businesses', 'same', 'same'],
  `
  select business_id, day::text as day, sum(messages)::int as messages, sum(email_sent)::int as sent,
    sum(email_delivered)::int as delivered, sum(email_bounced)::int as bounced, sum(email_failed)::int as failed
  from ${COUNTED} group by business_id, usage_counters.day`,
);

export interface DayOfAllShops {
  day: string;
  messages: number;
  emails: number;
  delivered: number;
  paid: number;
  credits: number;
}

/** What some shops did together on each day. */
export const countDaysTogether = statementOfBusinesses<Range, DayOfAllShops>(
  ['businesses', 'same', 'same'],
  `
  select day::text as day, sum(messages)::float8 as messages, sum(email_sent)::float8 as emails,
    sum(email_delivered)::float8 as delivered, sum(sms_sent + whatsapp_sent)::float8 as paid,
    sum(sms_credits + whatsapp_credits)::float8 as credits
  from ${COUNTED} group by usage_counters.day`,
);

/** The credits that were added to some shops since the beginning of a day, by the index credit_ledger_grants. */
export const sumGrants = statementOfBusinesses<
  [businessIds: readonly string[], from: string],
  { credits: number }
>(
  ['businesses', 'same'],
  `
  select coalesce(sum(amount), 0)::float8 as credits from credit_ledger
  where business_id = any ($1::text[]) and kind = 'grant' and at >= $2::date::timestamp at time zone 'UTC'`,
);

export const shopsAfter = statement<[after: string, limit: number], { id: string }>(`
  select id from businesses where id > $1 order by id limit $2`);
