import fc from 'fast-check';
import { expect, test } from 'vitest';
import { payloadsOf } from './notify.ts';

test('every business is named once, in payloads that Postgres takes', () => {
  const ids = fc.uniqueArray(fc.stringMatching(/^[0-9a-z]{1,64}$/), { maxLength: 600 });
  fc.assert(
    fc.property(ids, (businessIds) => {
      const payloads = payloadsOf('origin', businessIds);
      for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
      const named = payloads.flatMap((payload) => {
        const [from, ...rest] = payload.split(' ');
        expect(from).toBe('origin');
        return rest;
      });
      expect(named).toEqual(businessIds);
    }),
  );
});

test('a thousand businesses are a few payloads', () => {
  const businessIds = Array.from(
    { length: 1_000 },
    (_, n) => `mh0q2z4k00x7c1v9b3n5${String(n).padStart(4, '0')}`,
  );
  expect(payloadsOf('origin', businessIds)).toHaveLength(4);
  expect(payloadsOf('origin', [])).toEqual([]);
});
