import type { Place } from './cursor.ts';
import type { EventFilter, FeedEvent, FeedPage, FeedQuery } from './page.ts';

export const matches = ({ types, messageId }: EventFilter, event: FeedEvent): boolean =>
  (types === null || types.includes(event.type)) && (messageId === null || event.messageId === messageId);

/**
 * The page of one waiting call, from a page of all events that begins at `from`. `look_again`: the call waits at an earlier
 * place. `read_alone`: it has events, but whether more of its kind follow is not in this page.
 */
export function pageFor(
  query: FeedQuery & { after: Place },
  from: Place,
  page: FeedPage,
): FeedPage | 'look_again' | 'read_alone' {
  const { after, limit } = query;
  if (after.position < from.position) return 'look_again';
  if (after.position >= page.next.position) return { events: [], hasMore: false, next: after };
  const found = page.events.filter((event) => event.position > after.position && matches(query, event));
  const last = found[limit - 1];
  if (found.length > limit && last)
    return {
      events: found.slice(0, limit),
      hasMore: true,
      next: { position: last.position, id: last.id },
    };
  if (found.length > 0 && page.hasMore) return 'read_alone';
  return { events: found, hasMore: false, next: page.next };
}

/** The position that every one of these calls has seen; calls in their first read have seen nothing yet. */
export function seenBy(waiters: Iterable<{ query: { after: Place } | null }>): number {
  let seen = Number.POSITIVE_INFINITY;
  for (const { query } of waiters) if (query !== null) seen = Math.min(seen, query.after.position);
  return Number.isFinite(seen) ? seen : Number.MAX_SAFE_INTEGER;
}
