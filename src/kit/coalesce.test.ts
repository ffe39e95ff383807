import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coalesce } from './coalesce.ts';
import { ApiError } from './errors.ts';
import { createSlots } from './slots.ts';

/** A worker that is finished by hand, list by list. */
function byHand(bounds: Partial<Parameters<typeof coalesce<number, string>>[0]> = {}) {
  const started: { items: number[]; finish: () => void; fail: (error: Error) => void }[] = [];
  const coalescer = coalesce<number, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        started.push({ items, finish: () => resolve(items.map((item) => `done ${item}`)), fail: reject });
      }),
    concurrency: 1,
    maxItems: 3,
    maxWaiting: 10,
    maxWaitingBytes: 100,
    sizeOf: (item) => item,
    ...bounds,
  });
  return { started, coalescer };
}
/** A list starts once a turn of the event loop brings no new item. */
const oneTurn = () => new Promise((resolve) => setImmediate(resolve));
const turn = () => oneTurn().then(oneTurn);
const refused = (error: unknown): string => (error instanceof ApiError ? error.code : String(error));

describe('group commit', () => {
  test('what arrives in one turn is one list, and what arrives meanwhile the next, in order', async () => {
    const { started, coalescer } = byHand();
    const first = [coalescer.add(1), coalescer.add(2)];
    await turn();
    const then = [coalescer.add(3), coalescer.add(4), coalescer.add(5), coalescer.add(6)];
    await turn();
    expect(started.map(({ items }) => items)).toEqual([[1, 2]]);
    started[0]?.finish();
    expect(await Promise.all(first)).toEqual(['done 1', 'done 2']);
    await turn();
    expect(started.map(({ items }) => items)).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    started[1]?.finish();
    await turn();
    started[2]?.finish();
    expect(await Promise.all(then)).toEqual(['done 3', 'done 4', 'done 5', 'done 6']);
  });

  test('what goes on arriving, turn by turn, is one list, but does not wait for ever', async () => {
    const { started, coalescer } = byHand({ maxItems: 100, maxWaiting: 100, maxWaitingBytes: 1_000 });
    const answers: Promise<string>[] = [];
    while (started.length === 0) {
      answers.push(coalescer.add(1));
      await oneTurn();
    }
    expect(answers.length).toBeGreaterThan(4);
    expect(answers.length).toBeLessThan(12);
    expect(started[0]?.items).toHaveLength(answers.length);
    started[0]?.finish();
    await Promise.all(answers);
  });

  test('no more lists run at once than the concurrency allows', async () => {
    const { started, coalescer } = byHand({ concurrency: 2, maxItems: 1 });
    const all = [coalescer.add(1), coalescer.add(2), coalescer.add(3)];
    await turn();
    expect(started).toHaveLength(2);
    started[1]?.finish();
    await turn();
    expect(started.map(({ items }) => items)).toEqual([[1], [2], [3]]);
    for (const { finish } of started) finish();
    await Promise.all(all);
  });

  test.each([
    [3, '1,2,3'],
    [5, '1,2,3 4,5'],
    [7, '1,2,3,4 5,6,7'],
  ])('%i that wait are shared where that is worth a list: %s', async (count, lists) => {
    const { started, coalescer } = byHand({ concurrency: 2, maxItems: 10, minListSize: 3 });
    const all = Array.from({ length: count }, (_, index) => coalescer.add(index + 1));
    await turn();
    expect(started.map(({ items }) => items.join(',')).join(' ')).toBe(lists);
    for (const { finish } of started) finish();
    await Promise.all(all);
  });

  test('a list that takes long makes room for one more, and only one', async () => {
    const { started, coalescer } = byHand({ lateAfterMs: 5 });
    const answers = [1, 2, 3].map(async (item, place) => {
      await expect.poll(() => started.length).toBe(Math.min(place, 2));
      return coalescer.add(item);
    });
    await expect.poll(() => started.map(({ items }) => items)).toEqual([[1], [2]]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(started.length).toBe(2);
    started[0]?.finish();
    await expect.poll(() => started.map(({ items }) => items)).toEqual([[1], [2], [3]]);
    for (const { finish } of started) finish();
    expect(await Promise.all(answers)).toEqual(['done 1', 'done 2', 'done 3']);
  });

  test('those that share slots take turns, and gather meanwhile', async () => {
    const slots = createSlots(1);
    const [a, b] = [byHand({ slots }), byHand({ slots })];
    const first = [a.coalescer.add(1), b.coalescer.add(2)];
    await turn();
    const then = [a.coalescer.add(3), b.coalescer.add(4)];
    await turn();
    expect([a.started.length, b.started.length]).toEqual([1, 0]);
    a.started[0]?.finish();
    await turn();
    expect([a.started.length, b.started.map(({ items }) => items)]).toEqual([1, [[2, 4]]]);
    b.started[0]?.finish();
    await turn();
    expect(a.started.map(({ items }) => items)).toEqual([[1], [3]]);
    a.started[1]?.finish();
    await Promise.all([...first, ...then]);
  });

  test('a late list gives its slot back, once', async () => {
    const slots = createSlots(1);
    const [a, b] = [byHand({ slots, lateAfterMs: 5 }), byHand({ slots })];
    const answers = [a.coalescer.add(1)];
    await turn();
    answers.push(b.coalescer.add(2));
    await expect.poll(() => b.started.length).toBe(1);
    a.started[0]?.finish();
    await turn();
    answers.push(a.coalescer.add(3));
    await turn();
    expect(a.started.length).toBe(1);
    b.started[0]?.finish();
    await expect.poll(() => a.started.length).toBe(2);
    a.started[1]?.finish();
    await Promise.all(answers);
  });

  test('a list that fails fails for its items, and the next is worked on', async () => {
    const { started, coalescer } = byHand({ maxItems: 2 });
    const answers = [1, 2, 3].map((item) => coalescer.add(item).catch(refused));
    await turn();
    started[0]?.fail(new Error('no'));
    await turn();
    started[1]?.finish();
    expect(await Promise.all(answers)).toEqual(['Error: no', 'Error: no', 'done 3']);
  });

  test('an outcome that takes longer keeps only its own caller waiting', async () => {
    let release = (_: string) => {};
    const later = new Promise<string>((resolve) => {
      release = resolve;
    });
    const coalescer = coalesce<number, string>({
      run: async (items) => items.map((item) => (item === 1 ? later : `done ${item}`)),
      concurrency: 1,
      maxItems: 2,
      maxWaiting: 10,
      maxWaitingBytes: 100,
      sizeOf: () => 0,
    });
    const [slow, quick, next] = [coalescer.add(1), coalescer.add(2), coalescer.add(3)];
    expect(await quick).toBe('done 2');
    expect(await next).toBe('done 3');
    release('late');
    expect(await slow).toBe('late');
  });
});

describe('tenants', () => {
  /** Items of the tenant `n % 10`. */
  const ofTenants = (bounds: Parameters<typeof byHand>[0]) =>
    byHand({ tenantOf: (item) => String(item % 10), maxItems: 10, maxWaiting: 100, ...bounds });

  test('take turns, and none fills a list that another waits for', async () => {
    const { started, coalescer } = ofTenants({ minListSize: 3, sizeOf: () => 1 });
    const all = [11, 21, 31, 41, 51, 61, 12, 13].map((item) => coalescer.add(item));
    await turn();
    expect(started.map(({ items }) => items)).toEqual([[11, 12, 13, 21, 31]]);
    started[0]?.finish();
    await turn();
    expect(started[1]?.items).toEqual([41, 51, 61]);
    started[1]?.finish();
    await Promise.all(all);
  });

  test('one that has nothing in a list that runs does not wait for lists full of another’s', async () => {
    const { started, coalescer } = ofTenants({ spareConcurrency: 1, minListSize: 2, sizeOf: () => 1 });
    const all = [11, 21, 31].map((item) => coalescer.add(item));
    await turn();
    all.push(coalescer.add(41), coalescer.add(12), coalescer.add(22));
    await turn();
    expect(started.map(({ items }) => items)).toEqual([
      [11, 21, 31],
      [12, 22],
    ]);
    all.push(coalescer.add(13));
    await turn();
    expect(started).toHaveLength(2);
    started[1]?.finish();
    await turn();
    expect(started[2]?.items).toEqual([13]);
    started[0]?.finish();
    await turn();
    expect(started[3]?.items).toEqual([41]);
    for (const { finish } of started) finish();
    await Promise.all(all);
    await coalescer.idle();
  });

  test('while none has most of what runs, no further list runs', async () => {
    const { started, coalescer } = ofTenants({ spareConcurrency: 1, minListSize: 2, sizeOf: () => 1 });
    const all = [11, 21, 12, 22].map((item) => coalescer.add(item));
    await turn();
    all.push(coalescer.add(13));
    await turn();
    expect(started.map(({ items }) => items)).toEqual([[11, 12, 21, 22]]);
    started[0]?.finish();
    await turn();
    started[1]?.finish();
    await Promise.all(all);
  });
});

describe('what waits is bounded', () => {
  test('by items: one more is told to come back, and there is room again once a list began', async () => {
    const { started, coalescer } = byHand({ maxWaiting: 2 });
    const taken = [coalescer.add(1)];
    await turn();
    taken.push(coalescer.add(2), coalescer.add(3));
    const error = await coalescer.add(4).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'common.unavailable', headers: { 'retry-after': '1' } });
    started[0]?.finish();
    await turn();
    taken.push(coalescer.add(5));
    started[1]?.finish();
    await turn();
    started[2]?.finish();
    expect(await Promise.all(taken)).toEqual(['done 1', 'done 2', 'done 3', 'done 5']);
  });

  test('by bytes', async () => {
    const { started, coalescer } = byHand({ maxWaitingBytes: 100 });
    const taken = [coalescer.add(60), coalescer.add(40)];
    expect(await coalescer.add(1).catch(refused)).toBe('common.unavailable');
    await turn();
    started[0]?.finish();
    expect(await Promise.all(taken)).toEqual(['done 60', 'done 40']);
  });
});

test('idle is when nothing waits or runs', async () => {
  const { started, coalescer } = byHand();
  await coalescer.idle();
  const answer = coalescer.add(1);
  let idle = false;
  const waited = coalescer.idle().then(() => {
    idle = true;
  });
  await turn();
  expect(idle).toBe(false);
  started[0]?.finish();
  await Promise.all([answer, waited]);
  expect(idle).toBe(true);
});

test('whatever arrives whenever, each item is worked on once and answered with its own outcome', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.nat(1_000), { maxLength: 8 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 4 }),
      async (turns, concurrency, maxItems) => {
        const worked: number[] = [];
        const coalescer = coalesce<number, string>({
          run: async (items) => {
            expect(items.length).toBeLessThanOrEqual(maxItems);
            worked.push(...items);
            await turn();
            return items.map(String);
          },
          concurrency,
          maxItems,
          maxWaiting: 1_000,
          maxWaitingBytes: Number.POSITIVE_INFINITY,
          sizeOf: () => 1,
        });
        const answers: Promise<string>[] = [];
        for (const arrivals of turns) {
          answers.push(...arrivals.map((item) => coalescer.add(item)));
          await turn();
        }
        expect(await Promise.all(answers)).toEqual(turns.flat().map(String));
        expect(worked).toEqual(turns.flat());
        await coalescer.idle();
      },
    ),
  ));
