import type { DeliveryStatus } from '../../../contract/endpoints.ts';
import type { Queryable } from '../../../db/statement.ts';
import { DAY, earlier, HOUR, later, MINUTE } from '../../../kit/clock.ts';
import { idBoundAt } from '../../../kit/ids.ts';
import type { EndpointRef } from '../../../webhooks/claimShares.ts';
import { readEvents } from '../../../webhooks/claimSql.ts';
import { findDelivery, listAttempts } from '../../../webhooks/deliveriesSql.ts';
import { deliveryCursors } from '../../../webhooks/deliveryLog.ts';
import type { StoredEvent } from '../../../webhooks/events.ts';
import { findDeliveries } from '../../../webhooks/findDeliveries.ts';
import { AFTER_PINGS, PING_PREFIX } from '../../../webhooks/ping.ts';
import { readReplays } from '../../../webhooks/replayProgress.ts';
import { PAGE_SIZE } from '../../kit/listPage.ts';
import { ATTEMPTS_JUDGED, endpointHealth } from './health.ts';
import { attemptsByHour, attemptsSince, listShownEndpoints, newestPing, recentAttempts } from './sql.ts';

/** The attempts of an endpoint that the figures of a day are made of, at most: they cost the same however many there were. */
export const ATTEMPTS_COUNTED_MAX = 2_000;
/** The last attempt of an event comes less than a day after it. */
const EVENTS_TRIED_MS = DAY;

/** The endpoints of some shops with their health, in two statements. */
export async function checkEndpoints(db: Queryable, businessIds: readonly string[], now: Date) {
  const endpoints = await listShownEndpoints(db, businessIds);
  const attempts = await recentAttempts(
    db,
    endpoints.map(({ business_id }) => business_id),
    endpoints.map(({ id }) => id),
    afterEventsAt(now),
    ATTEMPTS_JUDGED,
  );
  const recentOf = new Map(attempts.map(({ endpoint_id, recent }) => [endpoint_id, recent]));
  return endpoints.map((endpoint) => ({
    endpoint,
    health: endpointHealth({ ...endpoint, recent: recentOf.get(endpoint.id) ?? [] }),
  }));
}
export type CheckedEndpoint = Awaited<ReturnType<typeof checkEndpoints>>[number];

/** Tests are after it. Another node's clock may be ahead. */
const afterEventsAt = (now: Date): string => idBoundAt(later(now, MINUTE));

/** The endpoints of a shop with the figures of the last day. */
export async function readEndpoints(db: Queryable, businessId: string, now: Date) {
  const endpoints = await checkEndpoints(db, [businessId], now);
  const ids = endpoints.map(({ endpoint }) => endpoint.id);
  const days = await attemptsSince(db, businessId, ids, ...attemptsOfDay(now));
  return endpoints.flatMap((checked) => {
    const day = days.find(({ endpoint_id }) => endpoint_id === checked.endpoint.id);
    return day ? [{ ...checked, day }] : [];
  });
}

/** Which attempts the figures of the last day are made of. */
const attemptsOfDay = (now: Date) => {
  const since = earlier(now, DAY);
  const firstId = idBoundAt(earlier(since, EVENTS_TRIED_MS));
  return [firstId, afterEventsAt(now), since, ATTEMPTS_COUNTED_MAX] as const;
};

/** Each hour of the last day, oldest first, also those in which nothing was sent. */
async function readHours(db: Queryable, { businessId, endpointId }: EndpointRef, now: Date) {
  const found = await attemptsByHour(db, businessId, endpointId, ...attemptsOfDay(now));
  const first = earlier(now, DAY).getTime();
  return Array.from({ length: DAY / HOUR + 1 }, (_, index) => {
    const hour = new Date(Math.floor(first / HOUR) * HOUR + index * HOUR);
    const nothing = { hour, attempts: 0, succeeded: 0, p50_ms: null, p95_ms: null };
    return found.find((one) => one.hour.getTime() === hour.getTime()) ?? nothing;
  });
}

export type EndpointOverview = Awaited<ReturnType<typeof readEndpoints>>[number];

/** Null: the shop has no such endpoint. */
export async function readEndpoint(db: Queryable, { businessId, endpointId }: EndpointRef) {
  const endpoints = await listShownEndpoints(db, [businessId]);
  return endpoints.find(({ id }) => id === endpointId) ?? null;
}

export interface DeliveriesFilter {
  status: DeliveryStatus | null;
  type: string | null;
  order: string | null;
  cursor: string | null;
}

/** Null: the shop has no such endpoint. */
export async function readEndpointPage(
  db: Queryable,
  { businessId, endpointId }: EndpointRef,
  filter: DeliveriesFilter,
  now: Date,
) {
  const { cursor } = filter;
  const endpoints = await readEndpoints(db, businessId, now);
  const overview = endpoints.find(({ endpoint }) => endpoint.id === endpointId);
  if (!overview) return null;
  // A cursor that is not ours begins with the newest.
  const before = cursor === null ? null : deliveryCursors.idIn(cursor);
  const ref = { businessId, endpointId };
  const [deliveries, replays, [ping], hours] = await Promise.all([
    findDeliveries(db, ref, { ...filter, limit: PAGE_SIZE, before }),
    readReplays(db, ref, now),
    newestPing(db, businessId, endpointId, PING_PREFIX, AFTER_PINGS),
    readHours(db, ref, now),
  ]);
  return { ...overview, hours, filter, deliveries, replays, ping: ping ?? null };
}
export type EndpointPage = NonNullable<Awaited<ReturnType<typeof readEndpointPage>>>;

/** One event's delivery to an endpoint, with what was sent. Null: there is none. */
export async function readDeliveryPage(
  db: Queryable,
  { eventId, ...ref }: EndpointRef & { eventId: string },
) {
  const { businessId, endpointId } = ref;
  const [endpoint, [delivery], [event], attempts] = await Promise.all([
    readEndpoint(db, ref),
    findDelivery(db, businessId, endpointId, eventId),
    readEvents(db, [businessId], [eventId]),
    listAttempts(db, businessId, endpointId, eventId),
  ]);
  if (!endpoint || !delivery || !event) return null;
  const [messageId, reference] = [idIn(event, 'message_id'), idIn(event, 'reference')];
  return { endpoint, delivery, event, attempts, messageId, reference };
}
export type DeliveryPage = NonNullable<Awaited<ReturnType<typeof readDeliveryPage>>>;

/** What names the message or the order that an event is about. */
function idIn({ data }: StoredEvent, name: 'message_id' | 'reference'): string | null {
  const fields: [string, unknown][] = typeof data === 'object' && data !== null ? Object.entries(data) : [];
  const value = fields.find(([field]) => field === name)?.[1];
  return typeof value === 'string' ? value : null;
}
