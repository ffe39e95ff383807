import type { Settings } from '../businesses/settings.ts';
import { DAY, earlier, HOUR, later, MINUTE } from '../kit/clock.ts';
import { type ParseValue, TypedMistake } from '../kit/typedValues.ts';
import { zonesOf } from './zones.ts';

export type QuietSettings = Pick<Settings, 'quietHours' | 'quietHoursExcept'>;

/** Until when a text or a WhatsApp message that is due at this time waits; null: it goes. */
export function waitsUntil(
  { quietHours, quietHoursExcept }: QuietSettings,
  { country, orderStatus }: { country: string | null; orderStatus: string | null },
  at: Date,
): Date | null {
  if (quietHours === null || country === null) return null;
  const isUrgent = quietHoursExcept.some((status) => status === orderStatus);
  return isUrgent ? null : quietUntil(quietHours, country, at);
}

/**
 * The end of quiet hours such as `21:00-08:00` in this country; null: it is not quiet there. In a country of several zones nobody knows in
 * which the person is, so it is quiet while it is in any of them. `LONGEST_HOURS` leaves a time at which it is in none.
 */
export function quietUntil(hours: string, country: string, at: Date): Date | null {
  const { start, end } = timesOf(hours);
  const ends = zonesOf(country).flatMap((zone) => {
    const isQuiet = minutesUntil(start, timeIn(zone, at)) < minutesUntil(start, end);
    return isQuiet ? [nextTime(zone, end, at).getTime()] : [];
  });
  if (ends.length === 0) return null;
  const last = new Date(Math.max(...ends));
  return quietUntil(hours, country, last) ?? last;
}

/** With it an hour of the day is left in Russia, whose zones are ten hours apart: no country's are further. */
const LONGEST_HOURS = 13;
const HOURS = /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/;

/** As a person types them. */
export const quietHours: ParseValue<string> = (text, called) => {
  const hours = text.trim();
  const { start, end } = HOURS.test(hours) ? timesOf(hours) : NO_HOURS;
  if (start === end || minutesUntil(start, end) > LONGEST_HOURS * (HOUR / MINUTE))
    throw new TypedMistake(
      called,
      `from when to when, such as 21:00-08:00, at most ${LONGEST_HOURS} hours`,
      text,
    );
  return hours;
};

/** Times of day, in minutes since midnight. */
interface Times {
  start: number;
  end: number;
}

const NO_HOURS: Times = { start: 0, end: 0 };

function timesOf(hours: string): Times {
  const [start = '', end = ''] = hours.split('-');
  return { start: minutesOf(start), end: minutesOf(end) };
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':');
  return Number(hours) * (HOUR / MINUTE) + Number(minutes);
}

const DAY_MINUTES = DAY / MINUTE;

/** From a time of day to the next time that it is the other. */
const minutesUntil = (from: number, to: number): number => (to - from + DAY_MINUTES) % DAY_MINUTES;

/** When the clocks show this time of day next. In a night in which they skip it, up to an hour after it would have been. */
function nextTime(zone: string, time: number, after: Date): Date {
  const minute = earlier(after, after.getTime() % MINUTE);
  const found = later(minute, minutesUntil(timeIn(zone, after), time) * MINUTE);
  // Not what is wanted if the clocks change in between.
  const ahead = minutesUntil(time, timeIn(zone, found));
  const changed = earlier(found, (ahead > DAY_MINUTES / 2 ? ahead - DAY_MINUTES : ahead) * MINUTE);
  return timeIn(zone, changed) === time ? changed : found;
}

/** Kept, since making one takes longer than a thousand answers of it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function timeIn(zone: string, at: Date): number {
  const clock = clocks.get(zone) ?? new Intl.DateTimeFormat('en-GB', { ...CLOCK, timeZone: zone });
  clocks.set(zone, clock);
  return minutesOf(clock.format(at));
}

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
