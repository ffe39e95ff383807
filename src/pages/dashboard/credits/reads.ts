import { readAccount, readSettings } from '../../../businesses/sql.ts';
import type { UsagePeriod } from '../../../contract/usage.ts';
import type { Queryable } from '../../../db/statement.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import { dayOf } from '../../../usage/counters.ts';
import { dayAfter, viewUsage } from '../../../usage/read.ts';
import { PAGE_SIZE, readListPage } from '../../kit/listPage.ts';
import { type CountryMonth, creditsByCountry, type LedgerEntry, ledgerAfter, listLedger } from './sql.ts';

/** The rate at which credits are spent is that of so many days. */
export const RATE_DAYS = 30;

export const creditsSpent = ({ sms, whatsapp }: Pick<UsagePeriod, 'sms' | 'whatsapp'>): number =>
  sms.credits + whatsapp.credits;

/** `spent` is what the last 30 days cost. */
export function creditsLeft(account: { balance: number; reserved: number } | undefined, spent: number) {
  const { balance, reserved: setAside } = account ?? { balance: 0, reserved: 0 };
  const spendable = balance - setAside;
  return { spendable, setAside, daysLeft: daysLeft(spendable, spent) };
}
export type CreditsLeft = ReturnType<typeof creditsLeft>;

/** How long the credits last at the rate of the last 30 days; null when none were spent. */
export const daysLeft = (spendable: number, spentInMonth: number): number | null =>
  spentInMonth <= 0 ? null : Math.floor((spendable * RATE_DAYS) / spentInMonth);

/** Months on the page, the present one included. */
const MONTHS = 12;

/** Everything comes from counters and settings, so it takes the same time at any number of messages. */
export async function readCreditsPage(db: Queryable, businessId: string, now: Date) {
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
    /** The last 30 days, oldest first. */
    days: recent.items,
    months: byMonth.items.map((item) => ({
      ...creditMonth(item.period, creditsSpent(item), countries),
      sms: item.sms.credits,
      whatsapp: item.whatsapp.credits,
    })),
  };
}

export type CreditsPage = Awaited<ReturnType<typeof readCreditsPage>>;

/** Of a month such as `2026-08`: the countries with the most first, and under null what was spent before countries were counted. */
export function creditMonth(month: string, credits: number, all: readonly CountryMonth[]) {
  const known = all.flatMap((row) =>
    row.month === month ? { country: row.country, credits: row.credits } : [],
  );
  const rest = credits - known.reduce((sum, row) => sum + row.credits, 0);
  return { month, credits, countries: rest === 0 ? known : [...known, { country: null, credits: rest }] };
}

/** The first day of the month that lies this many months before a day. */
export function monthsBefore(day: string, months: number): string {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00.000Z`);
  first.setUTCMonth(first.getUTCMonth() - months);
  return dayOf(first);
}

export const ledgerCursors = pageCursors('credit ledger');

export const readLedger = (db: Queryable, businessId: string, cursor: string | null, size = PAGE_SIZE) =>
  readListPage(ledgerCursors, cursor, size, (before, limit) => listLedger(db, businessId, before, limit));

const BATCH = 1_000;

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
