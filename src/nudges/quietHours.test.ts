import fc from 'fast-check';
import { getCountries } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, later, MINUTE } from '../kit/clock.ts';
import { quietHours, quietUntil, waitsUntil } from './quietHours.ts';
import { zonesOf } from './zones.ts';

const NIGHT = '21:00-08:00';

const at = (text: string): Date => new Date(`${text}Z`);

describe('quiet hours', () => {
  test.each([
    ['before they begin', NIGHT, 'EE', '2026-08-20T17:59:59', null],
    ['as they begin', NIGHT, 'EE', '2026-08-20T18:00:00', '2026-08-21T05:00:00'],
    ['before midnight', NIGHT, 'EE', '2026-08-20T20:59:30', '2026-08-21T05:00:00'],
    ['after midnight', NIGHT, 'EE', '2026-08-20T22:15:00', '2026-08-21T05:00:00'],
    ['a moment before they end', NIGHT, 'EE', '2026-08-21T04:59:59.999', '2026-08-21T05:00:00'],
    ['as they end', NIGHT, 'EE', '2026-08-21T05:00:00', null],
    ['in winter', NIGHT, 'EE', '2026-12-20T20:00:00', '2026-12-21T06:00:00'],
    ['within a day', '12:00-14:30', 'GB', '2026-01-20T13:00:00', '2026-01-20T14:30:00'],
    ['until midnight', '20:00-00:00', 'GB', '2026-01-20T22:00:00', '2026-01-21T00:00:00'],
    ['from midnight on', '00:00-07:00', 'GB', '2026-01-20T00:00:00', '2026-01-20T07:00:00'],
    ['where the offset is no whole hour', NIGHT, 'IN', '2026-08-20T15:30:00', '2026-08-21T02:30:00'],
    // The clocks go from 2:00 to 3:00, and back from 3:00 to 2:00.
    ['in the night that loses an hour', NIGHT, 'DE', '2026-03-28T23:30:00', '2026-03-29T06:00:00'],
    ['in the night that gains one', NIGHT, 'DE', '2026-10-24T22:30:00', '2026-10-25T07:00:00'],
    ['until a time that is skipped', '21:00-02:30', 'DE', '2026-03-28T23:30:00', '2026-03-29T01:30:00'],
    ['until a time that comes twice', '21:00-02:30', 'DE', '2026-10-24T23:30:00', '2026-10-25T00:30:00'],
    [
      'when the time comes for the second time',
      '21:00-02:30',
      'DE',
      '2026-10-25T01:15:00',
      '2026-10-25T01:30:00',
    ],
    ['that began on the Spanish mainland only', NIGHT, 'ES', '2026-08-20T19:30:00', '2026-08-21T07:00:00'],
    ['that still last on the Canary Islands only', NIGHT, 'ES', '2026-08-21T06:30:00', '2026-08-21T07:00:00'],
    ['in a country from Kaliningrad to Kamchatka', NIGHT, 'RU', '2026-08-20T09:00:00', '2026-08-21T06:00:00'],
    ['at the three hours that are nobody’s night there', NIGHT, 'RU', '2026-08-20T08:59:59', null],
  ])('%s', (_case, hours, country, now, until) => {
    expect(quietUntil(hours, country, at(now))).toEqual(until === null ? null : at(until));
  });

  test('hold for texts with a country, but for the statuses that are excepted', () => {
    const settings = { quietHours: NIGHT, quietHoursExcept: ['out_for_delivery' as const] };
    const night = at('2026-08-20T20:00:00');
    const of = (country: string | null, orderStatus: string | null) =>
      waitsUntil(settings, { country, orderStatus }, night);
    expect(of('EE', 'shipped')).toEqual(at('2026-08-21T05:00:00'));
    expect(of('EE', null)).toEqual(at('2026-08-21T05:00:00'));
    expect(of('EE', 'out_for_delivery')).toBeNull();
    expect(of(null, 'shipped')).toBeNull();
    expect(
      waitsUntil({ ...settings, quietHours: null }, { country: 'EE', orderStatus: null }, night),
    ).toBeNull();
  });
});

describe('every country that a number can have', () => {
  // Those of several zones more often.
  const countries = fc.oneof(fc.constantFrom(...getCountries()), fc.constantFrom('RU', 'US', 'ES', 'KI'));
  const moments = fc.date({
    min: at('2026-01-01T00:00:00'),
    max: at('2028-01-01T00:00:00'),
    noInvalidDate: true,
  });
  const time = fc.integer({ min: 0, max: 24 * 60 - 1 });
  const clock = (minutes: number): string =>
    [Math.floor(minutes / 60) % 24, minutes % 60].map((part) => `${part}`.padStart(2, '0')).join(':');
  const hours = fc
    .tuple(time, fc.integer({ min: 1, max: 13 * 60 }))
    .map(([start, length]) => `${clock(start)}-${clock(start + length)}`);

  test('has zones that are known here', () => {
    for (const country of getCountries()) {
      expect(zonesOf(country).length).toBeGreaterThan(0);
      for (const timeZone of zonesOf(country)) new Intl.DateTimeFormat('en-GB', { timeZone });
    }
  });

  test('is quiet from any time until one within a day at which it is not', () => {
    fc.assert(
      fc.property(countries, hours, moments, (country, typed, now) => {
        const text = quietHours(typed, '--quiet-hours');
        const until = quietUntil(text, country, now);
        if (until === null) return;
        expect(until.getTime()).toBeGreaterThan(now.getTime());
        expect(until.getTime()).toBeLessThanOrEqual(later(now, DAY + HOUR).getTime());
        expect(quietUntil(text, country, until)).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  test('wakes nobody: what goes, goes outside the hours on every clock of the country', () => {
    fc.assert(
      fc.property(countries, hours, moments, (country, text, now) => {
        const goesAt = quietUntil(text, country, now) ?? now;
        const [start = '', end = ''] = text.split('-');
        for (const timeZone of zonesOf(country)) {
          const local = goesAt.toLocaleTimeString('en-GB', {
            timeZone,
            hour: '2-digit',
            minute: '2-digit',
            hourCycle: 'h23',
          });
          const isQuiet = start < end ? start <= local && local < end : start <= local || local < end;
          expect(isQuiet, `${local} in ${timeZone}`).toBe(false);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('waits no minute longer than it must, but where the clocks change', () => {
    fc.assert(
      fc.property(countries, hours, moments, (country, text, now) => {
        const until = quietUntil(text, country, now);
        if (until === null) return;
        const before = later(until, -MINUTE);
        const isChange = zonesOf(country).some(
          (zone) => offset(zone, later(until, -HOUR)) !== offset(zone, until),
        );
        if (!isChange && before > now) expect(quietUntil(text, country, before)).toEqual(until);
      }),
      { numRuns: 2_000 },
    );
  });

  const offset = (timeZone: string, moment: Date): string =>
    new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' })
      .formatToParts(moment)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
});

describe('the hours that a shop types', () => {
  test.each(['21:00-08:00', ' 22:30-07:15 ', '00:00-06:00', '20:00-09:00'])('%j are taken', (text) => {
    expect(quietHours(text, 'it')).toBe(text.trim());
  });

  test.each([
    '',
    '21-8',
    '21:00',
    '21:00-21:00',
    '00:00-00:00',
    '24:00-08:00',
    '21:60-08:00',
    '9:00-10:00',
    '21:00 - 08:00',
    '21:00-08:00,12:00-13:00',
    // Both are probably the wrong way round.
    '07:59-21:00',
    '08:00-22:00',
  ])('%j are refused', (text) => {
    expect(() => quietHours(text, '--quiet-hours')).toThrow(
      `--quiet-hours must be from when to when, such as 21:00-08:00, at most 13 hours, but is "${text}".`,
    );
  });
});
