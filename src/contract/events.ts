import { EVENT_WAIT_MAX_SECONDS } from '../config/limits.ts';
import { Anything, Bool, Formatted, Int, List, Optional, Shape, Text, Timestamp } from './schema.ts';

export const EventQueryParams = Shape({
  after: Optional(
    Formatted('event-cursor', {
      description:
        '`next` of the previous page; `latest` for the cursor of now. Omitted: from the oldest event kept.',
    }),
  ),
  types: Optional(
    Formatted('event-types', { description: 'Only these types, separated by commas. Omitted: every type.' }),
  ),
  message_id: Optional(Text({ description: 'Only events about this message.' })),
  limit: Optional(
    Int({ description: 'How many at most: 1 to 1,000, by default 100. Other values are clamped.' }),
  ),
  wait: Optional(
    Int({
      min: 0,
      max: EVENT_WAIT_MAX_SECONDS,
      description: 'Seconds for which an empty page is held back until a matching event comes. By default 0.',
    }),
  ),
});

const EventEnvelope = Shape(
  {
    id: Text({ description: 'The same as in the webhook.' }),
    type: Text(),
    occurred_at: Timestamp(),
    data: Anything({ description: 'The same as in the webhook.' }),
  },
  { title: 'Event' },
);

export const EventList = Shape(
  {
    items: List(EventEnvelope),
    next: Text({ description: 'The cursor for the next page. Always given.' }),
    has_more: Bool({ description: 'Whether a matching event follows right now.' }),
  },
  { title: 'EventPage' },
);
