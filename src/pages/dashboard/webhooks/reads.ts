import type { DeliveryList, DeliveryStatus } from '../../../contract/deliveries.ts';
import type { Queryable } from '../../../db/statement.ts';
import { DAY, earlier, later, MINUTE } from '../../../kit/clock.ts';
import { idBoundAt } from '../../../kit/ids.ts';
import { readEvents } from '../../../webhooks/claimSql.ts';
import {
  type AttemptRow,
  countPending,
  type DeliveryRow,
  findDelivery,
  listAttempts,
} from '../../../webhooks/deliveriesSql.ts';
import { deliveryCursors, listEndpointDeliveries } from '../../../webhooks/deliveryLog.ts';
import type { StoredEvent } from '../../../webhooks/events.ts';
import { AFTER_PINGS, PING_PREFIX } from '../../../webhooks/ping.ts';
import { ATTEMPTS_JUDGED, type EndpointHealth, endpointHealth } from './health.ts';
import {
  attemptsSince,
  type DayOfAttempts,
  listShownEndpoints,
  newestPing,
  type PingRow,
  recentAttempts,
  type ShownEndpoint,
} from './sql.ts';

/** The attempts of an endpoint that the figures of a day are made of, at most: they cost the same however many there were. */
export const ATTEMPTS_COUNTED_MAX = 2_000;
/** The last attempt of an event comes less than a day after it. */
const EVENTS_TRIED_MS = DAY;

export interface CheckedEndpoint {
  endpoint: ShownEndpoint;
  health: EndpointHealth;
}

export interface EndpointOverview extends CheckedEndpoint {
  day: DayOfAttempts;
}

/** The endpoints of a shop with their health. */
export async function checkEndpoints(
  db: Queryable,
  businessId: string,
  now: Date,
): Promise<CheckedEndpoint[]> {
  const endpoints = await listShownEndpoints(db, businessId);
  const ids = endpoints.map(({ id }) => id);
  const attempts = await recentAttempts(db, businessId, ids, afterEventsAt(now), ATTEMPTS_JUDGED);
  return endpoints.map((endpoint) => {
    const recent = attempts.find(({ endpoint_id }) => endpoint_id === endpoint.id)?.recent ?? [];
    return { endpoint, health: endpointHealth({ ...endpoint, recent }) };
  });
}

/** Tests are after it. Another node's clock may be ahead. */
const afterEventsAt = (now: Date): string => idBoundAt(later(now, MINUTE));

/** The endpoints of a shop with the figures of the last day. */
export async function readEndpoints(
  db: Queryable,
  businessId: string,
  now: Date,
): Promise<EndpointOverview[]> {
  const endpoints = await checkEndpoints(db, businessId, now);
  const since = earlier(now, DAY);
  const days = await attemptsSince(
    db,
    businessId,
    endpoints.map(({ endpoint }) => endpoint.id),
    idBoundAt(earlier(since, EVENTS_TRIED_MS)),
    afterEventsAt(now),
    since,
    ATTEMPTS_COUNTED_MAX,
  );
  return endpoints.flatMap((checked) => {
    const day = days.find(({ endpoint_id }) => endpoint_id === checked.endpoint.id);
    return day ? [{ ...checked, day }] : [];
  });
}

/** Null: the shop has no such endpoint. */
export async function readEndpoint(
  db: Queryable,
  businessId: string,
  endpointId: string,
): Promise<ShownEndpoint | null> {
  const endpoints = await listShownEndpoints(db, businessId);
  return endpoints.find(({ id }) => id === endpointId) ?? null;
}

export interface DeliveriesFilter {
  status: DeliveryStatus | null;
  cursor: string | null;
}

export interface EndpointPage extends EndpointOverview {
  deliveries: DeliveryList;
  ping: PingRow | null;
}

const PAGE_SIZE = 25;

/** Null: the shop has no such endpoint. */
export async function readEndpointPage(
  db: Queryable,
  { businessId, endpointId }: { businessId: string; endpointId: string },
  { status, cursor }: DeliveriesFilter,
  now: Date,
): Promise<EndpointPage | null> {
  const overview = (await readEndpoints(db, businessId, now)).find(
    ({ endpoint }) => endpoint.id === endpointId,
  );
  if (!overview) return null;
  // A cursor that is not ours begins with the newest.
  const before = cursor === null ? null : deliveryCursors.idIn(cursor);
  const [deliveries, [ping]] = await Promise.all([
    listEndpointDeliveries(db, { businessId, endpointId }, { status, limit: PAGE_SIZE, before }),
    newestPing(db, businessId, endpointId, PING_PREFIX, AFTER_PINGS),
  ]);
  return { ...overview, deliveries, ping: ping ?? null };
}

export interface DeliveryPage {
  endpoint: ShownEndpoint;
  delivery: DeliveryRow;
  event: StoredEvent;
  attempts: AttemptRow[];
  /** The message that the event is about. */
  messageId: string | null;
}

/** One event's delivery to an endpoint, with what was sent. Null: there is none. */
export async function readDeliveryPage(
  db: Queryable,
  { businessId, endpointId, eventId }: { businessId: string; endpointId: string; eventId: string },
): Promise<DeliveryPage | null> {
  const [endpoint, [delivery], [event], attempts] = await Promise.all([
    readEndpoint(db, businessId, endpointId),
    findDelivery(db, businessId, endpointId, eventId),
    readEvents(db, [businessId], [eventId]),
    listAttempts(db, businessId, endpointId, eventId),
  ]);
  if (!endpoint || !delivery || !event) return null;
  return { endpoint, delivery, event, attempts, messageId: messageIdIn(event) };
}

function messageIdIn({ data }: StoredEvent): string | null {
  if (typeof data !== 'object' || data === null || !('message_id' in data)) return null;
  return typeof data.message_id === 'string' ? data.message_id : null;
}

/** Waiting deliveries are counted up to this. */
export const WAITING_COUNTED_MAX = 1_000;

export async function countWaiting(
  db: Queryable,
  { businessId, endpointId }: { businessId: string; endpointId: string },
): Promise<number> {
  const [counted] = await countPending(db, businessId, endpointId, WAITING_COUNTED_MAX);
  return counted?.pending ?? 0;
}
