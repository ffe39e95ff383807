import { readAccount, readSettings } from '../../../businesses/sql.ts';
import type { UsagePeriod } from '../../../contract/usage.ts';
import type { Queryable } from '../../../db/statement.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import { dayOf } from '../../../usage/counters.ts';
import { dayAfter, viewUsage } from '../../../usage/read.ts';
import { type ListPage, readListPage } from '../../kit/listPage.ts';
import { type CountryMonth, creditsByCountry, type LedgerEntry, ledgerAfter, listLedger } from './sql.ts';

/** The rate at which credits are spent is that of so many days. */
export const RATE_DAYS = 30;

export interface CreditsLeft {
  spendable: number;
  /** For messages that are queued. */
  setAside: number;
  /** At the rate of the last 30 days; null: none were spent. */
  daysLeft: number | null;
}

export const creditsSpent = ({ sms, whatsapp }: Pick<UsagePeriod, 'sms' | 'whatsapp'>): number =>
  sms.credits + whatsapp.credits;

/** `spent` is what the last 30 days cost. */
export function creditsLeft(
  account: { balance: number; reserved: number } | undefined,
  spent: number,
): CreditsLeft {
  const setAside = account?.reserved ?? 0;
  const spendable = (account?.balance ?? 0) - setAside;
  return { spendable, setAside, daysLeft: daysLeft(spendable, spent) };
}

/** How long the credits last at the rate of the last 30 days; null when none were spent. */
export const daysLeft = (spendable: number, spentInMonth: number): number | null =>
  spentInMonth <= 0 ? null : Math.floor((spendable * RATE_DAYS) / spentInMonth);

export interface CreditMonth {
  /** `2026-08` */
  month: string;
  credits: number;
  /** The countries with the most first; what no country is known for is under null. */
  countries: { country: string | null; credits: number }[];
}

/** Months on the page, the present one included. */
const MONTHS = 12;

export interface CreditsPage {
  left: CreditsLeft;
  threshold: number;
  /** Oldest first. */
  months: CreditMonth[];
}

/** Everything comes from counters and settings, so it takes the same time at any number of messages. */
export async function readCreditsPage(db: Queryable, businessId: string, now: Date): Promise<CreditsPage> {
  const to = dayOf(now);
  const from = monthsBefore(to, MONTHS - 1);
  const [recent, byMonth, countries, [account], [settings]] = await Promise.all([
    viewUsage(db, businessId, { from: dayAfter(to, 1 - RATE_DAYS), to, interval: 'day' }),
    viewUsage(db, businessId, { from, to, interval: 'month' }),
    creditsByCountry(db, businessId, from),
    readAccount(db, businessId),
    readSettings(db, [businessId]),
  ]);
  return {
    left: creditsLeft(account, creditsSpent(recent.total)),
    threshold: settings?.lowBalanceThreshold ?? 0,
    months: byMonth.items.map((item) => creditMonth(item.period, creditsSpent(item), countries)),
  };
}

/** Countries are counted since the table exists: what a month spent before has none. */
export function creditMonth(month: string, credits: number, all: readonly CountryMonth[]): CreditMonth {
  const known = all.filter((row) => row.month === month);
  const rest = credits - known.reduce((sum, row) => sum + row.credits, 0);
  return {
    month,
    credits,
    countries: [
      ...known.map(({ country, credits: spent }) => ({ country, credits: spent })),
      ...(rest === 0 ? [] : [{ country: null, credits: rest }]),
    ],
  };
}

/** The first day of the month that lies this many months before a day. */
export function monthsBefore(day: string, months: number): string {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00.000Z`);
  first.setUTCMonth(first.getUTCMonth() - months);
  return dayOf(first);
}

const cursors = pageCursors('credit ledger');

/** Newest first. */
export type LedgerPage = ListPage<LedgerEntry>;

export const readLedger = (
  db: Queryable,
  businessId: string,
  cursor: string | null,
  size: number,
): Promise<LedgerPage> =>
  readListPage(cursors, cursor, size, (before, limit) => listLedger(db, businessId, before, limit));

const BATCH = 1_000;

/** With the balance after it. */
export type BalancedEntry = LedgerEntry & { balance: number };

/** The whole ledger, oldest first, with the balance after each entry. It holds a connection only while it reads a batch. */
export async function* wholeLedger(db: Queryable, businessId: string): AsyncGenerator<BalancedEntry[]> {
  let balance = 0;
  for (let after = ''; ; ) {
    const batch = await ledgerAfter(db, businessId, after, BATCH);
    yield batch.map((entry) => {
      balance += entry.amount;
      return { ...entry, balance };
    });
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH) return;
    after = last.id;
  }
}
