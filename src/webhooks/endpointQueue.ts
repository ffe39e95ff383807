import { WEBHOOK_TIMEOUT_MS } from '../config/limits.ts';
import { SECOND } from '../kit/clock.ts';
import type { TraceContext } from '../kit/tracing.ts';
import type { StoredSecrets } from './signature.ts';

/** A delivery whose lease this worker holds. */
export interface Job {
  businessId: string;
  endpointId: string;
  eventId: string;
  /** The message, or else the person, that the event concerns; empty when it concerns the business. */
  about: string;
  /** Attempts made before. */
  attempts: number;
  dueAt: Date;
  lease: string;
  leaseEnd: Date;
  content: DeliveryContent;
}

/** What to send and where, as it was at `readAt` (monotonic clock). */
export interface DeliveryContent {
  url: string;
  secrets: StoredSecrets;
  type: string;
  body: string;
  /** The trace of the push that the event is about; null also where traces are off. */
  trace: TraceContext | null;
  readAt: number;
}

/** The deliveries of one endpoint that a worker holds. */
export interface EndpointQueue {
  /** In order of occurrence. */
  readonly waiting: Job[];
  /** The `about` of each attempt in flight. */
  readonly inFlight: Set<string>;
  /** All deliveries held, by event id: waiting, in flight, or not yet recorded. */
  readonly held: Map<string, Job>;
  /** Attempts that failed since the last success. */
  failures: number;
  /** How many deliveries can wait or be in flight while the endpoint answers. */
  pace: number;
  /** Whether the database may hold more due deliveries for it. */
  hasMore: boolean;
}

export const CONCURRENCY_PER_ENDPOINT = 8;
/** An endpoint whose oldest delivery is this late gets the full concurrency. */
export const BEHIND_MS = 1 * SECOND;
export const MIN_PACE = CONCURRENCY_PER_ENDPOINT;
/** Keeps all attempts busy until the next claim. With more, content that was read grows old and is read again. */
export const MAX_PACE = 128;
export const QUICK_MS = 250;

/** After this many failed attempts in a row the endpoint gets one attempt at a time, until one succeeds. */
export const FAILING_AFTER = 3;

/** An attempt must start this long before its lease expires, so that it ends within the lease. */
export const LEASE_NEEDED_MS = WEBHOOK_TIMEOUT_MS + 2 * SECOND;

/** `failed`: the endpoint's latest attempt failed, in this worker or another. */
export const newEndpointQueue = (failed: boolean): EndpointQueue => ({
  waiting: [],
  inFlight: new Set(),
  held: new Map(),
  failures: failed ? FAILING_AFTER : 0,
  pace: MIN_PACE,
  hasMore: true,
});

/**
 * Removes and returns the next delivery that can start now. One at a time while the endpoint keeps up, so that
 * deliveries arrive in order of occurrence. Once it falls behind, several at a time, but never two about the same
 * message. A failing endpoint gets one at a time: it delays no other endpoint, and its backlog goes out in order.
 */
export function dequeueNext(queue: EndpointQueue, now: Date): Job | null {
  if (queue.inFlight.size >= concurrencyOf(queue, now)) return null;
  const index = queue.waiting.findIndex(({ about }) => !queue.inFlight.has(about));
  const [job] = index === -1 ? [] : queue.waiting.splice(index, 1);
  return job ?? null;
}

function concurrencyOf(queue: EndpointQueue, now: Date): number {
  const [oldest] = queue.waiting;
  const behind = oldest !== undefined && now.getTime() - oldest.dueAt.getTime() >= BEHIND_MS;
  return behind && !isFailing(queue) ? CONCURRENCY_PER_ENDPOINT : 1;
}

const isFailing = (queue: EndpointQueue): boolean => queue.failures >= FAILING_AFTER;

/** Milliseconds until the queue falls behind, if that would let another attempt start. */
export function untilBehind(queue: EndpointQueue, now: Date): number | null {
  const [oldest] = queue.waiting;
  if (oldest === undefined || isFailing(queue)) return null;
  const left = oldest.dueAt.getTime() + BEHIND_MS - now.getTime();
  return left > 0 ? left : null;
}

/** Removes and returns the deliveries that could not end within their leases. Earlier claims come first in `waiting`. */
export function dequeueStale(queue: EndpointQueue, now: Date): Job[] {
  const isStale = ({ leaseEnd }: Job): boolean => leaseEnd.getTime() - now.getTime() < LEASE_NEEDED_MS;
  const [first] = queue.waiting;
  if (first === undefined || !isStale(first)) return [];
  const kept = queue.waiting.findIndex((job) => !isStale(job));
  return queue.waiting.splice(0, kept === -1 ? queue.waiting.length : kept);
}

/** How many more deliveries the next scan can claim. */
export const capacityLeft = (queue: EndpointQueue): number =>
  isFailing(queue) ? Math.max(0, 1 - queue.held.size) : Math.max(0, queue.pace - unfinished(queue));

/** Whether to scan for more. Not before half is done: a scan costs as much for one delivery as for a hundred. */
export const isWorthAScan = (queue: EndpointQueue): boolean =>
  queue.hasMore && (isFailing(queue) ? queue.held.size === 0 : unfinished(queue) <= queue.pace / 2);

const unfinished = (queue: EndpointQueue): number => queue.waiting.length + queue.inFlight.size;

/** A quick endpoint gets more deliveries per claim; a slow or failing one few, because they take it long. */
export function recordResponse(queue: EndpointQueue, answer: { delivered: boolean; durationMs: number }) {
  queue.failures = answer.delivered ? 0 : queue.failures + 1;
  queue.pace =
    answer.delivered && answer.durationMs <= QUICK_MS ? Math.min(MAX_PACE, queue.pace * 2) : MIN_PACE;
}
