import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAdmission } from './admission.ts';

test('there is room for so many at once, and again as soon as one has left', () => {
  const { admit } = createAdmission({ requests: 2 });
  const first = admit(0);
  expect(admit(0)).not.toBeNull();
  expect(admit(0)).toBeNull();
  first?.();
  first?.();
  expect(admit(0)).not.toBeNull();
  expect(admit(0)).toBeNull();
});

test('and for so many bytes; one alone always fits', () => {
  const { admit } = createAdmission({ bytes: 10 });
  const large = admit(100);
  expect(large).not.toBeNull();
  expect(admit(0)).toBeNull();
  large?.();
  expect(admit(6)).not.toBeNull();
  expect(admit(5)).toBeNull();
  expect(admit(4)).not.toBeNull();
});

test('whoever comes and goes: never more inside than fit, and all of the room is there when they have left', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(3))), (visits) => {
      const { admit } = createAdmission({ requests: 5, bytes: 20 });
      const inside: { bytes: number; leave: () => void }[] = [];
      for (const [bytes, leaving] of visits) {
        const leave = admit(bytes);
        if (leave) inside.push({ bytes, leave });
        if (inside.length > 5) return false;
        if (inside.length > 1 && inside.reduce((sum, one) => sum + one.bytes, 0) > 20) return false;
        if (leaving === 0) inside.shift()?.leave();
      }
      for (const { leave } of inside) leave();
      return Array.from({ length: 5 }, () => admit(4)).every((leave) => leave !== null);
    }),
  );
});
