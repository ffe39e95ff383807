import type { UsagePeriod, UsageReport } from '../contract/usage.ts';
import type { Queryable } from '../db/statement.ts';
import { DAY } from '../kit/clock.ts';
import { type Counter, counters, dayOf } from './counters.ts';
import { combined, type Histogram, medianMinutes } from './histogram.ts';
import { type CountedPeriod, readCounts } from './sql.ts';

export interface UsageRange {
  /** Days, both included: `2026-08-20`. */
  from: string;
  to: string;
  interval: 'day' | 'month';
}

/** The counters of a day or of several. */
export interface Counts {
  counts: Readonly<Record<Counter, number>>;
  openings: Histogram;
}

/** What a business did in each period of a range, and in all of it. Periods in which nothing happened are there too. */
export async function viewUsage(
  db: Queryable,
  businessId: string,
  { from, to, interval }: UsageRange,
): Promise<UsageReport> {
  const rows = await readCounts(db, businessId, from, to, interval === 'day' ? 'YYYY-MM-DD' : 'YYYY-MM');
  const found = new Map(rows.map((row) => [row.period, countsFrom(row)]));
  return {
    items: periodsOf(from, to, interval).map((period) => periodView(period, found.get(period) ?? NOTHING)),
    total: periodView(null, [...found.values()].reduce(sumOf, NOTHING)),
  };
}

/** The counters by day. */
export async function countsByDay(
  db: Queryable,
  businessId: string,
  from: string,
  to: string,
): Promise<Map<string, Counts>> {
  const rows = await readCounts(db, businessId, from, to, 'YYYY-MM-DD');
  return new Map(rows.map((row) => [row.period, countsFrom(row)]));
}

/** Every counter, by a function of its name. */
export const countsOf = (amount: (counter: Counter, index: number) => number): Record<Counter, number> => {
  const amounts = counters.map((counter, index) => [counter, amount(counter, index)] as const);
  return { ...ZEROS, ...Object.fromEntries(amounts) };
};

const ZEROS: Readonly<Record<Counter, number>> = {
  messages: 0,
  email_sent: 0,
  email_delivered: 0,
  email_opened: 0,
  email_bounced: 0,
  email_complained: 0,
  email_failed: 0,
  email_not_sent: 0,
  sms_sent: 0,
  sms_delivered: 0,
  sms_failed: 0,
  sms_rejected: 0,
  sms_skipped: 0,
  sms_credits: 0,
  whatsapp_sent: 0,
  whatsapp_delivered: 0,
  whatsapp_read: 0,
  whatsapp_failed: 0,
  whatsapp_rejected: 0,
  whatsapp_skipped: 0,
  whatsapp_credits: 0,
  avoided_opened_first: 0,
  avoided_whatsapp_sufficed: 0,
  avoided_retracted: 0,
  avoided_credits: 0,
};

export const NOTHING: Counts = { counts: ZEROS, openings: [] };

const countsFrom = ({ counts, opened }: CountedPeriod): Counts => ({
  counts: countsOf((_, index) => counts[index] ?? 0),
  openings: (opened ?? '')
    .split(';')
    .filter((text) => text !== '')
    .map((text) => text.split(',').map(Number))
    .reduce((sum, one) => combined(sum, one), [] as Histogram),
});

const sumOf = (a: Counts, b: Counts): Counts => ({
  counts: countsOf((counter) => a.counts[counter] + b.counts[counter]),
  openings: combined(a.openings, b.openings),
});

/** Midnight in UTC of a day as text. */
export const startOf = (day: string): Date => new Date(`${day}T00:00:00.000Z`);

export const daysBetween = (from: string, to: string): number =>
  Math.round((startOf(to).getTime() - startOf(from).getTime()) / DAY);

export const dayAfter = (day: string, days: number): string =>
  dayOf(new Date(startOf(day).getTime() + days * DAY));

function periodsOf(from: string, to: string, interval: UsageRange['interval']): string[] {
  const days = Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => dayAfter(from, index));
  return interval === 'day' ? days : [...new Set(days.map((day) => day.slice(0, 7)))];
}

function periodView<Period extends string | null>(
  period: Period,
  { counts: c, openings }: Counts,
): UsagePeriod & { period: Period } {
  return {
    period,
    messages: c.messages,
    email: {
      sent: c.email_sent,
      delivered: c.email_delivered,
      opened: c.email_opened,
      bounced: c.email_bounced,
      complained: c.email_complained,
      failed: c.email_failed,
      not_sent: c.email_not_sent,
    },
    sms: {
      sent: c.sms_sent,
      delivered: c.sms_delivered,
      failed: c.sms_failed,
      rejected: c.sms_rejected,
      skipped: c.sms_skipped,
      credits: c.sms_credits,
    },
    whatsapp: {
      sent: c.whatsapp_sent,
      delivered: c.whatsapp_delivered,
      failed: c.whatsapp_failed,
      rejected: c.whatsapp_rejected,
      skipped: c.whatsapp_skipped,
      read: c.whatsapp_read,
      credits: c.whatsapp_credits,
    },
    avoided: {
      opened_first: c.avoided_opened_first,
      whatsapp_sufficed: c.avoided_whatsapp_sufficed,
      retracted: c.avoided_retracted,
      credits: c.avoided_credits,
    },
    median_minutes_to_open: medianMinutes(openings),
  };
}
