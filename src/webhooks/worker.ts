import type { QueueKey } from '../db/dueQueues.ts';
import { SECOND } from '../kit/clock.ts';
import { randomText } from '../kit/ids.ts';
import { createScanWatermark } from '../kit/scanWatermark.ts';
import { createDeliveryAttempts, type DeliveryAttemptDeps, idsOf } from './attempt.ts';
import { type Claimed, claimDeliveries, releaseDeliveries } from './claim.ts';
import { type EndpointRef, endpointKey } from './claimShares.ts';
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

/*
 * Claims deliveries and attempts them. endpointQueue.ts says which of an endpoint's can start, and how many to claim.
 *
 * A delivery that this worker holds:
 *   waiting   → in flight   its endpoint can take another attempt
 *   waiting   → released    its lease ends too soon for an attempt, or the worker stops
 *   in flight → recording   the endpoint answered, or its time is over
 *   in flight → released    the endpoint is gone or another worker has the lease; or a stop has waited long enough
 *   recording → settled     delivered, pending until its retry, exhausted or stopped
 *
 * A released delivery is due again. So is one whose worker dies, or can neither read what to send nor record: its lease ends by itself.
 */

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

type HeldQueue = EndpointRef & { queue: EndpointQueue; timer?: NodeJS.Timeout };

export class WebhookWorker {
  readonly #deps: WebhookWorkerDeps;
  readonly #name = randomText(WORKER_NAME_CHARACTERS);
  readonly #attempts: ReturnType<typeof createDeliveryAttempts>;
  readonly #queues = new Map<string, HeldQueue>();
  readonly #floor = createScanWatermark(FULL_SCAN_EVERY_MS);
  #held = 0;
  /** The endpoint after which the next scan goes on; null: at the first. */
  #next: QueueKey | null = null;
  #full = false;
  #stopping = false;
  #aborted = false;

  constructor(deps: WebhookWorkerDeps) {
    this.#deps = deps;
    this.#attempts = createDeliveryAttempts(deps);
  }

  /** Scans all endpoints once and starts attempts; resolves to whether more deliveries may be due now. */
  async step(): Promise<boolean> {
    let more = false;
    for (let round = this.#next === null ? 'whole' : 'rest'; !this.#stopping; ) {
      this.#full = this.#held >= HELD_MAX;
      if (this.#full) return false;
      if (this.#next === null) this.#floor.begin(this.#deps.clock.now());
      if (await this.#scanFoundMost()) more = true;
      if (this.#next !== null) continue;
      this.#floor.end();
      // Endpoints before the one where this step began may have due deliveries: scan once more from the first.
      if (round === 'whole') break;
      round = 'whole';
    }
    return more;
  }

  /** Deliveries held: waiting, in flight or being recorded. */
  held(): number {
    return this.#held;
  }

  /** Releases the deliveries whose attempts have not started; attempts in flight end by themselves. */
  stop(): void {
    this.#stopping = true;
    for (const entry of this.#queues.values()) this.#advance(entry);
  }

  /** Also releases the deliveries in flight: the worker that claims them next sends them again, with the same id. */
  abort(): void {
    this.#aborted = true;
    const queues = Array.from(this.#queues.values(), ({ queue }) => queue);
    void this.#releaseLeases(queues.flatMap(({ held }) => [...held.values()])).then(() => {
      for (const { held } of queues) held.clear();
      this.#held = 0;
    });
  }

  /** One scan; resolves to whether it found as many deliveries as it could claim. */
  async #scanFoundMost(): Promise<boolean> {
    const { pool, clock, tracing } = this.#deps;
    const held = Array.from(this.#queues.values(), ({ businessId, endpointId, queue }) => {
      const capacity = capacityLeft(queue);
      if (capacity > 0) queue.hasMore = false;
      return { businessId, endpointId, capacity };
    });
    const limit = Math.min(CLAIM_MAX, HELD_MAX - this.#held);
    const limits = { limit, perEndpoint: MIN_PACE, held };
    const times = { floor: this.#floor.at(), now: clock.now() };
    const scan = await claimDeliveries(pool, this.#name, this.#next, limits, times, tracing != null);
    this.#next = scan.next;
    this.#floor.passed(scan.earliest);
    for (const claimed of scan.claimed) this.#advance(this.#keep(claimed));
    return scan.claimed.reduce((count, { jobs }) => count + jobs.length, scan.stopped) >= limit;
  }

  #keep({ businessId, endpointId, failing, jobs }: Claimed): HeldQueue {
    const key = endpointKey({ businessId, endpointId });
    const entry = this.#queues.get(key) ?? { businessId, endpointId, queue: newEndpointQueue(failing) };
    this.#queues.set(key, entry);
    const { queue } = entry;
    queue.hasMore = true;
    for (const job of jobs) {
      const before = queue.held.get(job.eventId);
      if (before === undefined) {
        queue.held.set(job.eventId, job);
        queue.waiting.push(job);
        this.#held += 1;
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
  #advance(entry: HeldQueue): void {
    const { queue } = entry;
    const now = this.#deps.clock.now();
    const unstartable = this.#stopping ? queue.waiting.splice(0) : dequeueStale(queue, now);
    if (unstartable.length > 0) void this.#release(entry, unstartable);
    for (let job = dequeueNext(queue, now); job !== null; job = dequeueNext(queue, now))
      void this.#attempt(entry, job);
    clearTimeout(entry.timer);
    const wait = untilBehind(queue, now);
    if (wait !== null) entry.timer = setTimeout(() => this.#advance(entry), wait);
    if (isWorthAScan(queue)) this.#deps.onCapacity();
  }

  async #attempt(entry: HeldQueue, job: Job): Promise<void> {
    const { queue } = entry;
    queue.inFlight.add(job.about);
    const made = await this.#attempts.make(job).catch((error: unknown) => {
      this.#deps.log.error({ ...idsOf(job), error }, 'webhook attempt failed to start');
    });
    if (this.#aborted) return;
    queue.inFlight.delete(job.about);
    if (made) recordResponse(queue, made.answer);
    this.#advance(entry);
    if (made) await this.#attempts.record(made);
    // The endpoint is disabled or deleted: the next scan stops the released delivery.
    if (made === null) await this.#release(entry, [job]);
    else this.#forget(entry, job);
  }

  async #release(entry: HeldQueue, jobs: readonly Job[]): Promise<void> {
    await this.#releaseLeases(jobs);
    entry.queue.hasMore = true;
    for (const job of jobs) this.#forget(entry, job);
  }

  async #releaseLeases(jobs: readonly Job[]): Promise<void> {
    const { pool, log } = this.#deps;
    await releaseDeliveries(pool, jobs).catch((error: unknown) =>
      log.warn({ error }, 'webhook deliveries not released'),
    );
  }

  #forget(entry: HeldQueue, job: Job): void {
    const { queue } = entry;
    if (queue.held.delete(job.eventId)) this.#held -= 1;
    if (queue.held.size === 0) this.#queues.delete(endpointKey(entry));
    if (isWorthAScan(queue) || (this.#full && this.#held <= HELD_MAX / 2)) this.#deps.onCapacity();
    if (this.#held === 0) this.#deps.onEmpty();
  }
}
