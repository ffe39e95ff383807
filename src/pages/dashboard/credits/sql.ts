import type { PaidChannel } from '../../../contract/channels.ts';
import { statement } from '../../../db/statement.ts';

export interface LedgerEntry {
  id: string;
  at: Date;
  kind: 'grant' | 'charge' | 'refund';
  /** Negative for a charge. */
  amount: number;
  /** Why a grant was made. */
  note: string | null;
  /** Of the send; null for a grant, and once the customer is erased. */
  channel: PaidChannel | null;
  country: string | null;
  message_id: string | null;
  subject: string | null;
}

/** Only the rows of the page are joined. */
const withMessage = (entries: string): string => `
  select l.id, l.at, l.kind, l.amount, l.note, s.channel, s.country, m.id as message_id, m.subject
  from (${entries}) l
  left join lateral (
    select channel, country, message_id from sends where business_id = $1 and id = l.send_id offset 0) s on true
  left join lateral (
    select id, subject from messages where business_id = $1 and id = s.message_id offset 0) m on true
  order by l.id`;

/** The newest entries before an id: ids begin with their time, so the primary key has them in order. */
export const listLedger = statement<[businessId: string, before: string, limit: number], LedgerEntry>(
  `${withMessage('select * from credit_ledger where business_id = $1 and id < $2 order by id desc limit $3')} desc`,
);

/** The oldest entries after an id. */
export const ledgerAfter = statement<[businessId: string, after: string, limit: number], LedgerEntry>(
  withMessage('select * from credit_ledger where business_id = $1 and id > $2 order by id limit $3'),
);

export interface CountryMonth {
  /** `2026-08` */
  month: string;
  country: string;
  credits: number;
}

/** As many rows as months and countries, however many messages there were. */
export const creditsByCountry = statement<[businessId: string, from: string], CountryMonth>(`
  select to_char(month, 'YYYY-MM') as month, country, credits from credits_by_country
  where business_id = $1 and month >= $2::date and credits <> 0 order by month desc, credits desc, country`);
