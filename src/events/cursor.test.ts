import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FeedPosition, feedCursor, readFeedCursor } from './cursor.ts';

const places: fc.Arbitrary<FeedPosition> = fc.record({
  position: fc.maxSafeNat(),
  id: fc.option(fc.stringMatching(/^[0-9a-z]{1,64}$/)),
});

test('a cursor names its position and its business', () => {
  fc.assert(
    fc.property(places, fc.string(), fc.string(), (place, business, other) => {
      const read = readFeedCursor(feedCursor(business, place));
      expect(read?.position).toEqual(place);
      expect(read?.isOf(business)).toBe(true);
      expect(read?.isOf(`${business}${other}x`)).toBe(false);
    }),
  );
});

test('a cursor that is cut, changed or extended is none of ours', () => {
  fc.assert(
    fc.property(places, fc.nat(), fc.stringMatching(/^[A-Za-z0-9_=.-]$/), (place, at, character) => {
      const cursor = feedCursor('b1', place);
      const index = at % cursor.length;
      const changed = cursor.slice(0, index) + character + cursor.slice(index + 1);
      for (const wrong of [cursor.slice(0, index), cursor.slice(index + 1), cursor + character, changed])
        if (wrong !== cursor) expect(readFeedCursor(wrong)).toBeNull();
    }),
  );
});

test.each([
  ['', 'nothing'],
  ['latest', 'a word'],
  ['a'.repeat(100_000), 'a very long text'],
  [Buffer.from('123456123456-5.abc').toString('base64url'), 'a negative position'],
])('%.20s is none: %s', (text) => {
  expect(readFeedCursor(text)).toBeNull();
});

test('a cursor is opaque and can stand in a URL as it is', () => {
  expect(feedCursor('b1', { position: 7, id: 'mh0q2z4k00x7c1v9b3n5m8l2' })).toMatch(/^[A-Za-z0-9_-]{40,80}$/);
});
