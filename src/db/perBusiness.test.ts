import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitBy } from './perBusiness.ts';

/** Every business on a shard of its own, but for those with a capital letter, which share one. */
const shardOf = (id: string): number => (id === id.toLowerCase() ? id.charCodeAt(0) : 0);

test('lists and rows are split by shard, and the businesses of a shard stay together', () => {
  const rows = JSON.stringify([
    { business_id: 'b', id: '1' },
    { business_id: 'a', id: '2' },
  ]);
  expect(
    splitBy(shardOf, ['businesses', 'parallel', 'rows', 'same'], [['b', 'a', 'b'], [1, 2, 3], rows, 7]),
  ).toEqual([
    { businessIds: ['a'], places: [2], values: [['a'], [2], '[{"business_id":"a","id":"2"}]', 7] },
    { businessIds: ['b'], places: [1, 3], values: [['b', 'b'], [1, 3], '[{"business_id":"b","id":"1"}]', 7] },
  ]);
});

test('a second list of businesses has lists beside it of its own', () => {
  const parts = splitBy(
    shardOf,
    ['businesses', 'parallel', 'businesses', 'parallel'],
    [['a'], ['m'], ['b', 'a'], ['s', 't']],
  );
  expect(parts.map(({ values }) => values)).toEqual([
    [['a'], ['m'], ['a'], ['t']],
    [[], [], ['b'], ['s']],
  ]);
});

test('rows of one business are passed on as they are, byte for byte', () => {
  const rows = '[ {"business_id": "a", "text": "business_id\\":\\"b"} ]';
  expect(splitBy(shardOf, ['rows'], [rows])).toEqual([{ businessIds: ['a'], places: [], values: [rows] }]);
});

test('nothing is lost or doubled: the parts together are the lists', () => {
  const business = fc.constantFrom('a', 'b', 'c');
  fc.assert(
    fc.property(fc.array(fc.tuple(business, fc.nat())), (pairs) => {
      const parts = splitBy(
        shardOf,
        ['businesses', 'parallel'],
        [pairs.map(([id]) => id), pairs.map(([, value]) => value)],
      );
      const places = parts.flatMap((part) => part.places);
      expect([...places].sort((a, b) => a - b)).toEqual(pairs.map((_, index) => index + 1));
      const values = parts.flatMap((part) => part.values[1]);
      expect(values).toEqual(places.map((place) => pairs[place - 1]?.[1]));
    }),
  );
});
