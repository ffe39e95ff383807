import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leaseStamp, leaseUntil } from './lease.ts';

const moment = fc.date({
  min: new Date('1990-01-01'),
  max: new Date('2200-01-01'),
  noInvalidDate: true,
});
const worker = fc.string({ unit: fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz'), minLength: 12 });

test('as text, a lease sorts before a moment exactly when it has ended by then, whichever worker holds it', () => {
  fc.assert(
    fc.property(moment, moment, worker, (end, now, name) => {
      expect(leaseUntil(end, name) <= leaseStamp(now)).toBe(end.getTime() < now.getTime());
    }),
  );
});

test('the holder can be told from the end of it', () => {
  expect(leaseUntil(new Date(1_700_000_000_000), 'abc')).toBe('001700000000000.abc');
});
