import { countryName } from '../kit/countryName.ts';
import { zonesOf } from './zones.ts';

/** A moment as a country's clocks show it, in English: `21 Aug 2026, 08:00 in Estonia`. Of several zones, that of most people. */
export const momentIn = (country: string, at: Date): string => inZone(country, at, { ...DAY, ...CLOCK });

/** The same without the day: `08:00 in Estonia`. */
export const clockIn = (country: string, at: Date): string => inZone(country, at, CLOCK);

const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };

function inZone(country: string, at: Date, options: Intl.DateTimeFormatOptions): string {
  const [timeZone] = zonesOf(country);
  return `${at.toLocaleString('en-GB', { ...options, timeZone })} in ${countryName(country)}`;
}
