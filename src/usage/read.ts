import type { UsagePeriod } from '../contract/usage.ts';
import type { Queryable } from '../db/statement.ts';
import { DAY } from '../kit/clock.ts';
import { type Counter, counters, dayOf, firstOfMonth } from './counters.ts';
import { combined, type Histogram, histogramFrom, medianMinutes } from './histogram.ts';
import { type CountedPeriod, type Counts, readDays, readMonths } from './sql.ts';

interface UsageRange {
  /** Days, both included: `2026-08-20`. */
  from: string;
  to: string;
  interval: 'day' | 'month';
}

/** What a business did in each period of a range, and in all of it. Periods in which nothing happened are there too. */
export async function viewUsage(db: Queryable, businessId: string, { from, to, interval }: UsageRange) {
  const rows =
    interval === 'day'
      ? await readDays(db, businessId, from, to)
      : await readMonths(db, businessId, from, to, ...wholeMonths(from, to));
  const found = countsByPeriod(rows);
  return {
    items: periodsOf(from, to, interval).map((period) => periodView(period, found.get(period) ?? NOTHING)),
    total: periodView(null, sumOf([...found.values()])),
  };
}

export const countsByDay = async (db: Queryable, businessId: string, from: string, to: string) =>
  countsByPeriod(await readDays(db, businessId, from, to));

const countsByPeriod = (rows: readonly CountedPeriod[]): Map<string, Counts> =>
  new Map(
    rows.map(({ period, amounts, openings }) => [
      period,
      { amounts: amounts.split(',').map(Number), openings: histogramFrom(openings ?? '') },
    ]),
  );

export const NOTHING: Counts = { amounts: counters.map(() => 0), openings: [] };

const sumOf = (all: readonly Counts[]): Counts => ({
  amounts: counters.map((_, index) => all.reduce((sum, { amounts }) => sum + (amounts[index] ?? 0), 0)),
  openings: all.reduce<Histogram>((sum, { openings }) => combined(sum, openings), []),
});

/** Midnight in UTC of a day as text. */
export const startOf = (day: string): Date => new Date(`${day}T00:00:00.000Z`);

export const daysBetween = (from: string, to: string): number =>
  Math.round((startOf(to).getTime() - startOf(from).getTime()) / DAY);

export const dayAfter = (day: string, days: number): string =>
  dayOf(new Date(startOf(day).getTime() + days * DAY));

/** The first day of the first month that the range has whole, and the day after the last; there may be none between. */
const wholeMonths = (from: string, to: string): [from: string, until: string] => [
  from.endsWith('-01') ? from : nextMonth(from),
  // The month of `to` is whole if the next day belongs to another.
  to < LAST_DAY ? firstOfMonth(dayAfter(to, 1)) : to,
];

const LAST_DAY = '9999-12-31';
const DAYS_IN_MONTH_MAX = 31;

const nextMonth = (day: string): string =>
  day < firstOfMonth(LAST_DAY) ? firstOfMonth(dayAfter(firstOfMonth(day), DAYS_IN_MONTH_MAX)) : LAST_DAY;

/** Months since the year 0, and back. */
const monthNumber = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
const monthOf = (number: number): string =>
  `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}`;

function periodsOf(from: string, to: string, interval: UsageRange['interval']): string[] {
  if (interval === 'month') {
    const [first, last] = [monthNumber(from), monthNumber(to)];
    return Array.from({ length: last - first + 1 }, (_, index) => monthOf(first + index));
  }
  const start = startOf(from).getTime();
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, index) =>
    dayOf(new Date(start + index * DAY)),
  );
}

const PLACE: ReadonlyMap<Counter, number> = new Map(counters.map((counter, index) => [counter, index]));

function periodView<Period extends string | null>(
  period: Period,
  { amounts, openings }: Counts,
): UsagePeriod & { period: Period } {
  const of = (counter: Counter): number => amounts[PLACE.get(counter) ?? 0] ?? 0;
  return {
    period,
    messages: of('messages'),
    email: {
      sent: of('email_sent'),
      delivered: of('email_delivered'),
      opened: of('email_opened'),
      bounced: of('email_bounced'),
      complained: of('email_complained'),
      failed: of('email_failed'),
      not_sent: of('email_not_sent'),
    },
    sms: {
      sent: of('sms_sent'),
      delivered: of('sms_delivered'),
      failed: of('sms_failed'),
      rejected: of('sms_rejected'),
      skipped: of('sms_skipped'),
      credits: of('sms_credits'),
    },
    whatsapp: {
      sent: of('whatsapp_sent'),
      delivered: of('whatsapp_delivered'),
      failed: of('whatsapp_failed'),
      rejected: of('whatsapp_rejected'),
      skipped: of('whatsapp_skipped'),
      read: of('whatsapp_read'),
      credits: of('whatsapp_credits'),
    },
    avoided: {
      opened_first: of('avoided_opened_first'),
      whatsapp_sufficed: of('avoided_whatsapp_sufficed'),
      retracted: of('avoided_retracted'),
      credits: of('avoided_credits'),
    },
    median_minutes_to_open: medianMinutes(openings),
  };
}
