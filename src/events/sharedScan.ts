import type { FeedPosition } from './cursor.ts';
import type { EventFilter, FeedEvent, FeedPage, FeedQuery } from './page.ts';

export const matches = ({ types, messageId }: EventFilter, event: FeedEvent): boolean =>
  (types === null || types.includes(event.type)) && (messageId === null || event.messageId === messageId);

/**
 * The page of one waiting call, from a page of all events that begins at `from`. `scan_again`: the call waits at an earlier
 * position. `read_alone`: it has events, but whether more of its kind follow is not in this page.
 */
export function pageFor(query: FeedQuery & { after: FeedPosition }, from: FeedPosition, page: FeedPage) {
  const { after, limit } = query;
  if (after.position < from.position) return 'scan_again';
  if (after.position >= page.next.position) return { events: [], hasMore: false, next: after };
  const found = page.events.filter((event) => event.position > after.position && matches(query, event));
  const last = found[limit - 1];
  if (found.length > limit && last)
    return { events: found.slice(0, limit), hasMore: true, next: { position: last.position, id: last.id } };
  if (found.length > 0 && page.hasMore) return 'read_alone';
  return { events: found, hasMore: false, next: page.next };
}

/** The earliest position at which one of these calls waits; null: all are in their first read. */
export function earliestPosition(calls: Iterable<{ query: { after: FeedPosition } | null }>) {
  let first: FeedPosition | null = null;
  for (const { query } of calls)
    if (query !== null && (first === null || query.after.position < first.position)) first = query.after;
  return first;
}
