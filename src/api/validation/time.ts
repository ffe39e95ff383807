import { MINUTE } from '../../kit/clock.ts';
import { type Problem, wrong } from './faults.ts';

/**
 * RFC 3339, section 5.6: the offset is required, a space can replace the `T`, and the letters can be lower case.
 * Other spellings of ISO 8601 (no seconds, `+0100`, week dates) are not RFC 3339.
 */
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|([+-])(\d{2}):(\d{2}))?$/;

const NOT_RFC_3339 = wrong.unreadableDateTime('expected RFC 3339 such as 2026-08-20T09:15:00Z');
const OUT_OF_RANGE = {
  year: wrong.unreadableDateTime('year value is outside expected range of 1-9999'),
  month: wrong.unreadableDateTime('month value is outside expected range of 1-12'),
  day: wrong.unreadableDateTime('day value is outside expected range'),
  hour: wrong.unreadableDateTime('hour value is outside expected range of 0-23'),
  minute: wrong.unreadableDateTime('minute value is outside expected range of 0-59'),
  // RFC 3339 allows second 60 for leap seconds. None is announced for any time that a caller could name, and
  // neither Date nor Postgres can hold one.
  second: wrong.unreadableDateTime('second value is outside expected range of 0-59'),
  offset: wrong.unreadableDateTime('timezone offset is outside expected range'),
} as const;

/** The time to the millisecond (a longer fraction is truncated, never rounded up), or the problem. */
export function parseDateTime(text: string): Date | Problem {
  const parts = DATE_TIME.exec(text);
  if (parts === null) return NOT_RFC_3339;
  const part = (index: number): number => Number(parts[index] ?? 0);
  const [year, month, day] = [part(1), part(2), part(3)];
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const [fraction = '', zone, sign] = [parts[7], parts[8], parts[9]];
  if (year < 1) return OUT_OF_RANGE.year;
  if (month < 1 || month > 12) return OUT_OF_RANGE.month;
  if (day < 1 || day > daysIn(year, month)) return OUT_OF_RANGE.day;
  if (hour > 23) return OUT_OF_RANGE.hour;
  if (minute > 59) return OUT_OF_RANGE.minute;
  if (second > 59) return OUT_OF_RANGE.second;
  if (zone === undefined) return wrong.noTimezone;

  const east = offset(sign, part(10), part(11));
  if (east === null) return OUT_OF_RANGE.offset;
  const at = new Date(0);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  at.setUTCFullYear(year, month - 1, day);
  at.setUTCHours(hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, '0')));
  at.setTime(at.getTime() - east);
  return at.getUTCFullYear() < 1 || at.getUTCFullYear() > 9999 ? OUT_OF_RANGE.year : at;
}

const CALENDAR_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** `YYYY-MM-DD`, a day that there is. */
export function isCalendarDate(text: string): boolean {
  const [, year, month, day] = (CALENDAR_DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function offset(sign: string | undefined, hours: number, minutes: number): number | null {
  if (hours > 23 || minutes > 59) return null;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
