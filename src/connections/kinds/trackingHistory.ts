import { createHash } from 'node:crypto';
import {
  TRACKING_AHEAD_MAX_MS,
  TRACKING_DESCRIPTION_MAX,
  TRACKING_LOCATION_MAX,
} from '../../config/limits.ts';
import type { TrackingStatus } from '../../contract/orders.ts';
import { parseJsonText } from '../../kit/json.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import type { CarrierFacts } from '../facts.ts';
import type { CallDescription, CallReading, StoredCall } from './kind.ts';
import { parcelFrom } from './parcel.ts';

/* What the tracking services have in common: each call carries the whole history of one parcel. */

/** One step of a history, as its service has it. */
export interface Checkpoint {
  /** Null: a status of the service that tells nothing. */
  status: TrackingStatus | null;
  /** ISO 8601. Without a zone it is in UTC. */
  time: string | null;
  description: string | null;
  location: string | null;
}

type CarrierEvent = CarrierFacts['events'][number];

/** The newest of a longer history are kept: as many as an order shows of a shipment. */
const EVENTS_MAX = 200;

/** What a call says of its parcel, in any order. */
export interface History {
  trackingNumber: string | null;
  checkpoints: readonly Checkpoint[];
}

/** A step that says no status of its own has that of its parcel, if it is the newest. */
export function withParcelStatus(
  checkpoints: readonly (Checkpoint & { saysStatus: boolean })[],
  parcelStatus: TrackingStatus | null,
): Checkpoint[] {
  const times = checkpoints.map(({ time }) => (time === null ? null : momentOf(time)));
  const newest = times.reduce((max, at) => (at !== null && (max === null || at > max) ? at : max), null);
  const newestAt = times.indexOf(newest);
  return checkpoints.map(({ saysStatus, ...checkpoint }, place) =>
    !saysStatus && place === newestAt ? { ...checkpoint, status: parcelStatus } : checkpoint,
  );
}

/** `historyOf` answers a text where the call is about something else: the reason, as the log shows it. */
export function readHistory(
  call: StoredCall,
  historyOf: (json: unknown) => History | string,
): CallReading<CarrierFacts> {
  const json = jsonOf(call.body);
  if (json === undefined) return { kind: 'not_understood', reason: 'not_json' };
  const history = historyOf(json);
  if (typeof history === 'string') return nothing(history);
  const { trackingNumber, checkpoints } = history;
  if (trackingNumber === null) return { kind: 'not_understood', reason: 'no_tracking_number' };
  const parcel = parcelFrom({ number: trackingNumber, carrier: null, url: null });
  if (parcel === null) return { kind: 'not_understood', reason: 'bad_tracking_number' };

  if (checkpoints.length === 0) return nothing('no_history');
  const known = checkpoints.filter(({ status }) => status !== null);
  if (known.length === 0) return nothing('unknown_status');
  const latest = call.receivedAt.getTime() + TRACKING_AHEAD_MAX_MS;
  const events = known.flatMap(eventOf).filter(({ at }) => at.getTime() <= latest);
  if (events.length === 0) return nothing('no_valid_time');
  return { kind: 'facts', facts: { trackingNumber: parcel.trackingNumber, events: inOrder(events) } };
}

const nothing = (reason: string): CallReading<CarrierFacts> => ({ kind: 'nothing', reason, order: null });

function eventOf({ status, time, description, location }: Checkpoint): CarrierEvent[] {
  const at = time === null ? null : momentOf(time);
  if (status === null || at === null) return [];
  return [
    {
      status,
      at,
      description: shownText(description, TRACKING_DESCRIPTION_MAX),
      location: shownText(location, TRACKING_LOCATION_MAX),
    },
  ];
}

/** Oldest first, each once. Of equal times the one that is newer by the service's own order is the later. */
function inOrder(events: readonly CarrierEvent[]): CarrierEvent[] {
  const [first, last] = [events[0], events.at(-1)];
  const isNewestFirst = first !== undefined && last !== undefined && first.at > last.at;
  const sorted = (isNewestFirst ? events.toReversed() : [...events]).sort(
    (one, other) => one.at.getTime() - other.at.getTime(),
  );
  const each = new Map(sorted.map((event) => [`${event.status} ${event.at.getTime()}`, event]));
  return [...each.values()].slice(-EVENTS_MAX);
}

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Of an ISO date and time, which is UTC without a zone; null: it is none. */
export function momentOf(text: string): Date | null {
  const [matched, day, time = '00:00', zone = 'Z'] = MOMENT.exec(text.trim()) ?? [];
  if (matched === undefined) return null;
  const offset = zone.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const at = new Date(`${day}T${time}${offset}`);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** In one line, without what cannot be seen or stored; null: nothing is left. */
export function shownText(text: string | null, max: number): string | null {
  const line = (text ?? '')
    .toWellFormed()
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return [...line].slice(0, max).join('').trim() || null;
}

/** As a person writes a place. */
export const placeOf = (...parts: readonly (string | null)[]): string | null =>
  parts.filter((part) => part !== null && part.trim() !== '').join(', ') || null;

export const jsonOf = (body: Buffer): unknown => parseJsonText(body.toString('utf8'));

const TOPIC_MAX = 60;
const VISIBLE_ID = /^[\x21-\x7e]{1,200}$/;

/** Without an id of the service's own, equal bytes are the same call. */
export const describeCall = (topic: string | null, id: string | null, body: Buffer): CallDescription => ({
  topic: shownText(topic, TOPIC_MAX) ?? 'unknown',
  key: id !== null && VISIBLE_ID.test(id) ? id : createHash('sha256').update(body).digest('hex'),
  storeOrder: null,
});

/** Whether one of the secrets gives what the call carries, in constant time. */
export const provedBy = (
  secrets: readonly string[],
  given: string | null | undefined,
  expected: (secret: string) => string,
): boolean =>
  given !== null &&
  given !== undefined &&
  secrets.some((secret) => secret !== '' && constantTimeEqual(given, expected(secret)));
