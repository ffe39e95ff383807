import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitConcurrency, spreadBursts, trackActivity } from './concurrency.ts';

test('no tenant has more work at once than it may, and all work is done, in order for each tenant', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(3), fc.boolean()), { maxLength: 40 }),
      async (perTenant, works) => {
        const { run } = limitConcurrency(() => perTenant);
        const now = new Map<string, number>();
        const begun: Record<string, number[]> = { a: [], b: [], c: [] };
        const outcomes = await Promise.allSettled(
          works.map(([tenant, turns, fails], n) =>
            run(tenant, async () => {
              now.set(tenant, (now.get(tenant) ?? 0) + 1);
              expect(now.get(tenant)).toBeLessThanOrEqual(perTenant);
              begun[tenant]?.push(n);
              for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
              now.set(tenant, (now.get(tenant) ?? 0) - 1);
              if (fails) throw new Error(`work ${n} failed`);
              return n;
            }),
          ),
        );
        expect(outcomes.map(({ status }) => status)).toEqual(
          works.map(([, , fails]) => (fails ? 'rejected' : 'fulfilled')),
        );
        for (const own of Object.values(begun)) expect(own).toEqual([...own].sort((x, y) => x - y));
      },
    ),
  ));

/** Work that is finished by hand. */
function byHand(limitOf: (tenant: string) => number) {
  const { run } = limitConcurrency(limitOf);
  const started: string[] = [];
  const finish = new Map<string, () => void>();
  const work = (name: string): Promise<void> =>
    run(name.slice(0, 1), () => {
      started.push(name);
      return new Promise((resolve) => finish.set(name, resolve));
    });
  return { started, finish, work };
}

test('a tenant that waits keeps no other waiting', async () => {
  const { started, finish, work } = byHand(() => 1);
  const all = ['a1', 'a2', 'b1'].map(work);
  expect(started).toEqual(['a1', 'b1']);
  finish.get('a1')?.();
  await all[0];
  expect(started).toEqual(['a1', 'b1', 'a2']);
  for (const end of finish.values()) end();
  await Promise.all(all);
});

test('when the limit rises, all that it lets in begins with the next end', async () => {
  let limit = 1;
  const { started, finish, work } = byHand(() => limit);
  const all = ['a1', 'a2', 'a3', 'a4'].map(work);
  limit = 3;
  finish.get('a1')?.();
  await all[0];
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4']);
  for (const end of finish.values()) end();
  await Promise.all(all);
});

test('a tenant is beside another one for two seconds after that has called', () => {
  let now = 0;
  const { note, othersActive } = trackActivity(() => now);
  expect(othersActive('a')).toBe(false);
  note('a');
  note('a');
  expect([othersActive('a'), othersActive('b')]).toEqual([false, true]);
  now = 1_000;
  note('b');
  note('a');
  expect([othersActive('a'), othersActive('b'), othersActive('c')]).toEqual([true, true, true]);
  now = 3_001;
  expect([othersActive('a'), othersActive('b')]).toEqual([false, false]);
});

test('a burst is spread out to the rate while others call, and not for a tenant alone', () => {
  let others = true;
  const wait = spreadBursts(100, { othersActive: () => others }, () => 0);
  const waits = Array.from({ length: 105 }, () => wait('a'));
  expect(waits.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
  expect(waits[104]).toBeCloseTo(1_000);
  expect(wait('b')).toBe(0);
  others = false;
  expect(wait('a')).toBe(0);
});

test('where no rate is set, nothing waits', () => {
  const wait = spreadBursts(undefined, { othersActive: () => true }, () => 0);
  expect(Array.from({ length: 1_000 }, () => wait('a'))).toEqual(Array(1_000).fill(0));
});
