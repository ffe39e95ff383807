import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { later, MINUTE } from '../kit/clock.ts';
import type { ProviderAnswer } from './provider.ts';
import { Traffic } from './traffic.ts';

const ANSWERS = {
  accepted: { outcome: 'accepted', providerId: 'x' },
  not_taken: { outcome: 'not_taken', errorCode: 'e' },
  unknown: { outcome: 'unknown', errorCode: 'e' },
  busy: { outcome: 'refused', because: 'busy', errorCode: 'e' },
  message: { outcome: 'refused', because: 'message', errorCode: 'e' },
  not_set_up: { outcome: 'not_set_up', concerns: 'account', errorCode: 'e', sentence: 'Fix it.' },
} as const satisfies Record<string, ProviderAnswer>;

function bench(names = ['a', 'b']) {
  let now = new Date('2026-08-20T09:00:00Z');
  let random = 0;
  const traffic = new Traffic(names, { clock: { now: () => now }, random: () => random });
  return {
    traffic,
    calls(name: string, answer: keyof typeof ANSWERS, count: number) {
      for (let left = count; left > 0; left -= 1) traffic.called(name, ANSWERS[answer]);
    },
    /** Looks after a minute. */
    minute() {
      now = later(now, MINUTE);
      traffic.first();
      return Object.values(traffic.shares());
    },
    firstAt(point: number) {
      random = point;
      return traffic.first();
    },
  };
}

describe('the first provider has all messages', () => {
  test('while it is well', () => {
    const it = bench();
    it.calls('a', 'accepted', 100);
    it.calls('a', 'unknown', 20);
    expect([it.minute(), it.firstAt(0.99)]).toEqual([[100, 0], 'a']);
  });

  test.each(['not_taken', 'unknown', 'busy'] as const)('until too many calls end as %s', (answer) => {
    const it = bench();
    it.calls('a', 'accepted', 10);
    it.calls('a', answer, 10);
    expect(it.minute()).toEqual([80, 20]);
    expect([it.firstAt(0.79), it.firstAt(0.81)]).toEqual(['a', 'b']);
  });

  test.each(['message', 'not_set_up'] as const)(
    'whatever many end as %s, which is no fault of it',
    (answer) => {
      const it = bench();
      it.calls('a', answer, 100);
      expect(it.minute()).toEqual([100, 0]);
    },
  );

  test('a few calls say nothing', () => {
    const it = bench();
    it.calls('a', 'unknown', 9);
    expect(it.minute()).toEqual([100, 0]);
  });
});

test('a step a minute, however many calls fail in it, until it has none', () => {
  const it = bench();
  const steps = Array.from({ length: 6 }, () => {
    it.calls('a', 'unknown', 1_000);
    return it.minute()[0];
  });
  expect(steps).toEqual([80, 60, 40, 20, 0, 0]);
});

test('well again, it gets its messages back little by little', () => {
  const it = bench();
  it.calls('a', 'unknown', 10);
  expect([it.minute(), it.minute(), it.minute(), it.minute(), it.minute(), it.minute()]).toEqual(
    [80, 85, 90, 95, 100, 100].map((points) => [points, 100 - points]),
  );
});

test('where all are in trouble nothing moves', () => {
  const it = bench();
  it.calls('a', 'unknown', 10);
  it.calls('b', 'unknown', 10);
  expect(it.minute()).toEqual([100, 0]);
});

test('the next that is well takes over', () => {
  const it = bench(['a', 'b', 'c']);
  it.calls('a', 'unknown', 10);
  it.calls('b', 'unknown', 10);
  expect(it.minute()).toEqual([80, 0, 20]);
});

describe('reports', () => {
  test('that stop coming move messages as failures do', () => {
    const it = bench();
    it.traffic.reported('a', 50, 5);
    expect(it.minute()).toEqual([100, 0]);
    it.traffic.reported('a', 50, 50);
    expect(it.minute()).toEqual([80, 20]);
  });

  test('that never came are not set up, which is no trouble', () => {
    const it = bench();
    it.traffic.reported('a', 50, 50);
    expect(it.minute()).toEqual([100, 0]);
  });

  test('on a few messages say nothing', () => {
    const it = bench();
    it.traffic.reported('a', 50, 0);
    it.traffic.reported('a', 9, 9);
    expect(it.minute()).toEqual([100, 0]);
  });
});

test('whatever happens, the shares are whole points of a hundred', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const happening = fc.oneof(
    fc.record({
      name,
      answer: fc.constantFrom('accepted', 'unknown', 'busy', 'not_set_up'),
      count: fc.nat(30),
    }),
    fc.record({ name, reported: fc.nat(30), unreported: fc.nat(30) }),
    fc.constant(null),
  );
  fc.assert(
    fc.property(
      fc.array(happening, { maxLength: 60 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (all, at) => {
        const it = bench(['a', 'b', 'c']);
        for (const one of all) {
          if (one === null) it.minute();
          else if ('answer' in one) it.calls(one.name, one.answer, one.count);
          else it.traffic.reported(one.name, one.reported + one.unreported, one.unreported);
          const points = Object.values(it.traffic.shares());
          expect(points.reduce((sum, share) => sum + share, 0)).toBe(100);
          expect(points.every((share) => Number.isInteger(share) && share >= 0)).toBe(true);
          expect(['a', 'b', 'c']).toContain(it.firstAt(at));
        }
      },
    ),
  );
});
