import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BatchError, type BatchItem, batchItem, chunksOf } from './batch.ts';
import { WaypostError } from './errors.ts';

test('up to a hundred items are one call with the key as it is', () => {
  expect(chunksOf([1, 2, 3], 'run')).toEqual([{ start: 0, items: [1, 2, 3], key: 'run' }]);
  expect(chunksOf(Array(100).fill(0), 'run').map(({ key }) => key)).toEqual(['run']);
  expect(chunksOf([], 'run')).toEqual([]);
});

test('more are split into hundreds, in order, each with a key of its own', () => {
  const items = Array.from({ length: 250 }, (_, index) => index);
  const chunks = chunksOf(items, 'run');
  expect(chunks.map(({ key, start, items: part }) => [key, start, part.length])).toEqual([
    ['run.0', 0, 100],
    ['run.1', 100, 100],
    ['run.2', 200, 50],
  ]);
});

test('the chunks are the whole, each position once, and no two have the same key', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { maxLength: 1_000, size: 'max' }),
      fc.string({ maxLength: 20 }),
      (items, key) => {
        const chunks = chunksOf(items, key);
        expect(chunks.flatMap((chunk) => chunk.items)).toEqual(items);
        expect(chunks.flatMap(({ start, items: part }) => part.map((_, index) => start + index))).toEqual([
          ...items.keys(),
        ]);
        expect(new Set(chunks.map((chunk) => chunk.key)).size).toBe(chunks.length);
        expect(chunks.every((chunk) => chunk.items.length >= 1 && chunk.items.length <= 100)).toBe(true);
        expect(chunksOf(items, key)).toEqual(chunks);
      },
    ),
  );
});

test('a key that would become too long is refused before anything is sent', () => {
  const items = Array(1_001).fill(0);
  expect(chunksOf(items, 'k'.repeat(249))).toHaveLength(11);
  expect(() => chunksOf(items, 'k'.repeat(250))).toThrow('longer than 252 characters');
  expect(chunksOf([0], 'k'.repeat(252))).toHaveLength(1);
});

test('a BatchError says what stopped it, and has the facts of its cause', () => {
  const facts = {
    operation: 'messages.pushBatch',
    code: 'business.invalid_api_key',
    status: 401,
    requestId: 'r1',
    detail: 'No such key.',
    attempts: 1,
    idempotencyKey: 'run.1',
  };
  const error = new BatchError([], 'run', new WaypostError(facts, '401'));
  expect(error).toMatchObject({ code: facts.code, status: 401, requestId: 'r1', idempotencyKey: 'run' });
  expect(error.message).toBe('messages.pushBatch: stopped after 0 items: messages.pushBatch: 401');
  expect(new BatchError([], 'run', 'a reason')).toMatchObject({ code: 'client.aborted', cause: 'a reason' });
});

test('an item says by `ok` which of the two it is, at its place in the whole', () => {
  const told = (item: BatchItem): string => (item.ok ? item.result.id : `${item.error_code}: ${item.detail}`);
  const failed = { index: 3, ok: false, result: null, error_code: 'sms.phone_invalid', detail: 'No.' };
  expect(batchItem(failed, 100)).toEqual({ ...failed, index: 103 });
  expect(told(batchItem(failed, 100))).toBe('sms.phone_invalid: No.');
  const result = Object({ id: 'm1' });
  const passed = batchItem({ index: 0, ok: true, result, error_code: null, detail: null }, 0);
  expect([passed.index, told(passed)]).toEqual([0, 'm1']);
});
