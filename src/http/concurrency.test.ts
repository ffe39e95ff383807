import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitConcurrency } from './concurrency.ts';

test('no tenant has more work at once than it may, and all work is done, in order for each tenant', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(3), fc.boolean()), { maxLength: 40 }),
      async (perTenant, works) => {
        const { run } = limitConcurrency(perTenant);
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

test('a tenant that waits keeps no other waiting', async () => {
  const { run } = limitConcurrency(1);
  let finish = (): void => {};
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const stuck = run('a', () => work);
  const behind = run('a', async () => 'behind');
  expect(await run('b', async () => 'b')).toBe('b');
  finish();
  await stuck;
  expect(await behind).toBe('behind');
});
