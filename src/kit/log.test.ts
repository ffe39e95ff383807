import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timestamps } from './log.ts';

test('each line says its moment to the millisecond, whichever moment the line before said', () => {
  const moments = fc.array(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }));
  const neighbours = fc
    .tuple(fc.nat({ max: 4_102_444_800 }), fc.array(fc.integer({ min: -2_000, max: 2_000 })))
    .map(([second, steps]) => steps.map((step) => new Date((second + 2) * 1_000 + step)));
  fc.assert(
    fc.property(fc.oneof(moments, neighbours), (dates) => {
      let now = new Date(0);
      const moment = timestamps({ now: () => now });
      for (const date of dates) {
        now = date;
        expect(moment()).toBe(`,"time":"${date.toISOString()}"`);
      }
    }),
  );
});
