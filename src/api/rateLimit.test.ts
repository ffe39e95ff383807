import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRateLimit } from './rateLimit.ts';

const SECOND = 1_000;

function limited(perSecond: number, burst: number) {
  let now = 0;
  const limit = createRateLimit({ perSecond, burst }, () => now);
  if (limit === null) throw new Error('there is no limit');
  return {
    call: (key = 'key') => limit(key),
    calls: (count: number, key?: string) =>
      Array.from({ length: count }, () => limit(key ?? 'key')).filter(({ allowed }) => allowed).length,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

describe('a bucket a key', () => {
  test('holds a burst, and refills at the given rate', () => {
    const { calls, pass } = limited(200, 2_000);
    expect(calls(3_000)).toBe(2_000);
    pass(SECOND);
    expect(calls(3_000)).toBe(200);
    pass(60 * SECOND);
    expect(calls(3_000)).toBe(2_000);
  });

  test('says what is left, when it is full again, and when the next call may be made', () => {
    const { call, pass } = limited(2, 4);
    const of = { policies: '"key";q=4;w=2, "business";q=8;w=4', policy: 'key', limit: 4 };
    expect(call()).toEqual({ ...of, allowed: true, remaining: 3, resetSeconds: 1, retryAfterSeconds: 1 });
    expect([call(), call(), call()].map(({ remaining }) => remaining)).toEqual([2, 1, 0]);
    expect(call()).toEqual({ ...of, allowed: false, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 });
    pass(499);
    expect(call().allowed).toBe(false);
    pass(1);
    expect(call()).toMatchObject({ allowed: true, remaining: 0 });
  });

  test('is each key’s own', () => {
    const { calls } = limited(1, 5);
    expect([calls(9, 'one'), calls(9, 'other')]).toEqual([5, 5]);
  });

  test('is kept only while it is not full: keys without number cost nothing in the end', () => {
    const { call, pass } = limited(1, 2);
    for (let n = 0; n < 10_000; n += 1) call(`key ${n}`);
    pass(SECOND);
    expect(call('another')).toMatchObject({ allowed: true, remaining: 1 });
    expect(call('key 1')).toMatchObject({ allowed: true, remaining: 1 });
  });
});

describe('a bucket a business', () => {
  const keysOf = (perSecond: number, burst: number) => {
    const limit = createRateLimit({ perSecond, burst }, () => 0);
    return (key: string, business: string, count: number): number =>
      Array.from({ length: count }, () => limit?.(key, business)).filter((answer) => answer?.allowed).length;
  };

  test('leaves another key its calls when one has used up its own', () => {
    const calls = keysOf(1, 5);
    expect([calls('one', 'shop', 9), calls('other', 'shop', 9)]).toEqual([5, 5]);
  });

  test('holds twice the burst of a key, however many keys there are, and is each business’s own', () => {
    const calls = keysOf(1, 5);
    const used = Array.from({ length: 25 }, (_, n) => calls(`key ${n}`, 'shop', 9));
    expect(used.reduce((sum, count) => sum + count, 0)).toBe(10);
    expect(calls('another', 'other shop', 9)).toBe(5);
  });

  test('is reported where it is the tighter one, and a refused call is counted nowhere', () => {
    const limit = createRateLimit({ perSecond: 1, burst: 2 }, () => 0);
    expect(limit?.('a', 'shop')).toMatchObject({ allowed: true, limit: 2, remaining: 1 });
    limit?.('b', 'shop');
    limit?.('c', 'shop');
    expect(limit?.('d', 'shop')).toMatchObject({ allowed: true, limit: 4, remaining: 0, resetSeconds: 4 });
    expect(limit?.('e', 'shop')).toMatchObject({
      allowed: false,
      limit: 4,
      remaining: 0,
      retryAfterSeconds: 1,
    });
    expect(limit?.('e', 'other shop')).toMatchObject({ allowed: true, limit: 2, remaining: 1 });
  });
});

test('0 a second is no limit at all; a burst below one is one', () => {
  expect(createRateLimit({ perSecond: 0, burst: 5 })).toBeNull();
  expect(limited(1, 0).calls(5)).toBe(1);
});

test('over any time no key makes more calls than its burst and what flowed in, and waiting as told is enough', () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.nat(2_000), { maxLength: 100 }),
      (perSecond, burst, pauses) => {
        const { call, pass } = limited(perSecond, burst);
        let [allowed, passed] = [0, 0];
        for (const pause of pauses) {
          pass(pause);
          passed += pause;
          const answer = call();
          if (answer.allowed) allowed += 1;
          else {
            pass(answer.retryAfterSeconds * SECOND);
            passed += answer.retryAfterSeconds * SECOND;
            expect(call().allowed).toBe(true);
            allowed += 1;
          }
        }
        expect(allowed).toBeLessThanOrEqual(burst + (passed / SECOND) * perSecond + 1e-6);
      },
    ),
  ));
