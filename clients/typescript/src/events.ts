import { type EventPage, eventTypes, type FeedEvent, type KnownEvent } from './generated/api.ts';

/** An event of a type that is newer than this version of the client. Ignore it, or look at `unknown_type`. */
export interface UnknownEvent {
  type: 'unknown';
  /** The type as the server named it. */
  unknown_type: string;
  id: string;
  occurred_at: string;
  data: Record<string, unknown>;
}

/** An event: `type` tells which, and narrows `data`. */
export type WaypostEvent = KnownEvent | UnknownEvent;

const KNOWN: ReadonlySet<string> = new Set(eventTypes);

const isKnown = (event: FeedEvent): event is KnownEvent => KNOWN.has(event.type);

/** An envelope of the feed or of a webhook as an event. */
export function toEvent(envelope: FeedEvent): WaypostEvent {
  if (isKnown(envelope)) return envelope;
  const { id, type, occurred_at, data } = envelope;
  return { type: 'unknown', unknown_type: type, id, occurred_at, data: { ...Object(data) } };
}

/** One page of the feed. */
export interface WaypostEventPage extends Omit<EventPage, 'items'> {
  items: WaypostEvent[];
}

/** A page of events; `type` narrows each. */
export const toEventPage = (page: EventPage): WaypostEventPage => ({
  ...page,
  items: page.items.map(toEvent),
});
