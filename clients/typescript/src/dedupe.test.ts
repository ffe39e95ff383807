import { expect, test } from 'vitest';
import { InMemoryDeduper, processOnce } from './dedupe.ts';

test('an id is claimed once, until it is given back', () => {
  const deduper = new InMemoryDeduper();
  expect([deduper.claim('a'), deduper.claim('a'), deduper.claim('b')]).toEqual([true, false, true]);
  deduper.release('a');
  expect([deduper.claim('a'), deduper.claim('b')]).toEqual([true, false]);
});

test('ids are forgotten after their time', () => {
  let now = 0;
  const deduper = new InMemoryDeduper({ keptMs: 1_000, now: () => now });
  deduper.claim('a');
  now = 999;
  expect(deduper.claim('a')).toBe(false);
  now = 1_000;
  expect(deduper.claim('a')).toBe(true);
});

test('where there are too many, the oldest is forgotten, and a known one forgets none', () => {
  const deduper = new InMemoryDeduper({ max: 3 });
  for (const id of ['a', 'b', 'c']) deduper.claim(id);
  expect([deduper.claim('c'), deduper.claim('a')]).toEqual([false, false]);
  expect(deduper.claim('d')).toBe(true);
  expect([deduper.claim('b'), deduper.claim('c'), deduper.claim('d')]).toEqual([false, false, false]);
  expect(deduper.claim('a')).toBe(true);
});

test('a claim that a transaction takes back needs no release', async () => {
  const fails = processOnce({ claim: () => true }, { id: 'e1' }, () => Promise.reject(new Error('no')));
  await expect(fails).rejects.toThrow('no');
});

test('an event is processed once, and again if that failed', async () => {
  const deduper = new InMemoryDeduper();
  const event = { id: 'e1' };
  const processed: string[] = [];
  await expect(
    processOnce(deduper, event, () => {
      throw new Error('the database is down');
    }),
  ).rejects.toThrow('the database is down');
  const note = ({ id }: { id: string }) => processed.push(id);
  expect([await processOnce(deduper, event, note), await processOnce(deduper, event, note)]).toEqual([
    true,
    false,
  ]);
  expect(processed).toEqual(['e1']);
});
