import type { QueueKey } from '../db/dueQueues.ts';
import { SECOND } from '../kit/clock.ts';
import { randomText } from '../kit/ids.ts';
import { createScanWatermark } from '../kit/scanWatermark.ts';
import { createDeliveryAttempts, type DeliveryAttemptDeps, idsOf } from './attempt.ts';
import { type Claimed, claimDeliveries, releaseDeliveries } from './claim.ts';
import type { EndpointKey } from './claimShares.ts';
import {
  capacityLeft,
  dequeueNext,
  dequeueStale,
  type EndpointQueue,
  isWorthAScan,
  type Job,
  MIN_PACE,
  newEndpointQueue,
  recordResponse,
  untilBehind,
} from './endpointQueue.ts';

export interface WebhookWorker {
  /** Scans all endpoints once and starts attempts; resolves to whether more deliveries may be due now. */
  step(): Promise<boolean>;
  /** Deliveries held: waiting, in flight or being recorded. */
  held(): number;
  /** Releases the deliveries whose attempts have not started; attempts in flight end by themselves. */
  stop(): void;
  /** Also releases the deliveries in flight: the worker that claims them next sends them again, with the same id. */
  breakOff(): void;
}

interface WebhookWorkerDeps extends DeliveryAttemptDeps {
  /** Another step could claim more. */
  onCapacity: () => void;
  /** The worker holds no delivery any more. */
  onEmpty: () => void;
}

/**
 * The most deliveries that one worker holds; each in flight needs a connection and some memory. A failing
 * endpoint holds one of them and a slow one a few, so only very many of those could delay the others.
 */
const HELD_MAX = 2_000;
const CLAIM_MAX = 500;
/** The longest delay for an event whose transaction committed late, below the watermark. */
const FULL_SCAN_EVERY_MS = 10 * SECOND;
const WORKER_NAME_CHARACTERS = 12;

/** `jobs`: all held deliveries, by event id. */
type HeldQueue = EndpointKey & { queue: EndpointQueue; jobs: Map<string, Job>; timer?: NodeJS.Timeout };

/** Claims deliveries and starts their attempts; endpoint by endpoint, endpointQueue.ts says which can start. */
export function createWebhookWorker(deps: WebhookWorkerDeps): WebhookWorker {
  const { pool, clock, log } = deps;
  const name = randomText(WORKER_NAME_CHARACTERS);
  const attempts = createDeliveryAttempts(deps);
  const queues = new Map<string, HeldQueue>();
  const floor = createScanWatermark(FULL_SCAN_EVERY_MS);
  let held = 0;
  let next: QueueKey | null = null;
  let full = false;
  let stopping = false;
  let brokenOff = false;

  async function step(): Promise<boolean> {
    let more = false;
    for (let round = next === null ? 'whole' : 'rest'; !stopping; ) {
      full = held >= HELD_MAX;
      if (full) return false;
      if (next === null) floor.begin(clock.now());
      const { found, limit } = await scanOnce();
      if (found >= limit) more = true;
      if (next !== null) continue;
      floor.end();
      // Endpoints before the one where this step began may have due deliveries: scan once more from the first.
      if (round === 'whole') break;
      round = 'whole';
    }
    return more;
  }

  async function scanOnce(): Promise<{ found: number; limit: number }> {
    const endpoints = [...queues.values()].map((entry) => ({
      ...entry,
      capacity: capacityLeft(entry.queue),
    }));
    const limit = Math.min(CLAIM_MAX, HELD_MAX - held);
    for (const { capacity, queue } of endpoints) if (capacity > 0) queue.hasMore = false;
    const times = { floor: floor.at(), now: clock.now() };
    const scan = await claimDeliveries(
      pool,
      name,
      next,
      { limit, perEndpoint: MIN_PACE, held: endpoints },
      times,
      deps.tracing != null,
    );
    next = scan.next;
    floor.passed(scan.earliest);
    for (const claimed of scan.claimed) advance(keep(claimed));
    const found = scan.claimed.reduce((count, { jobs }) => count + jobs.length, scan.stopped);
    return { found, limit };
  }

  function keep({ businessId, endpointId, failing, jobs }: Claimed): HeldQueue {
    const key = `${businessId} ${endpointId}`;
    const entry = queues.get(key) ?? {
      businessId,
      endpointId,
      queue: newEndpointQueue(failing),
      jobs: new Map(),
    };
    queues.set(key, entry);
    entry.queue.hasMore = true;
    for (const job of jobs) {
      const before = entry.jobs.get(job.eventId);
      if (before === undefined) {
        entry.jobs.set(job.eventId, job);
        entry.queue.held += 1;
        entry.queue.waiting.push(job);
        held += 1;
      } else if (before.attempts === job.attempts) {
        // The lease expired while the worker holds the delivery (as when the sandbox's clock moves) and is now
        // renewed. If another worker attempted it meanwhile, this attempt's result does not count, and the new
        // lease expires.
        before.lease = job.lease;
        before.leaseEnd = job.leaseEnd;
      }
    }
    return entry;
  }

  /** Starts every attempt that can start. */
  function advance(entry: HeldQueue): void {
    const { queue } = entry;
    const now = clock.now();
    const unstartable = stopping ? queue.waiting.splice(0) : dequeueStale(queue, now);
    if (unstartable.length > 0) void releaseJobs(entry, unstartable);
    for (let job = dequeueNext(queue, now); job !== null; job = dequeueNext(queue, now))
      void attempt(entry, job);
    clearTimeout(entry.timer);
    const wait = untilBehind(queue, now);
    if (wait !== null) entry.timer = setTimeout(() => advance(entry), wait);
    if (isWorthAScan(queue)) deps.onCapacity();
  }

  async function attempt(entry: HeldQueue, job: Job): Promise<void> {
    const { queue } = entry;
    queue.inFlight.add(job.about);
    const made = await attempts.make(job).catch((error: unknown) => {
      log.error({ ...idsOf(job), error }, 'webhook attempt failed to start');
    });
    if (brokenOff) return;
    queue.inFlight.delete(job.about);
    if (made) recordResponse(queue, made.answer);
    advance(entry);
    if (made) await attempts.record(made);
    // The endpoint is disabled or deleted: the next scan stops the released delivery.
    if (made === null) await releaseJobs(entry, [job]);
    else forget(entry, job);
  }

  const releaseLeases = (jobs: readonly Job[]): Promise<void> =>
    releaseDeliveries(pool, jobs).catch((error: unknown) =>
      log.warn({ error }, 'webhook deliveries not released'),
    );

  async function releaseJobs(entry: HeldQueue, jobs: readonly Job[]): Promise<void> {
    await releaseLeases(jobs);
    entry.queue.hasMore = true;
    for (const job of jobs) forget(entry, job);
  }

  function forget(entry: HeldQueue, job: Job): void {
    const { queue } = entry;
    if (entry.jobs.delete(job.eventId)) held -= 1;
    queue.held -= 1;
    if (queue.held === 0) queues.delete(`${entry.businessId} ${entry.endpointId}`);
    if (isWorthAScan(queue) || (full && held <= HELD_MAX / 2)) deps.onCapacity();
    if (held === 0) deps.onEmpty();
  }

  return {
    step,
    held: () => held,
    stop() {
      stopping = true;
      for (const entry of queues.values()) advance(entry);
    },
    breakOff() {
      brokenOff = true;
      const jobs = [...queues.values()].flatMap((entry) => [...entry.jobs.values()]);
      void releaseLeases(jobs).then(() => {
        for (const entry of queues.values()) entry.jobs.clear();
        held = 0;
      });
    },
  };
}
