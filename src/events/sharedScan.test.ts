import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FeedEvent, FeedPage, FeedQuery } from './page.ts';
import { earliestPosition, matches, pageFor } from './sharedScan.ts';

const event = (position: number, type = 'a', messageId: string | null = null): FeedEvent => ({
  position,
  id: `e${position}`,
  type,
  messageId,
  json: '{}',
});

const positionAt = (position: number) => ({ position, id: `e${position}` });
const query = (after: number, limit: number, types: string[] | null = null) => ({
  businessId: 'b1',
  after: positionAt(after),
  limit,
  types,
  messageId: null,
});

test.each([
  [null, null, true],
  [['a'], null, true],
  [['b'], null, false],
  [['b', 'a'], 'm1', true],
  [null, 'm1', true],
  [null, 'm2', false],
  [['b'], 'm1', false],
] as const)('types %j and message %j', (types, messageId, is) => {
  expect(matches({ types, messageId }, event(1, 'a', 'm1'))).toBe(is);
});

/** What a read of one call’s own would answer: all events of the feed are known. */
function ownPage(
  feed: FeedEvent[],
  { after, limit, ...filter }: FeedQuery & { after: { position: number } },
): FeedPage {
  const found = feed.filter((one) => one.position > after.position && matches(filter, one));
  const hasMore = found.length > limit;
  const last = hasMore ? found[limit - 1] : feed.at(-1);
  return {
    events: found.slice(0, limit),
    hasMore,
    next:
      last && last.position > after.position
        ? { position: last.position, id: last.id }
        : positionAt(after.position),
  };
}

describe('the page of a waiting call', () => {
  test('is what its own read would answer, whenever the shared scan can tell', () => {
    const feeds = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 30 });
    const filters = fc.option(fc.subarray(['a', 'b', 'c'], { minLength: 1 }));
    const numbers = fc.record({
      from: fc.nat(30),
      ahead: fc.nat(10),
      limit: fc.integer({ min: 1, max: 5 }),
      chunk: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(feeds, filters, numbers, (types, filter, { from, ahead, limit, chunk }) => {
        const feed = types.map((type, index) => event(index + 1, type));
        const start = Math.min(from, feed.length);
        const asked = query(Math.min(start + ahead, feed.length), limit, filter);
        const scan = ownPage(feed, query(start, chunk));
        const own = ownPage(feed, asked);
        const shared = pageFor(asked, positionAt(start), scan);
        expect(shared).not.toBe('scan_again');
        if (shared === 'read_alone' || shared === 'scan_again') {
          expect([scan.hasMore, own.events.length > 0]).toEqual([true, true]);
        } else if (shared.events.length > 0 || !scan.hasMore) {
          expect(shared).toEqual(own);
        } else {
          // Nothing in this part of the feed: it goes on waiting, and skips no event of its kind.
          const skipped = feed.filter(
            ({ position }) => position > asked.after.position && position <= shared.next.position,
          );
          expect(skipped.some((one) => matches(asked, one))).toBe(false);
        }
      }),
    );
  });

  test('is scanned for again if it waits at an earlier position', () => {
    const scan = { events: [event(8)], hasMore: false, next: positionAt(8) };
    expect(pageFor(query(3, 1), positionAt(7), scan)).toBe('scan_again');
  });

  test('is left to itself where the scan may not have seen all that follows', () => {
    const scan = { events: [event(8), event(9, 'b')], hasMore: true, next: positionAt(9) };
    expect(pageFor(query(7, 5), positionAt(7), scan)).toBe('read_alone');
    expect(pageFor(query(7, 1), positionAt(7), scan)).toMatchObject({ hasMore: true, next: positionAt(8) });
  });
});

test('calls in their first read wait at no position', () => {
  const calls = [{ query: { after: positionAt(7) } }, { query: null }, { query: { after: positionAt(4) } }];
  expect(earliestPosition(calls)).toEqual(positionAt(4));
  expect(earliestPosition([{ query: null }])).toBeNull();
});
