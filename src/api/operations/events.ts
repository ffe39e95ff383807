import { EVENT_DAYS_KEPT, EVENTS_PAGE_DEFAULT, EVENTS_PAGE_MAX } from '../../config/limits.ts';
import { EventList, EventQueryParams, eventTypes } from '../../contract/eventTypes.ts';
import { type FeedPosition, feedCursor, readFeedCursor } from '../../events/cursor.ts';
import type { EventFeed } from '../../events/feed.ts';
import type { FeedPage } from '../../events/page.ts';
import { SECOND } from '../../kit/clock.ts';
import { invalid } from '../../kit/errors.ts';
import { operation, type Reply } from '../operation.ts';
import { faultAt, wrong } from '../validation/faults.ts';
import type { Format } from '../validation/strings.ts';
import { eventExamples } from './examples.ts';

const LATEST = 'latest';
const NOT_OURS = 'this is not a cursor of ours: take next of the page before';

export const eventOperations = ({ feed }: { feed: EventFeed }) => [
  operation({
    id: 'listEvents',
    method: 'GET',
    path: '/api/v1/events',
    tag: 'Events',
    access: ['send', 'read'],
    summary: 'Read events, in order and each exactly once',
    description:
      'The events that webhooks deliver, whether or not there is an endpoint. Follow `next`: no event is missed or repeated. ' +
      `Events are kept for ${EVENT_DAYS_KEPT} days.`,
    query: EventQueryParams,
    formats: { 'event-cursor': readAfter, 'event-types': readTypes },
    success: { status: 200, shape: EventList, description: 'A page of events.' },
    errors: ['events.cursor_expired'],
    examples: { response: eventExamples.page },
    handle: async ({ caller: { businessId }, query }) => {
      const { after, types, message_id: messageId = null, limit = EVENTS_PAGE_DEFAULT, wait = 0 } = query;
      const reply = (page: FeedPage): Reply => ({ status: 200, body: pageJson(businessId, page) });
      if (after === LATEST) return reply({ events: [], next: await feed.end(businessId), hasMore: false });
      const request = {
        businessId,
        after: after === undefined ? null : positionOf(businessId, after),
        types: types === undefined ? null : [...new Set(types.split(','))],
        messageId,
        limit: Math.min(Math.max(limit, 1), EVENTS_PAGE_MAX),
      };
      const read = await feed.read(request, wait * SECOND);
      return 'wait' in read ? { later: async (gone) => reply(await read.wait(gone)) } : reply(read);
    },
  }),
];

function pageJson(businessId: string, { events, next, hasMore }: FeedPage): string {
  const items = events.map(({ json }) => json).join(',');
  return `{"items":[${items}],"next":"${feedCursor(businessId, next)}","has_more":${hasMore}}`;
}

/** Another business's cursor is no cursor of this one. */
function positionOf(businessId: string, after: string): FeedPosition {
  const cursor = readFeedCursor(after);
  if (cursor?.isOf(businessId)) return cursor.position;
  throw invalid(faultAt(['query', 'after'], wrong.value(NOT_OURS), after));
}

const readAfter: Format = (text) =>
  text === LATEST || readFeedCursor(text) !== null
    ? { ok: true, value: text }
    : { ok: false, fault: NOT_OURS };

const KNOWN: ReadonlySet<string> = new Set(eventTypes);

function readTypes(text: string): ReturnType<Format> {
  const unknown = text.split(',').find((type) => !KNOWN.has(type));
  return unknown === undefined
    ? { ok: true, value: text }
    : { ok: false, fault: `'${unknown}' is not an event type` };
}
