import { WEBHOOK_TIMEOUT_MS } from '../config/limits.ts';
import { SECOND } from '../kit/clock.ts';

/** A delivery that this worker holds the lease of. */
export interface Job {
  businessId: string;
  endpointId: string;
  eventId: string;
  /** The message, or else the person, that the event is about; empty for what concerns the business itself. */
  about: string;
  /** Attempts made before. */
  attempts: number;
  dueAt: Date;
  lease: string;
  leaseEnd: Date;
  content: DeliveryContent;
}

/** What a delivery says and to whom, as it was when it was read (by the monotonic clock). */
export interface DeliveryContent {
  url: string;
  sealed: Buffer;
  type: string;
  body: string;
  readAt: number;
}

/** What a worker holds of one endpoint. */
export interface EndpointQueue {
  /** In order of occurrence. */
  readonly waiting: Job[];
  /** What the attempts under way are about. */
  readonly underWay: Set<string>;
  /** Deliveries held in all: waiting, under way, or not yet written down. */
  held: number;
  /** Attempts that failed since the last success. */
  failures: number;
  /** How many deliveries may wait or be under way while it answers. */
  pace: number;
  /** Whether the database may have more for it that is due. */
  hasMore: boolean;
}

/** Attempts under way to one endpoint, at most. */
export const CONCURRENCY_PER_ENDPOINT = 8;
/** So far behind, an endpoint is served in all its lanes. */
export const BEHIND_MS = 1 * SECOND;
export const LEAST_PACE = CONCURRENCY_PER_ENDPOINT;
/** Enough for all lanes until the next claim. With more, what was read at the claim grows old and is read again. */
export const MOST_PACE = 128;
/** An answer within this time is a quick one. */
export const QUICK_MS = 250;

/** So many failed attempts in a row are no longer an accident: then it is one at a time, until one succeeds. */
export const FAILING_AFTER = 3;

/** How long before the end of its lease an attempt must begin, to end before it. */
export const LEASE_NEEDED_MS = WEBHOOK_TIMEOUT_MS + 2 * SECOND;

/** `failed`: the endpoint's latest attempt did, whoever made it. */
export const newEndpointQueue = (failed: boolean): EndpointQueue => ({
  waiting: [],
  underWay: new Set(),
  held: 0,
  failures: failed ? FAILING_AFTER : 0,
  pace: LEAST_PACE,
  hasMore: true,
});

/**
 * The next delivery to begin, if one may begin now; it is taken from the line. One at a time while the endpoint
 * keeps up, so that everything arrives in order of occurrence. Once it has fallen behind, several at a time, but
 * never two about the same message. An endpoint that fails is tried with one at a time: it holds up nothing else,
 * and what it missed comes back in order.
 */
export function takeNext(line: EndpointQueue, now: Date): Job | null {
  if (line.underWay.size >= lanesOf(line, now)) return null;
  const index = line.waiting.findIndex(({ about }) => !line.underWay.has(about));
  const [job] = index === -1 ? [] : line.waiting.splice(index, 1);
  return job ?? null;
}

function lanesOf(line: EndpointQueue, now: Date): number {
  const [oldest] = line.waiting;
  const behind = oldest !== undefined && now.getTime() - oldest.dueAt.getTime() >= BEHIND_MS;
  return behind && !isFailing(line) ? CONCURRENCY_PER_ENDPOINT : 1;
}

const isFailing = (line: EndpointQueue): boolean => line.failures >= FAILING_AFTER;

/** In how many milliseconds the line will have fallen behind, when that would let another attempt begin. */
export function untilBehind(line: EndpointQueue, now: Date): number | null {
  const [oldest] = line.waiting;
  if (oldest === undefined || isFailing(line)) return null;
  const left = oldest.dueAt.getTime() + BEHIND_MS - now.getTime();
  return left > 0 ? left : null;
}

/** Takes out of the line what could not end before its lease does. What was claimed first stands first. */
export function takeStale(line: EndpointQueue, now: Date): Job[] {
  const isStale = ({ leaseEnd }: Job): boolean => leaseEnd.getTime() - now.getTime() < LEASE_NEEDED_MS;
  const [first] = line.waiting;
  if (first === undefined || !isStale(first)) return [];
  const kept = line.waiting.findIndex((job) => !isStale(job));
  return line.waiting.splice(0, kept === -1 ? line.waiting.length : kept);
}

/** How many more deliveries to claim, when there is a look at all. */
export const capacityLeft = (line: EndpointQueue): number =>
  isFailing(line) ? Math.max(0, 1 - line.held) : Math.max(0, line.pace - openIn(line));

/** Whether to look for more. Not until half is done: a look costs as much for one delivery as for a hundred. */
export const isWorthAScan = (line: EndpointQueue): boolean =>
  line.hasMore && (isFailing(line) ? line.held === 0 : openIn(line) <= line.pace / 2);

const openIn = (line: EndpointQueue): number => line.waiting.length + line.underWay.size;

/** Who answers quickly is given more at a time; who is slow or fails, little: it may be long until it is done. */
export function recordResponse(
  line: EndpointQueue,
  answer: { delivered: boolean; durationMs: number },
): void {
  line.failures = answer.delivered ? 0 : line.failures + 1;
  line.pace =
    answer.delivered && answer.durationMs <= QUICK_MS ? Math.min(MOST_PACE, line.pace * 2) : LEAST_PACE;
}
