import fc from 'fast-check';
import { expect, test } from 'vitest';
import { momentOfClock } from './zoneTime.ts';

test.each([
  ['UTC', '2026-08-20T09:15', '2026-08-20T09:15:00.000Z'],
  ['Europe/Tallinn', '2026-08-20T09:15', '2026-08-20T06:15:00.000Z'],
  ['Europe/Tallinn', '2026-12-13T08:47', '2026-12-13T06:47:00.000Z'],
  // An hour before and after the clocks change.
  ['Europe/Tallinn', '2026-10-25T02:30', '2026-10-24T23:30:00.000Z'],
  ['Europe/Tallinn', '2026-10-25T04:30', '2026-10-25T02:30:00.000Z'],
  ['America/New_York', '2026-03-08T03:30', '2026-03-08T07:30:00.000Z'],
  ['Asia/Kathmandu', '2026-01-01T00:00', '2025-12-31T18:15:00.000Z'],
])('clocks of %s show %s at %s', (zone, local, moment) => {
  expect(momentOfClock(zone, local)?.toISOString()).toBe(moment);
});

test.each([
  ['Mars/Olympus', '2026-08-20T09:15'],
  ['', '2026-08-20T09:15'],
  ['"><script>', '2026-08-20T09:15'],
  ['UTC', '2026-13-20T09:15'],
  ['UTC', 'tomorrow'],
  ['UTC', '2026-08-20T09:15Z'],
  ['UTC', ''],
])('in the zone %j there is no %j', (zone, local) => {
  expect(momentOfClock(zone, local)).toBeNull();
});

test('a moment is found from what any clock shows', () => {
  const zones = fc.constantFrom('Europe/Tallinn', 'America/St_Johns', 'Australia/Lord_Howe');
  // At noon no clocks change.
  const days = fc.integer({ min: 0, max: 60_000 });
  fc.assert(
    fc.property(zones, days, (timeZone, day) => {
      const local = `${new Date(day * 86_400_000).toISOString().slice(0, 10)}T12:00`;
      const at = momentOfClock(timeZone, local);
      const shown = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone });
      expect(shown.format(at ?? 0).replace(' ', 'T')).toBe(local);
    }),
  );
});
