import { EVENT_WAIT_MAX_SECONDS } from '../config/limits.ts';
import {
  Anything,
  Bool,
  Component,
  Formatted,
  Int,
  List,
  Optional,
  Shape,
  Text,
  Timestamp,
} from './schema.ts';

export const EventQueryParams = Shape({
  after: Optional(
    Formatted(
      'event-cursor',
      '`next` of the previous page; `latest` for the cursor of now. Omitted: from the oldest event kept.',
    ),
  ),
  types: Optional(Formatted('event-types', 'Only these types, separated by commas. Omitted: every type.')),
  message_id: Optional(Text('Only events about this message.')),
  limit: Optional(Int('How many at most: 1 to 1,000, by default 100. Other values are clamped.')),
  wait: Optional(
    Int({
      min: 0,
      max: EVENT_WAIT_MAX_SECONDS,
      description: 'Seconds for which an empty page is held back until a matching event comes. By default 0.',
    }),
  ),
});

const EventEnvelope = Component('Event', {
  id: Text('The same as in the webhook.'),
  type: Text(),
  occurred_at: Timestamp(),
  data: Anything('The same as in the webhook.'),
});

export const EventList = Component('EventPage', {
  items: List(EventEnvelope),
  next: Text('The cursor for the next page. Always given.'),
  has_more: Bool('Whether a matching event follows right now.'),
});
